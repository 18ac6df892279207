import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysIn, periodOfDay, periodOfDays } from '../../src/dev/sandbox/figures/days.ts';
import { figureNames, noFigures, sumOf, type Figures } from '../../src/dev/sandbox/figures/figures.ts';
import { createGenerator, lifetimeOf } from '../../src/dev/sandbox/figures/generator.ts';
import { spansOf, withFirstHour, type Plan } from '../../src/dev/sandbox/figures/plan.ts';
import { frequencyOf, reachOf } from '../../src/dev/sandbox/figures/reach.ts';
import { mergeCells, splitFigures } from '../../src/dev/sandbox/figures/split.ts';
import { createFiguresStore } from '../../src/dev/sandbox/figures/store.ts';
import { createState } from '../../src/dev/sandbox/state.ts';

const at = (text: string): number => Date.parse(text);
const now = at('2026-11-10T12:30:00Z');
const running = (id: string, more: Partial<Plan> = {}): Plan => ({
  id,
  spans: [{ from: at('2026-01-01T00:00:00Z'), dailyBudget: 10_000_000 }],
  ...more,
});
const generator = createGenerator();
const dayOfAd = (plan: Plan, day: string, zone = 'UTC'): Figures =>
  generator.between(plan, periodOfDay(day, zone), now);

describe('generated figures', () => {
  it('are the same in every process and order, and differ between ads', () => {
    const [one, again] = [createGenerator(), createGenerator()];
    const later = again.between(running('1'), periodOfDay('2026-03-02'), now);
    expect(again.between(running('1'), periodOfDay('2026-03-01'), now)).toEqual(dayOfAd(running('1'), '2026-03-01'));
    expect(one.between(running('1'), periodOfDay('2026-03-02'), now)).toEqual(later);
    expect(dayOfAd(running('1'), '2026-03-01')).not.toEqual(dayOfAd(running('2'), '2026-03-01'));
  });

  it('are whole numbers that add up over any split of a range', () => {
    const start = at('2026-03-01T00:00:00Z');
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 }), (lengths) => {
        let from = start;
        const parts = lengths.map((hours) => {
          const part = generator.between(running('7'), { from, until: from + hours * 3_600_000 }, now);
          from += hours * 3_600_000;
          return part;
        });
        const whole = generator.between(running('7'), { from: start, until: from }, now);
        expect(sumOf(parts)).toEqual(whole);
        expect(figureNames.every((name) => Number.isSafeInteger(whole[name]))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('have days of 23 and 25 hours where clocks change', () => {
    const hours = (day: string): number => {
      const { from, until } = periodOfDay(day, 'Europe/Berlin');
      return (until - from) / 3_600_000;
    };
    expect(['2026-03-28', '2026-03-29', '2026-10-25'].map(hours)).toEqual([24, 23, 25]);
    const march = daysIn('2026-03-27', '2026-03-31').map((day) => dayOfAd(running('7'), day, 'Europe/Berlin'));
    const range = periodOfDays('2026-03-27', '2026-03-31', 'Europe/Berlin');
    expect(sumOf(march)).toEqual(generator.between(running('7'), range, now));
  });

  it('never spend more than the daily budget, also in a day of 25 hours', () => {
    for (const id of ['1', '2', '3'])
      for (const day of daysIn('2026-10-20', '2026-10-30')) {
        const { spend } = dayOfAd(running(id), day, 'Europe/Berlin');
        expect(spend).toBeGreaterThan(2_000_000);
        expect(spend).toBeLessThanOrEqual(10_000_000);
      }
  });

  it('follow from each other: clicks from impressions, parts of videos in their order', () => {
    const all = generator.between(running('5'), periodOfDays('2026-02-01', '2026-02-28'), now);
    const order: (keyof Figures)[] = ['impressions', 'videoPlays', 'videoP25', 'videoP50', 'videoP75', 'videoP100'];
    for (const [index, name] of order.slice(1).entries())
      expect(all[name]).toBeLessThan(all[order[index] ?? 'impressions']);
    expect(all.clicks).toBeLessThan(all.impressions);
    expect(all.linkClicks).toBeLessThan(all.clicks);
    expect(all.purchases).toBeGreaterThan(0);
    expect(all.purchaseValue).toBeGreaterThan(all.purchases * 10_000_000);
  });

  it('exist for whole hours that are over, while the ad delivers', () => {
    const spans = [{ from: at('2026-11-10T03:10:00Z') }];
    const from = at('2026-11-10T00:00:00Z');
    const until = (text: string, time = now): number =>
      generator.between({ id: '1', spans }, { from, until: at(text) }, time).impressions;
    expect(until('2026-11-10T04:00:00Z')).toBe(0);
    expect(until('2026-11-10T05:00:00Z')).toBeGreaterThan(0);
    expect(until('2026-11-11T00:00:00Z')).toBe(until('2026-11-10T12:00:00Z'));
    const paused = { id: '1', spans: [{ from, until: at('2026-11-10T06:00:00Z') }] };
    const rest = { from: at('2026-11-10T06:00:00Z'), until: at('2026-11-11T00:00:00Z') };
    expect(generator.between(paused, rest, now)).toEqual(noFigures());
  });

  it('of the past do not depend on whether the ad still delivers', () => {
    const stopped = running('1', {
      spans: [{ from: at('2026-01-01T00:00:00Z'), until: at('2026-05-01T00:00:00Z'), dailyBudget: 10_000_000 }],
    });
    expect(dayOfAd(stopped, '2026-03-01')).toEqual(dayOfAd(running('1'), '2026-03-01'));
  });

  it('spread a total over its period exactly, and show one without a period at once', () => {
    const total = { impressions: 1001, clicks: 17, spend: 12_345_679, from: at('2026-06-01T00:00:00Z') };
    const spread = { id: '9', spans: [], total: { ...total, until: at('2026-06-11T00:00:00Z') } };
    const days = daysIn('2026-06-01', '2026-06-10').map((day) => dayOfAd(spread, day));
    expect(days.every(({ impressions }) => impressions >= 99)).toBe(true);
    expect(sumOf(days)).toMatchObject({ impressions: 1001, clicks: 17, spend: 12_345_679 });
    const fresh = { id: '9', spans: [], total: { ...total, from: now } };
    expect(generator.between(fresh, lifetimeOf(fresh, now), now)).toMatchObject({ impressions: 1001, clicks: 17 });
  });

  it('gain conversions for four weeks, and then no more', () => {
    const until = (days: number): number =>
      generator.between(running('3'), periodOfDay('2026-03-01'), at('2026-03-02T00:00:00Z') + days * 86_400_000)
        .purchases +
      generator.between(running('4'), periodOfDay('2026-03-01'), at('2026-03-02T00:00:00Z') + days * 86_400_000)
        .purchases;
    const grown = [0, 1, 7, 29, 300].map(until);
    expect(grown.toSorted((a, b) => a - b)).toEqual(grown);
    expect(grown[0]).toBeLessThan(grown[3] ?? 0);
    expect(grown[3]).toBe(grown[4]);
  });

  it('lose invalid clicks and refunds by the rules of the platform', () => {
    const strict = createGenerator({
      invalidClicks: { perMille: 50, days: 30 },
      refunds: { perMille: 20, days: 14 },
    });
    const after = (days: number): Figures =>
      strict.between(
        running('3'),
        periodOfDays('2026-03-01', '2026-03-10'),
        at('2026-03-11T00:00:00Z') + days * 86_400_000,
      );
    const plain = generator.between(running('3'), periodOfDays('2026-03-01', '2026-03-10'), now);
    expect(after(40).clicks).toBeLessThan(after(0).clicks);
    expect(after(40).clicks).toBe(after(80).clicks);
    expect(after(40).spend / plain.spend).toBeCloseTo(0.98, 3);
    expect(after(40).impressions).toBe(plain.impressions);
  });

  it('change where a test restates them, in those hours only', () => {
    const [from, until] = [at('2026-03-01T00:00:00Z'), at('2026-03-02T00:00:00Z')];
    const doubled = running('3', { restatements: [{ from, until, perMille: 2000 }] });
    const more = running('3', { restatements: [{ from, add: { purchases: 3 } }] });
    expect(dayOfAd(doubled, '2026-03-01').clicks).toBe(2 * dayOfAd(running('3'), '2026-03-01').clicks);
    expect(dayOfAd(doubled, '2026-03-02')).toEqual(dayOfAd(running('3'), '2026-03-02'));
    expect(dayOfAd(more, '2026-03-01').purchases).toBe(3 + dayOfAd(running('3'), '2026-03-01').purchases);
  });

  it('of a day are computed once', () => {
    let hashed = 0;
    const counted = new Proxy([{ from: at('2025-01-01T00:00:00Z') }], {
      get: (spans, name) => {
        hashed += 1;
        return Reflect.get(spans, name) as unknown;
      },
    });
    const plan = { id: '1', spans: counted };
    const days = daysIn('2025-06-01', '2025-06-05').map((day) => generator.between(plan, periodOfDay(day), now));
    const first = hashed;
    const again = daysIn('2025-06-01', '2025-06-05').map((day) => generator.between(plan, periodOfDay(day), now));
    expect(again.every((day, index) => day === days[index])).toBe(true);
    expect(hashed).toBe(first);
  });
});

describe('breakdowns', () => {
  const ages = [
    { value: '18-24', weight: 30 },
    { value: '25-34', weight: 41 },
    { value: 'unknown', weight: 3 },
  ];
  const genders = [
    { value: 'female', weight: 5 },
    { value: 'male', weight: 4 },
    { value: 'unknown', weight: 1 },
  ];

  it('add up to the figures exactly, with unknown ones, alone and in pairs', () => {
    fc.assert(
      fc.property(
        fc.record({ impressions: fc.nat(), clicks: fc.nat(50), spend: fc.maxSafeNat() }),
        fc.string(),
        (some, key) => {
          const whole = { ...noFigures(), ...some };
          const cells = splitFigures(whole, [ages, genders], key);
          expect(cells).toHaveLength(9);
          expect(sumOf(cells.map(({ figures }) => figures))).toEqual(whole);
          expect(sumOf(mergeCells(cells, 0).map(({ figures }) => figures))).toEqual(whole);
          expect(cells.slice(0, -1).every(({ figures }) => figures.spend % 10_000 === 0)).toBe(true);
          expect(cells.every(({ figures }) => figureNames.every((name) => figures[name] >= 0))).toBe(true);
        },
      ),
    );
    const values = mergeCells(splitFigures(noFigures(), [ages, genders], ''), 1).flatMap((cell) => cell.values);
    expect(values).toEqual(['female', 'male', 'unknown']);
  });
});

describe('reach', () => {
  it('of a range is below the sum of its days and never above the impressions', () => {
    const days = daysIn('2026-03-01', '2026-03-07').map((day) => dayOfAd(running('1'), day).impressions);
    const all = days.reduce((sum, impressions) => sum + impressions, 0);
    expect(reachOf(all)).toBeLessThan(days.reduce((sum, impressions) => sum + reachOf(impressions), 0));
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(1_000_000), (one, other) => {
        expect(reachOf(one)).toBeLessThanOrEqual(one);
        expect(reachOf(one + other)).toBeLessThanOrEqual(reachOf(one) + reachOf(other));
        expect(reachOf(one + other)).toBeGreaterThanOrEqual(reachOf(one));
        if (one > 0) expect(frequencyOf(one)).toBeGreaterThanOrEqual(1_000_000);
      }),
    );
    expect(frequencyOf(0)).toBeNull();
  });
});

describe('the history of an ad and its parents', () => {
  it('gives the spans in which all are on, with the innermost budget', () => {
    const spans = spansOf([
      [
        { at: 10, isOn: true },
        { at: 60, isOn: false },
      ],
      [
        { at: 0, isOn: true, dailyBudget: 5 },
        { at: 30, isOn: true, dailyBudget: 8 },
      ],
      [
        { at: 0, isOn: true, dailyBudget: 99 },
        { at: 40, isOn: false },
        { at: 50, isOn: true, dailyBudget: 99 },
      ],
    ]);
    expect(spans).toEqual([
      { from: 10, until: 30, dailyBudget: 5 },
      { from: 30, until: 40, dailyBudget: 8 },
      { from: 50, until: 60, dailyBudget: 8 },
    ]);
    expect(spansOf([[{ at: 1, isOn: true }], []])).toEqual([]);
  });

  it('ends at a recorded end, and shares a budget among the ads that exist under it', () => {
    const own = [{ at: 10, isOn: true, until: 40, dailyBudget: 9 }];
    expect(spansOf([own], [0, 20])).toEqual([
      { from: 10, until: 20, dailyBudget: 9 },
      { from: 20, until: 40, dailyBudget: 4 },
    ]);
  });

  it('shows fixed figures in the first hour, within the budget of the first day', () => {
    const from = at('2026-11-10T10:20:00Z');
    const plan = withFirstHour(
      { id: '1', spans: [{ from, dailyBudget: 20_000_000 }] },
      { impressions: 1000, clicks: 20, spend: 90_000_000 },
      from,
    );
    const first = generator.between(plan, periodOfDay('2026-11-10'), from + 1000);
    expect(first).toMatchObject({ impressions: 1000, clicks: 20, spend: 20_000_000 });
    const later = from + 10 * 86_400_000;
    expect(generator.between(plan, periodOfDay('2026-11-10'), later)).toMatchObject({ impressions: 1000, clicks: 20 });
    expect(generator.between(plan, periodOfDay('2026-11-12'), later).impressions).toBeGreaterThan(0);
    const stopped = withFirstHour(
      { id: '1', spans: [{ from, until: from + 60_000 }] },
      { impressions: 1000, clicks: 20, spend: 1 },
      later,
    );
    expect(generator.between(stopped, lifetimeOf(stopped, later), later).impressions).toBe(1000);
    const early = withFirstHour(
      { id: '1', spans: [{ from }] },
      { impressions: 1000, clicks: 20, spend: 1 },
      from - 3_600_000,
    );
    expect(generator.between(early, lifetimeOf(early, from), from).impressions).toBe(0);
  });

  it('begins at once if its start is a minute or two away, which may be tomorrow', () => {
    const store = createFiguresStore(createState(), 'x');
    const before = store.now();
    store.record('soon', { isOn: true, from: before + 2 * 60_000 });
    store.record('later', { isOn: true, from: before + 3_600_000 });
    const [soon, later] = [store.spansOf(['soon']), store.spansOf(['later'])].map(([span]) => span?.from ?? 0);
    expect(soon).toBeGreaterThanOrEqual(before);
    expect(soon).toBeLessThanOrEqual(store.now());
    expect(later).toBe(before + 3_600_000);
  });

  it('is recorded once for each change, and survives what a test fixes for one ad', async () => {
    const store = createFiguresStore(createState(), 'x');
    const post = (body: object): Response | Promise<Response> =>
      store.control.request('/figures', { method: 'POST', body: JSON.stringify(body) });
    store.record('1', { isOn: true, from: 5 });
    store.record('1', { isOn: true });
    store.record('1', { isOn: false, from: 9 });
    expect(store.spansOf(['1'])).toEqual([{ from: 5, until: 9 }]);
    await post({ adId: '1', restatements: [{ from: 5, perMille: 0 }] });
    await post({ aheadMs: 86_400_000, delayMs: 3_600_000 });
    const plan = store.planOf({ id: '1', spans: store.spansOf(['1']) });
    expect(plan).toEqual({ id: '1', spans: [{ from: 5, until: 9 }], restatements: [{ from: 5, perMille: 0 }] });
    await post({ adId: '1', earlier: [{ from: 1, until: 3 }] });
    expect(store.planOf({ id: '1', spans: [{ from: 5 }] }).spans).toEqual([{ from: 1, until: 3 }, { from: 5 }]);
    expect(store.now() - store.asOf()).toBe(3_600_000);
    expect(store.now()).toBeGreaterThan(Date.now() + 80_000_000);
  });
});
