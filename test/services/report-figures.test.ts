import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reporting } from '../../src/contract/reporting/index.ts';
import { metrics, type Metric } from '../../src/contract/reporting/metrics.ts';
import type { Figures } from '../../src/platforms/platform.ts';
import { decimalNumber, decimalText, exact, plus, quotient } from '../../src/services/reports/exact.ts';
import { metricWriter } from '../../src/services/reports/metric-cells.ts';
import {
  decimalsOf,
  isKnown,
  valueOf as figureOf,
  type MetricContext,
  type Value,
} from '../../src/services/reports/metric-values.ts';
import { noDelivery } from '../../src/services/reports/figures.ts';
import { summaryOf } from '../../src/services/reports/summary.ts';
import { TextWriter } from '../../src/services/reports/text-writer.ts';
import { repeats } from '../support/sample.ts';
import { amountsFrom, figuresIn } from './reports/figures.ts';

const metricContext: MetricContext = { reporting: reporting.A, level: 'campaign', breakdowns: [], rowDays: 30 };
const valueOf = (metric: Metric, figures: Figures, of: MetricContext): Value => {
  const value = figureOf(metric, of)(amountsFrom(figures));
  return isKnown(value) ? BigInt(value) : value;
};
const names = Object.keys(metrics) as Metric[];
const valuesOf = (figures: Figures, of = metricContext) =>
  Object.fromEntries(names.map((name) => [name, valueOf(name, figures, of)]));

const rowsOf = (parts: Figures[]) => ({ length: parts.length, amountsAt: (at: number) => amountsFrom(parts[at]!) });
const addFigures = (parts: Figures[]): Figures => figuresIn(summaryOf(rowsOf(parts), metricContext).total);
const nothing = (of = reporting.A): Figures => figuresIn(noDelivery(of));

const amount = fc.bigInt({ min: 0n, max: 10n ** 16n });
const figures: fc.Arbitrary<Figures> = fc.record({
  spend: fc.bigInt({ min: -(10n ** 9n), max: 10n ** 16n }),
  impressions: amount,
  clicks: amount,
  linkClicks: amount,
  purchases: amount,
  purchaseValue: amount,
  leads: amount,
  engagement: amount,
  videoViews: amount,
  videoPlays: amount,
  videoP25: amount,
  videoP50: amount,
  videoP75: amount,
  videoP100: amount,
  events: fc.dictionary(
    fc.constantFrom('purchase', 'lead'),
    fc.record({ count: fc.oneof(fc.constant(0n), amount), value: amount }),
  ),
  optimisedFor: fc.constantFrom('purchase', 'lead', undefined),
});

const unavailableIn = (metric: Metric, parts: Figures[], of: MetricContext) =>
  summaryOf(rowsOf(parts), of).unavailable.get(metric);

describe('the sum of figures', () => {
  it('does not depend on the order of the parts, nor on how they are grouped', () => {
    fc.assert(
      fc.property(fc.array(figures, { minLength: 2, maxLength: 12 }), fc.nat(), (parts, at) => {
        const whole = valuesOf(addFigures(parts));
        const split = 1 + (at % (parts.length - 1));
        const grouped = [addFigures(parts.slice(0, split)), addFigures(parts.slice(split))];
        expect(valuesOf(addFigures(grouped))).toEqual(whole);
        expect(valuesOf(addFigures(parts.toReversed()))).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });

  it('has ratios of the sums, not sums or averages of ratios', () => {
    fc.assert(
      fc.property(fc.array(figures, { minLength: 2, maxLength: 6 }), (parts) => {
        const sum = addFigures(parts);
        const total = (name: 'clicks' | 'impressions'): bigint =>
          parts.reduce((all, part) => all + (part[name] ?? 0n), 0n);
        const ctr = valueOf('ctr', sum, metricContext);
        if (total('impressions') === 0n) expect(ctr).toEqual({});
        else {
          const doubled = (ctr as bigint) * 2n * total('impressions');
          const exact = total('clicks') * 2_000_000n;
          const off = doubled > exact ? doubled - exact : exact - doubled;
          expect(off <= total('impressions')).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [undefined, 'not_reported'],
    [null, 'privacy_threshold'],
  ])('of a part that is %s and 3 is unknown, never 3', (unknown, reason) => {
    const sum = addFigures([
      { spend: 3n, clicks: 1n },
      { spend: unknown, clicks: 1n },
    ]);
    expect(valueOf('spend', sum, metricContext)).toEqual({ reason });
    expect(valueOf('clicks', sum, metricContext)).toBe(2n);
    expect(valueOf('cpc', sum, metricContext)).toEqual({ reason });
  });

  it('has no conversions, rather than 0, if a part does not report them', () => {
    const none = { spend: 3n, events: {} };
    expect(valueOf('conversions', addFigures([none, none]), metricContext)).toBe(0n);
    for (const parts of [[{ spend: 3n }], [none, { spend: 3n }], [{ spend: 3n }, none]]) {
      expect(valueOf('conversions', addFigures(parts), metricContext)).toEqual({ reason: 'not_reported' });
      expect(valueOf('costPerConversion', addFigures(parts), metricContext)).toEqual({ reason: 'not_reported' });
    }
  });

  it('never contains people', () => {
    const sum = addFigures([
      { impressions: 5n, reach: 3n },
      { impressions: 5n, reach: 3n },
    ]);
    const asked: MetricContext = { ...metricContext, requested: ['reach', 'frequency'] };
    expect(valueOf('reach', sum, asked)).toEqual({ reason: 'not_reported' });
    expect(valueOf('reach', addFigures([{ reach: 3n }]), asked)).toBe(3n);
  });
});

describe('conversions', () => {
  const purchases: Figures = {
    spend: 10n,
    events: { purchase: { count: 2_500_000n, value: 7n } },
    optimisedFor: 'purchase',
  };
  const leads: Figures = { spend: 10n, events: { lead: { count: 1_000_000n, value: 0n } }, optimisedFor: 'lead' };

  it('count what the objects optimise for if they all do', () => {
    expect(valueOf('conversions', purchases, metricContext)).toBe(2_500_000n);
    expect(valueOf('conversions', addFigures([purchases, purchases]), metricContext)).toBe(5_000_000n);
  });

  it('are unknown over objects that optimise for several events, unless an event is named', () => {
    const sum = addFigures([purchases, leads]);
    expect(valueOf('conversions', sum, metricContext)).toEqual({ reason: 'mixed_events' });
    expect(valueOf('costPerConversion', sum, metricContext)).toEqual({ reason: 'mixed_events' });
    expect(valueOf('conversions', sum, { ...metricContext, conversionEvent: 'lead' })).toBe(1_000_000n);
    expect(valueOf('conversions', sum, { ...metricContext, conversionEvent: 'search' })).toBe(0n);
  });

  it('are not affected by an object without conversions', () => {
    expect(valueOf('conversions', addFigures([purchases, nothing()]), metricContext)).toBe(2_500_000n);
  });

  it('are not offered for an event that the platform does not separate', () => {
    const of = { ...metricContext, reporting: reporting.B, conversionEvent: 'lead' } as const;
    expect(valueOf('conversions', purchases, of)).toEqual({ reason: 'not_offered' });
    expect(valueOf('spend', purchases, of)).toBe(10n);
  });
});

describe('a figure of an object without delivery', () => {
  it('is 0 if the platform offers it, and null as a ratio', () => {
    const values = valuesOf(nothing());
    expect(values).toMatchObject({ spend: 0n, clicks: 0n, conversions: 0n, videoP100: 0n, ctr: {}, roas: {} });
    expect(valueOf('purchases', nothing(reporting.B), { ...metricContext, reporting: reporting.B })).toEqual({
      reason: 'not_offered',
    });
  });
});

describe('a metric without figures', () => {
  const reach: MetricContext = { ...metricContext, requested: ['reach'] };
  it.each<[string, Metric, MetricContext]>([
    ['not_requested', 'reach', metricContext],
    ['not_offered', 'leads', { ...metricContext, reporting: reporting.B }],
    ['not_offered', 'conversionValue', { ...metricContext, reporting: reporting.E }],
    ['not_offered', 'conversions', { ...metricContext, reporting: reporting.E, conversionEvent: 'app_install' }],
    ['not_at_level', 'reach', { ...reach, reporting: reporting.E, level: 'ad' }],
    ['not_with_breakdown', 'reach', { ...reach, reporting: reporting.D, breakdowns: ['age'] }],
    [
      'not_with_breakdown',
      'conversions',
      { ...metricContext, reporting: reporting.D, breakdowns: ['age'], conversionEvent: 'lead' },
    ],
    ['range_too_long', 'reach', { ...reach, reporting: reporting.B, rowDays: 93 }],
  ])('says %s', (reason, metric, of) => {
    expect(unavailableIn(metric, [{ reach: 1n, leads: 1n }], of)).toBe(reason);
  });

  it('says nothing if one row has it, or if only denominators are 0', () => {
    expect(unavailableIn('spend', [{}, { spend: 0n }], metricContext)).toBeUndefined();
    expect(unavailableIn('ctr', [{ clicks: 0n, impressions: 0n }], metricContext)).toBeUndefined();
    expect(unavailableIn('spend', [{}, {}], metricContext)).toBe('not_reported');
  });
});

describe('amounts', () => {
  it.each<[bigint, number, string]>([
    [0n, 6, '0'],
    [300_000n, 6, '0.3'],
    [-1n, 6, '-0.000001'],
    [123_456_789_000_000n, 6, '123456789'],
    [9_007_199_254_740_993_123_456n, 6, '9007199254740993.123456'],
    [12n, 0, '12'],
  ])('%s with %s decimals are %s', (value, decimals, text) => {
    expect(decimalText(value, decimals)).toBe(text);
  });

  it('are rounded half away from zero in ratios only', () => {
    const cpc = (spend: bigint, clicks: bigint) => valueOf('cpc', { spend, clicks }, metricContext);
    expect(cpc(5n, 2n)).toBe(3n);
    expect(cpc(-5n, 2n)).toBe(-3n);
    expect(cpc(4n, 3n)).toBe(1n);
    expect(valueOf('cpm', { spend: 2_000_000n, impressions: 3n }, metricContext)).toBe(666_666_667n);
  });
});

const integer = fc.oneof(
  fc.bigInt({ min: -(10n ** 6n), max: 10n ** 6n }),
  fc.bigInt({ min: -(2n ** 32n), max: 2n ** 32n }),
  fc.bigInt({ min: -(2n ** 53n) - 2n, max: 2n ** 53n + 2n }),
  fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }),
);

describe('exact integers', () => {
  it('have the sums and quotients of integers of any size', () => {
    const scales = fc.constantFrom(1, 1000, 1_000_000);
    fc.assert(
      fc.property(integer, integer, scales, (a, b, scale) => {
        expect(plus(exact(a), exact(b))).toBe(exact(a + b));
        if (b === 0n) return;
        // Half away from zero: half of the denominator is added to or taken from the numerator, then truncated.
        const half = a < 0n === b < 0n ? b : -b;
        expect(quotient(exact(a), scale, exact(b))).toBe(exact((2n * a * BigInt(scale) + half) / (2n * b)));
      }),
      { numRuns: repeats(200, 2000) },
    );
  });

  it('are written as text and as the nearest number', () => {
    const decimals = fc.constantFrom<0 | 6>(0, 6);
    fc.assert(
      fc.property(integer, decimals, (value, places) => {
        const text = decimalText(value, places);
        const one = exact(value);
        const number = typeof one === 'number' ? one : Infinity;
        const writer = new TextWriter(1);
        const numbers = Float64Array.of(number, Number.NaN, number);
        writer.cells({ numbers, decimals: Uint8Array.of(places, places, places), exactAt: () => value });
        expect(writer.take()).toBe(`,${text},,${text}`);
        expect(decimalNumber(exact(value), places)).toBe(Number(text));
      }),
      { numRuns: repeats(200, 2000) },
    );
  });
});

describe('the cells of a row', () => {
  const large = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const part = fc.option(fc.oneof(fc.constant(0n), fc.bigInt({ min: -(10n ** 7n), max: 10n ** 7n }), large), {
    nil: null,
  });
  const row: fc.Arbitrary<Figures> = fc.record(
    {
      spend: part,
      impressions: part,
      reach: part,
      frequency: part,
      clicks: part,
      linkClicks: part,
      purchases: part,
      purchaseValue: part,
      leads: part,
      videoP25: part,
      events: fc.dictionary(fc.constantFrom('purchase', 'lead'), fc.record({ count: large, value: part })),
      optimisedFor: fc.constantFrom('purchase', 'lead'),
    },
    { requiredKeys: [] },
  );

  it.each(['A', 'B', 'E', 'F'] as const)(
    'are the exact texts of the metrics on platform %s, empty if null',
    (platform) => {
      const of: MetricContext = { ...metricContext, reporting: reporting[platform], requested: names };
      const write = metricWriter(of);
      fc.assert(
        fc.property(row, (given) => {
          const writer = new TextWriter(1);
          write(amountsFrom(given), writer);
          const texts = names.map((name) => {
            const value = valueOf(name, given, of);
            return isKnown(value) ? decimalText(value, decimalsOf(name)) : '';
          });
          expect(writer.take()).toBe(`,${texts.join(',')}`);
        }),
        { numRuns: repeats(200, 2000) },
      );
    },
  );
});
