import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../ads/fixture.ts';
import { adAccount, createReportFixture, timeZone } from './fixture.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const minutes = (count: number): number => count * 60;
const hours = (count: number): number => count * 3600;
const days = (count: number): number => count * 86_400;

/** The ranges that were read since the last call. */
function readsOf({ platform }: Awaited<ReturnType<typeof createReportFixture>>): string[] {
  return platform.reads.splice(0).map(({ fromDate, toDate }) => `${fromDate}..${toDate}`);
}

describe('stored figures', () => {
  it('are returned without a read of the platform while they are recent enough', async () => {
    const fixture = await createReportFixture(store);
    const { platform, day, pass } = fixture;
    platform.set('c1', day(0), 5);
    platform.set('c1', day(3), 8);
    const first = await fixture.ask();
    pass(minutes(14));
    const second = await fixture.ask();
    expect(readsOf(fixture)).toEqual([`${day(6)}..${day(0)}`]);
    expect(second).toEqual(first);
    expect(first).toMatchObject({
      missing: [],
      warnings: [],
      fetchedAt: new Date(fixture.ctx.clock.now().getTime() - 840_000),
    });
    expect(first.rows).toEqual([
      { platformId: 'c1', date: day(0), figures: { impressions: 5n, spend: 35n } },
      { platformId: 'c1', date: day(3), figures: { impressions: 8n, spend: 56n } },
    ]);
  });

  it.each([
    ['today', 0, minutes(15)],
    ['yesterday', 1, hours(1)],
    ['the day before', 2, hours(6)],
    ['three days ago', 3, hours(6)],
    ['four days ago', 4, days(1)],
    ['a day that can still change', 27, days(1)],
  ])('of %s are read again after their time, and not before', async (_name, age, seconds) => {
    const fixture = await createReportFixture(store);
    // At noon, so that the day stays the same.
    fixture.pass(hours(2));
    const range = { fromDate: fixture.day(age), toDate: fixture.day(age) };
    await fixture.ask(range);
    fixture.pass(Math.min(seconds, hours(11)) - 1);
    if (seconds > hours(11)) fixture.pass(seconds - hours(11));
    await fixture.ask(range);
    expect(readsOf(fixture)).toHaveLength(1);
    fixture.pass(1);
    await fixture.ask(range);
    expect(readsOf(fixture)).toEqual([`${range.fromDate}..${range.toDate}`]);
  });

  it('of a final day are never read again, and of a day that was read before it was final exactly once more', async () => {
    const fixture = await createReportFixture(store);
    const { day, pass } = fixture;
    const range = { fromDate: day(20), toDate: day(20) };
    await fixture.ask(range);
    pass(days(9));
    await fixture.ask(range);
    expect(readsOf(fixture)).toHaveLength(2);
    pass(days(400));
    await fixture.ask(range);
    expect(readsOf(fixture)).toEqual([]);
  });

  it('say which days can still change and when those were read, whatever the age of the final ones', async () => {
    const fixture = await createReportFixture(store);
    const { day, pass, platform } = fixture;
    const [final, open] = [day(40), day(28)];
    const finalReadAt = fixture.ctx.clock.now();
    expect(await fixture.ask({ fromDate: final, toDate: final })).toMatchObject({
      changesFrom: null,
      fetchedAt: finalReadAt,
    });
    pass(hours(5));
    const openReadAt = fixture.ctx.clock.now();
    const asked = { fromDate: final, toDate: open };
    expect(await fixture.ask(asked)).toMatchObject({ changesFrom: open, fetchedAt: openReadAt });
    // The day no longer changes, but it has not been read since.
    pass(days(2));
    platform.failures.push({ fault: 'unavailable' });
    expect(await fixture.ask(asked)).toMatchObject({ changesFrom: open, fetchedAt: openReadAt });
    expect(await fixture.ask(asked)).toMatchObject({ changesFrom: null, fetchedAt: fixture.ctx.clock.now() });
  });

  it('are read again on request, but not more than once a minute', async () => {
    const fixture = await createReportFixture(store);
    const range = { fromDate: fixture.day(60), toDate: fixture.day(60) };
    await fixture.ask(range);
    fixture.pass(59);
    await fixture.ask({ ...range, maxAgeSeconds: 1 });
    expect(readsOf(fixture)).toHaveLength(1);
    fixture.pass(1);
    await fixture.ask({ ...range, maxAgeSeconds: 1 });
    expect(readsOf(fixture)).toHaveLength(1);
  });

  it('accept a greater age on request', async () => {
    const fixture = await createReportFixture(store);
    await fixture.ask();
    fixture.pass(hours(2));
    await fixture.ask({ maxAgeSeconds: hours(3) });
    expect(readsOf(fixture)).toHaveLength(1);
  });

  it('are read again only for the days that are too old', async () => {
    const fixture = await createReportFixture(store);
    await fixture.ask();
    fixture.pass(minutes(15));
    await fixture.ask();
    expect(readsOf(fixture).slice(1)).toEqual([`${fixture.day(0)}..${fixture.day(0)}`]);
  });

  it('follow a restatement: changed days are replaced, and an object that is gone has no figures', async () => {
    const fixture = await createReportFixture(store);
    const { platform, day, pass } = fixture;
    for (const id of ['c1', 'c2']) for (const age of [0, 1, 2]) platform.set(id, day(age), 10 + age);
    await fixture.ask();
    platform.set('c1', day(1), 99);
    platform.figures.get('c2')?.delete(day(1));
    pass(hours(1));
    expect(await fixture.impressions()).toEqual({
      [`c1 ${day(0)}`]: 10,
      [`c1 ${day(1)}`]: 99,
      [`c1 ${day(2)}`]: 12,
      [`c2 ${day(0)}`]: 10,
      [`c2 ${day(2)}`]: 12,
    });
    expect(await fixture.impressions({ granularity: 'total' })).toEqual({ c1: 121, c2: 22 });
  });

  it('are discarded if the ad account changes its time zone or the adapter its definitions', async () => {
    const fixture = await createReportFixture(store);
    const { platform, day } = fixture;
    const range = { fromDate: day(40), toDate: day(39) };
    platform.set('c1', day(40), 1);
    platform.set('c2', day(40), 2);
    await fixture.ask(range);
    platform.figures.delete('c2');
    expect(await fixture.impressions({ ...range, timeZone: 'UTC' })).toEqual({ [`c1 ${day(40)}`]: 1 });
    expect(readsOf(fixture)).toHaveLength(2);
    platform.adapter.version = 2;
    platform.set('c1', day(40), 3);
    expect(await fixture.impressions({ ...range, timeZone: 'UTC' })).toEqual({ [`c1 ${day(40)}`]: 3 });
    await fixture.ask({ ...range, timeZone: 'UTC' });
    expect(readsOf(fixture)).toHaveLength(1);
    const currency = 'EUR';
    await fixture.ask({ ...range, timeZone: 'UTC', adAccount: { ...adAccount, currency } });
    expect(readsOf(fixture)).toHaveLength(1);
    expect(timeZone).not.toBe('UTC');
  });

  it('are kept for each level, and selected by id or by parent', async () => {
    const fixture = await createReportFixture(store);
    const { platform, day } = fixture;
    platform.set('a1', day(1), 1);
    platform.set('a2', day(1), 2);
    platform.parents.set('a1', { campaignId: 'c1', adSetId: 's1' });
    platform.parents.set('a2', { campaignId: 'c2', adSetId: 's2' });
    const ads = { level: 'ad' as const };
    expect(await fixture.impressions({ ...ads, within: { level: 'campaign', ids: ['c2'] } })).toEqual({
      [`a2 ${day(1)}`]: 2,
    });
    expect(await fixture.impressions({ ...ads, within: { level: 'ad_set', ids: ['s1'] } })).toEqual({
      [`a1 ${day(1)}`]: 1,
    });
    expect(await fixture.impressions({ ...ads, within: { level: 'ad', ids: ['a1', 'a9'] } })).toEqual({
      [`a1 ${day(1)}`]: 1,
    });
    expect(readsOf(fixture)).toHaveLength(1);
    await fixture.ask();
    expect(readsOf(fixture)).toHaveLength(1);
    const [row] = (await fixture.ask({ ...ads, within: { level: 'ad', ids: ['a1'] } })).rows;
    expect(row).toMatchObject({ campaignId: 'c1', adSetId: 's1' });
  });

  it('are left for a read by parent if the platform does not report the parents', async () => {
    const fixture = await createReportFixture(store);
    fixture.platform.set('a1', fixture.day(1), 1);
    const within = { level: 'campaign' as const, ids: ['c1'] };
    await fixture.ask({ level: 'ad', within });
    expect(fixture.platform.reads.map((query) => query.within)).toEqual([undefined, within]);
    await fixture.ask({ level: 'ad', within });
    expect(fixture.platform.reads).toHaveLength(2);
  });
});

describe('days outside the retention', () => {
  it('are named, and a range of nothing else is rejected with the first day', async () => {
    const fixture = await createReportFixture(store);
    const { day, ask } = fixture;
    // Platform A keeps figures for 1110 days.
    const first = day(1110);
    const { missing } = await ask({ granularity: 'total', fromDate: day(1112), toDate: day(1108) });
    expect(missing).toEqual([{ fromDate: day(1112), toDate: day(1111), reason: 'outside_retention' }]);
    expect(fixture.platform.reads).toMatchObject([{ fromDate: first, toDate: day(1108) }]);
    await expect(ask({ fromDate: day(1112), toDate: day(1111) })).rejects.toMatchObject({
      code: 'invalid_field_value',
      extras: { details: { earliest: first } },
    });
  });

  it('are read as a whole if the platform still has them, and not stored by day', async () => {
    const fixture = await createReportFixture(store);
    const range = { granularity: 'total', fromDate: fixture.day(900), toDate: fixture.day(890) } as const;
    await fixture.ask(range);
    await fixture.ask(range);
    expect(fixture.platform.reads).toMatchObject([{ granularity: 'total', fromDate: fixture.day(900) }]);
    const stored = { _id: { $gte: fixture.account._id, $lt: `${fixture.account._id};` } };
    expect(await fixture.ctx.db.adFigureCoverage.countDocuments(stored)).toBe(0);
    expect(await fixture.ctx.db.adFigureReads.countDocuments(stored)).toBe(1);
  });
});

describe('reach and breakdowns', () => {
  it.each([
    ['day', 'granularity'],
    ['total', 'campaignIds'],
  ] as const)('of too many rows by %s are 400, which names %s', async (granularity, param) => {
    const fixture = await createReportFixture(store);
    fixture.platform.set('c1', fixture.day(0), 5);
    fixture.ctx.reportLimits = { maxResultBytes: 10 };
    await expect(fixture.ask({ breakdowns: ['age'], granularity })).rejects.toMatchObject({
      code: 'invalid_field_value',
      extras: { param },
      message: expect.stringContaining('1 rows, more than can be kept'),
    });
  });

  it('of too many rows of an ad account are 400, which names breakdowns', async () => {
    const fixture = await createReportFixture(store);
    fixture.platform.set('c1', fixture.day(0), 5);
    fixture.ctx.reportLimits = { maxResultBytes: 10 };
    const read = fixture.ask({ level: 'account', breakdowns: ['age'], granularity: 'total' });
    await expect(read).rejects.toMatchObject({
      extras: { param: 'breakdowns' },
      message: expect.stringContaining('must be fewer'),
    });
  });

  it('are read for the exact request and kept for 15 minutes with today, else an hour, and a day if they are final', async () => {
    const fixture = await createReportFixture(store);
    const { platform, day, ask, pass } = fixture;
    platform.set('c1', day(41), 5);
    const reach = { withReach: true, granularity: 'total' as const };
    for (const [toDate, seconds] of [
      [day(0), minutes(15)],
      [day(1), hours(1)],
      [day(40), hours(24)],
    ] as const) {
      const range = { ...reach, fromDate: day(45), toDate };
      await ask(range);
      pass(seconds - 1);
      const { rows } = await ask(range);
      expect(rows).toEqual([{ platformId: 'c1', figures: { impressions: 1n, reach: 1n } }]);
      expect(readsOf(fixture)).toHaveLength(1);
      pass(1);
      await ask({ ...range });
      expect(readsOf(fixture)).toHaveLength(1);
    }
    expect(
      await fixture.ctx.db.adFigures.countDocuments({
        _id: { $gte: fixture.account._id, $lt: `${fixture.account._id};` },
      }),
    ).toBe(0);
  });

  it('are not mixed up with those of another request', async () => {
    const fixture = await createReportFixture(store);
    await fixture.ask({ breakdowns: ['age'] });
    await fixture.ask({ breakdowns: ['gender'] });
    await fixture.ask({ breakdowns: ['age'], granularity: 'total' });
    await fixture.ask({ breakdowns: ['age'] });
    expect(fixture.platform.reads).toHaveLength(3);
  });
});
