import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversionEvents, countedMetrics } from '../../../src/contract/reporting/metrics.ts';
import type { Figures } from '../../../src/platforms/platform.ts';
import { addTo } from '../../../src/services/reports/add-figures.ts';
import { ByteWriter } from '../../../src/services/reports/bytes.ts';
import { writeFigures } from '../../../src/services/reports/figure-code.ts';
import { eachDay, encodeDay, mergeDays } from '../../../src/services/reports/month-code.ts';
import { amountsFrom, figuresIn } from './figures.ts';

const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
const edges = [
  0n,
  1n,
  -1n,
  63n,
  64n,
  2n ** 52n,
  2n ** 52n - 1n,
  -(2n ** 52n),
  2n ** 53n - 1n,
  -(2n ** 53n),
  least,
  most,
];
const integer = fc.oneof(
  fc.constantFrom(...edges),
  fc.bigInt({ min: least, max: most }),
  fc.bigInt({ min: 0n, max: 9999n }),
);
const figure = fc.option(integer, { nil: null });
const event = fc.record({ count: integer, value: figure }, { requiredKeys: ['count'] });
const figures: fc.Arbitrary<Figures> = fc
  .record(
    {
      ...Object.fromEntries([...countedMetrics, 'reach', 'frequency'].map((name) => [name, figure])),
      events: fc.dictionary(fc.constantFrom(...conversionEvents), event),
      optimisedFor: fc.constantFrom(...conversionEvents),
    },
    { requiredKeys: [] },
  )
  .map((one) => one as Figures);

function decoded(stored: Uint8Array, isKept: (day: number, read: number) => boolean): [number, Figures][] {
  const days: [number, Figures][] = [];
  eachDay(stored, isKept, (day, start, end) => days.push([day, figuresIn({ bytes: stored, start, end })]));
  return days;
}

describe('stored figures', () => {
  it('are read as they were written: every integer of 64 bits, withheld and missing figures, events, none and unknown ones', () => {
    fc.assert(
      fc.property(figures, fc.integer({ min: 1, max: 31 }), fc.nat(2 ** 32), (written, day, read) => {
        const stored = encodeDay(day, read, written);
        expect(decoded(stored, (at, of) => at === day && of === read)).toEqual([[day, written]]);
        expect(decoded(stored, () => false)).toEqual([]);
      }),
    );
  });

  it('take few bytes: a day of ten figures less than fifty', () => {
    const day: Figures = { spend: 12_345_678n, impressions: 20_000n, clicks: 311n, linkClicks: 200n, engagement: 900n };
    const more: Figures = { videoViews: 1000n, videoPlays: 3000n, videoP25: 700n, videoP50: 400n, videoP100: 100n };
    expect(encodeDay(17, 1_800_000_000, { ...day, ...more }).length).toBeLessThan(50);
  });

  it.each([most + 1n, least - 1n])('reject %s, which 64 bits cannot hold', (spend) => {
    expect(() => writeFigures(new ByteWriter(), { spend })).toThrow('does not fit in 64 bits');
  });

  it('keep the version that the coverage names beside that of the read under way, and drop all others', () => {
    const of = (read: number) => encodeDay(3, read, { clicks: BigInt(read) });
    const empty = new Uint8Array();
    const first = mergeDays(empty, new Map([[3, of(1)]]), 1, () => false);
    const abandoned = mergeDays(first, new Map([[3, of(2)]]), 2, (_day, read) => read === 1);
    const both = mergeDays(
      abandoned,
      new Map([
        [3, of(3)],
        [4, encodeDay(4, 3, {})],
      ]),
      3,
      (_day, read) => read === 1,
    );
    expect(decoded(both, () => true)).toEqual([
      [3, { clicks: 1n }],
      [3, { clicks: 3n }],
      [4, {}],
    ]);
    const again = mergeDays(both, new Map([[3, encodeDay(3, 3, { clicks: 9n })]]), 3, () => true);
    expect(decoded(again, (_day, read) => read === 3)).toEqual([
      [4, {}],
      [3, { clicks: 9n }],
    ]);
  });
});

function sumOf(...parts: Figures[]): Figures {
  const [total, ...others] = parts.map(amountsFrom);
  for (const other of others) addTo(total!, other);
  return figuresIn(total!);
}

describe('the sum of days', () => {
  it('is the same in any order, and has no figure that one of them lacks', () => {
    fc.assert(
      fc.property(figures, figures, (a, b) => {
        const sum = sumOf(a, b);
        expect(sumOf(b, a)).toEqual(sum);
        for (const metric of countedMetrics) {
          if (a[metric] === undefined || b[metric] === undefined) expect(sum[metric]).toBeUndefined();
          else if (a[metric] === null || b[metric] === null) expect(sum[metric]).toBeNull();
          else expect(sum[metric]).toBe(a[metric] + b[metric]);
        }
      }),
    );
  });

  it('counts an event that one day lacks as none on that day, and an unknown value as unknown', () => {
    const one: Figures = { events: { purchase: { count: 2n, value: 5n }, lead: { count: 1n } } };
    const two: Figures = { events: { purchase: { count: 1n, value: null }, search: { count: 4n, value: 1n } } };
    expect(sumOf(one, two).events).toEqual({
      purchase: { count: 3n, value: null },
      lead: { count: 1n },
      search: { count: 4n, value: 1n },
    });
  });

  it('has no events if a part does not report them, whether it comes first, last or between', () => {
    const lead: Figures = { optimisedFor: 'lead', events: { lead: { count: 1n } } };
    for (const parts of [
      [{}, lead, lead],
      [lead, {}, lead],
      [lead, lead, {}],
    ]) {
      expect(sumOf(...parts).events).toBeUndefined();
      expect(sumOf(...parts).optimisedFor).toBeUndefined();
    }
    expect(sumOf({ events: {} }, { events: {} }).events).toEqual({});
  });

  it('is optimised for an event if all days with conversions are', () => {
    const lead: Figures = { optimisedFor: 'lead', events: { lead: { count: 1n } } };
    const search: Figures = { optimisedFor: 'search', events: { search: { count: 1n } } };
    const none: Figures = { events: { search: { count: 0n } } };
    expect(sumOf(lead, none, lead, { events: {} }).optimisedFor).toBe('lead');
    expect(sumOf(none, lead).optimisedFor).toBe('lead');
    expect(sumOf(lead, search).optimisedFor).toBeUndefined();
    expect(sumOf(lead, search, lead).optimisedFor).toBeUndefined();
  });
});
