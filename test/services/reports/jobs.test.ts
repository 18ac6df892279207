import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { closeRestored } from '../../../src/services/backup/close-restored.ts';
import { daysFrom } from '../../../src/lib/calendar-days.ts';
import { levelId } from '../../../src/services/reports/figure-target.ts';
import { dueJobs } from '../../../src/services/reports/jobs/job-store.ts';
import { requestDueRefreshes } from '../../../src/services/reports/jobs/refresh-schedule.ts';
import { runFigureJob } from '../../../src/services/reports/jobs/run-job.ts';
import { commandsOf, openStore, type Store } from '../ads/fixture.ts';
import { createBarrier, createReportFixture, type ReportFixture } from './fixture.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const days = (count: number): number => count * 86_400;
const quarter = ({ day }: ReportFixture) => ({ fromDate: day(89), toDate: day(0) });

/** Figures on the first and last day of 90. */
async function quarterFixture(): Promise<ReportFixture> {
  const fixture = await createReportFixture(store);
  fixture.platform.set('c1', fixture.day(89), 1);
  fixture.platform.set('c1', fixture.day(0), 2);
  return fixture;
}

/** Runs jobs until none waits, whatever time that takes. */
async function workToTheEnd(fixture: ReportFixture): Promise<void> {
  for (let rounds = 0; rounds < 50; rounds += 1) {
    await fixture.work();
    const waiting = (await fixture.jobs()).flatMap(({ runAt }) => runAt ?? []);
    if (waiting.length === 0) return;
    const first = Math.min(...waiting.map((at) => at.getTime()));
    fixture.pass(Math.max(0, (first - fixture.ctx.clock.now().getTime()) / 1000) + 1);
  }
  throw new Error('The jobs do not end');
}

describe('a range of more than 31 days', () => {
  it('is read in the background, month by month from the newest, and is returned as far as it has been read', async () => {
    const fixture = await quarterFixture();
    const { platform, ask, day } = fixture;
    const first = await ask(quarter(fixture));
    expect(first).toEqual({
      rows: [],
      fetchedAt: null,
      changesFrom: day(89),
      missing: [{ ...quarter(fixture), reason: 'loading' }],
      warnings: [],
      retryAfterSeconds: 15,
      progress: { done: 0, total: 0 },
    });
    expect(platform.reads).toEqual([]);
    await workToTheEnd(fixture);
    expect(platform.reads.map(({ fromDate, toDate }) => `${fromDate}..${toDate}`)).toEqual([
      '2999-01-01..2999-01-31',
      '2998-12-01..2998-12-31',
      '2998-11-03..2998-11-30',
    ]);
    expect(await fixture.impressions(quarter(fixture))).toEqual({ [`c1 ${day(89)}`]: 1, [`c1 ${day(0)}`]: 2 });
    expect(await ask(quarter(fixture))).toMatchObject({ missing: [], warnings: [] });
    expect(await fixture.jobs()).toMatchObject([{ state: 'completed', progress: { done: 90, total: 90 }, step: null }]);
  });

  it('is read once for requests at the same time, and a later request extends the job', async () => {
    const fixture = await quarterFixture();
    const { ask, day } = fixture;
    await Promise.all([
      ask(quarter(fixture)),
      ask(quarter(fixture)),
      ask({ ...quarter(fixture), granularity: 'total' }),
    ]);
    await ask({ fromDate: day(120), toDate: day(40) });
    expect(await fixture.jobs()).toMatchObject([{ fromDate: day(120), toDate: day(0) }]);
    await workToTheEnd(fixture);
    expect(fixture.platform.reads.map(({ toDate }) => toDate)).toEqual([
      '2999-01-31',
      '2998-12-31',
      '2998-11-30',
      '2998-10-31',
    ]);
  });

  it('is gone on with where it was after the process was killed', async () => {
    const fixture = await quarterFixture();
    const { platform, ask, ctx } = fixture;
    await ask(quarter(fixture));
    const barrier = createBarrier();
    platform.beforePage = async () => {
      if (platform.reads.length === 2) await barrier.opened;
    };
    platform.set('c1', '2998-12-05', 7);
    const [due] = await dueJobs(ctx).then((all) => all.filter(({ _id }) => _id.startsWith(fixture.account._id)));
    const killed = runFigureJob(ctx, due?._id ?? '');
    await expect.poll(() => platform.reads.length).toBe(2);
    expect(await ask(quarter(fixture))).toMatchObject({
      missing: [{ fromDate: fixture.day(89), toDate: '2998-12-31', reason: 'loading' }],
      progress: { done: 31, total: 90 },
      warnings: ['Newer figures are being read; these are from the last read'],
    });
    // Its leases expire.
    fixture.pass(61);
    platform.beforePage = async () => {};
    await workToTheEnd(fixture);
    expect(platform.reads.map(({ toDate }) => toDate)).toEqual([
      '2999-01-31',
      '2998-12-31',
      '2998-12-31',
      '2998-11-30',
    ]);
    barrier.open();
    await killed;
    expect(await fixture.impressions(quarter(fixture))).toMatchObject({ 'c1 2998-12-05': 7 });
    expect(await fixture.jobs()).toMatchObject([{ state: 'completed' }]);
  });

  it('does not delay small reads of the same ad account while its report is prepared', async () => {
    const fixture = await quarterFixture();
    const { platform, ask, day } = fixture;
    platform.jobs.needs = ({ fromDate, toDate }) => daysFrom(fromDate, toDate) > 7;
    platform.jobs.states = Array.from({ length: 9 }, () => ({ status: 'running' as const }));
    await ask(quarter(fixture));
    await fixture.work();
    expect(await fixture.jobs()).toMatchObject([{ step: { tokens: ['report-1'] } }]);
    expect(await ask()).toMatchObject({ missing: [], warnings: [] });
    expect(platform.reads).toMatchObject([{ fromDate: day(6), toDate: day(0) }]);
  });
});

describe('a report that the platform prepares', () => {
  const prepared = async (): Promise<ReportFixture> => {
    const fixture = await createReportFixture(store);
    fixture.platform.set('c1', fixture.day(1), 5);
    fixture.platform.jobs.needs = () => true;
    return fixture;
  };

  it('is requested, asked for until it is finished, fetched and stored as of the time of its request', async () => {
    const fixture = await prepared();
    const { platform, ask, day } = fixture;
    const requestedAt = fixture.ctx.clock.now();
    expect(await ask()).toMatchObject({ missing: [{ fromDate: day(6), toDate: day(0), reason: 'loading' }] });
    platform.jobs.states = [{ status: 'running' }, { status: 'running', percent: 50 }];
    await workToTheEnd(fixture);
    expect(platform.jobs).toMatchObject({ polled: ['report-1', 'report-1', 'report-1'], fetched: ['report-1'] });
    expect(platform.reads).toEqual([]);
    const result = await ask({ maxAgeSeconds: 3600 });
    expect(result).toMatchObject({ missing: [], warnings: [], fetchedAt: requestedAt });
    expect(result.rows).toHaveLength(1);
  });

  it('is requested again if it fails or its file has expired, but not more than twice', async () => {
    const fixture = await prepared();
    const { platform, ask, work } = fixture;
    platform.jobs.states = [{ status: 'failed', reason: 'FAILED' }, 'not_found'];
    await ask();
    await workToTheEnd(fixture);
    expect(platform.jobs.started).toHaveLength(3);
    expect(platform.jobs.fetched).toEqual(['report-3']);
    expect(await ask({ maxAgeSeconds: 3600 })).toMatchObject({ missing: [] });

    const other = await prepared();
    other.platform.jobs.states = Array.from({ length: 9 }, () => ({ status: 'failed' as const, reason: 'FAILED' }));
    await other.ask();
    await workToTheEnd(other);
    expect(other.platform.jobs.started).toHaveLength(3);
    await expect(other.ask()).rejects.toMatchObject({
      code: 'platform_api_error',
      status: 502,
      message: 'The platform failed to prepare the report 3 times',
      extras: { retryAfterSeconds: 300 },
    });
    expect(await other.work()).toBe(0);
    other.pass(300);
    other.platform.jobs.states = [];
    expect(await other.ask()).toMatchObject({ missing: [{ reason: 'loading' }] });
    await workToTheEnd(other);
    expect(await other.ask({ maxAgeSeconds: 3600 })).toMatchObject({ missing: [] });
    expect(await work()).toBe(0);
  });

  it('is prepared again if its file expires while it is fetched', async () => {
    const fixture = await prepared();
    fixture.platform.jobs.fetchFailures = ['not_found'];
    await fixture.ask();
    await workToTheEnd(fixture);
    expect(fixture.platform.jobs.fetched).toEqual(['report-1', 'report-2']);
  });

  it('is asked for by its name after a restart, and requested again if its name is not known', async () => {
    const fixture = await prepared();
    const { platform, ask, ctx, work } = fixture;
    platform.jobs.states = [{ status: 'running' }];
    await ask();
    await work();
    expect((await fixture.jobs())[0]?.step).toMatchObject({ tokens: ['report-1'], starts: 1 });
    await ctx.db.adFigureJobs.updateOne({ _id: levelId(fixture.request()) }, { $unset: { 'step.tokens': 1 } });
    await workToTheEnd(fixture);
    expect(platform.jobs.started).toHaveLength(2);
    expect(platform.jobs.fetched).toEqual(['report-2']);
  });

  it('is not counted as requested if the platform certainly did not accept the request', async () => {
    const fixture = await prepared();
    fixture.platform.jobs.startFailures = ['rate_limited', 'rate_limited', 'rate_limited', 'rate_limited'];
    await fixture.ask();
    await workToTheEnd(fixture);
    expect(fixture.platform.jobs.started).toHaveLength(5);
    expect(fixture.platform.jobs.fetched).toEqual(['report-5']);
  });

  it('is prepared for a breakdown too, whose result is kept for a short time only', async () => {
    const fixture = await prepared();
    const { platform, ask, pass } = fixture;
    const breakdown = { breakdowns: ['age'] as const, granularity: 'total' as const };
    expect(await ask(breakdown)).toMatchObject({ missing: [{ reason: 'loading' }], retryAfterSeconds: 15 });
    await fixture.work();
    pass(2);
    await fixture.work();
    expect(platform.jobs.fetched).toEqual(['report-1']);
    expect(await ask(breakdown)).toMatchObject({ missing: [], rows: [{ platformId: 'c1' }] });
    pass(900);
    expect(await ask(breakdown)).toMatchObject({ rows: [], missing: [{ reason: 'loading' }] });
  });
});

describe('a platform that cannot be read', () => {
  it.each([
    [
      'rate_limited',
      { retryAfterSeconds: 90 },
      { code: 'rate_limited', status: 429, extras: { retryAfterSeconds: 90 } },
    ],
    ['unavailable', { status: 503 }, { code: 'platform_api_error', status: 502 }],
    ['auth_expired', {}, { code: 'platform_token_expired', status: 401 }],
    ['rejected', { missingScopes: ['r_ads'] }, { code: 'missing_platform_permission', status: 422 }],
  ] as const)('and says %s is an error if nothing is stored', async (fault, upstream, error) => {
    const fixture = await createReportFixture(store);
    fixture.platform.failures.push({
      fault,
      upstream: { ...upstream, missingScopes: 'missingScopes' in upstream ? [...upstream.missingScopes] : undefined },
    });
    await expect(fixture.ask()).rejects.toMatchObject(error);
  });

  it.each([
    ['rate_limited', 'Reads of the platform are limited at the moment; these figures are from the last read', 90],
    ['unavailable', 'The platform could not be read; these figures are from the last successful read', undefined],
  ] as const)('and says %s leaves the stored figures, with a warning', async (fault, warning, retryAfterSeconds) => {
    const fixture = await createReportFixture(store);
    const { platform, day, ask, pass } = fixture;
    platform.set('c1', day(1), 5);
    const before = await ask({ fromDate: day(3), toDate: day(0) });
    pass(days(1) / 24);
    platform.failures.push({ fault, upstream: { retryAfterSeconds: 90 } });
    const after = await ask({ fromDate: day(4), toDate: day(0) });
    expect(after).toMatchObject({
      rows: before.rows,
      fetchedAt: before.fetchedAt,
      missing: [{ fromDate: day(4), toDate: day(4), reason: fault === 'rate_limited' ? fault : 'failed' }],
      warnings: [warning],
    });
    expect(after.retryAfterSeconds).toBe(retryAfterSeconds);
  });

  it('delays a job as long as the platform says', async () => {
    const fixture = await quarterFixture();
    fixture.platform.failures.push({ fault: 'rate_limited', upstream: { retryAfterSeconds: 600 } });
    await fixture.ask(quarter(fixture));
    await fixture.work();
    await expect(fixture.ask(quarter(fixture))).rejects.toMatchObject({
      code: 'rate_limited',
      extras: { retryAfterSeconds: 600 },
    });
    fixture.pass(599);
    expect(await fixture.work()).toBe(0);
    fixture.pass(1);
    await workToTheEnd(fixture);
    expect(await fixture.ask(quarter(fixture))).toMatchObject({ missing: [], warnings: [] });
  });

  it('ends a job after three failures, at once if only a person can help', async () => {
    const fixture = await quarterFixture();
    fixture.platform.failures.push(...Array.from({ length: 3 }, () => ({ fault: 'unavailable' as const })));
    await fixture.ask(quarter(fixture));
    await workToTheEnd(fixture);
    expect(await fixture.jobs()).toMatchObject([{ state: 'failed', attempts: 3 }]);
    await expect(fixture.ask(quarter(fixture))).rejects.toMatchObject({ code: 'platform_api_error' });
    const other = await quarterFixture();
    other.platform.failures.push({ fault: 'auth_expired' });
    await other.ask(quarter(other));
    await other.work();
    expect(await other.jobs()).toMatchObject([{ state: 'failed', error: { code: 'platform_token_expired' } }]);
  });

  it('leaves the rest of its quota to requests while three quarters are used', async () => {
    const fixture = await quarterFixture();
    fixture.platform.jobs.usedPercent = 75;
    await fixture.ask(quarter(fixture));
    await fixture.work();
    expect(fixture.platform.reads).toEqual([]);
    await fixture.ask({ level: 'ad' });
    expect(fixture.platform.reads).toHaveLength(1);
    fixture.platform.jobs.usedPercent = 74;
    fixture.pass(120);
    await workToTheEnd(fixture);
    expect(fixture.platform.reads).toHaveLength(4);
  });
});

describe('reads within requests', () => {
  it('are limited for each user; stored figures are not', async () => {
    const fixture = await createReportFixture(store);
    const { ctx, ask, platform } = fixture;
    await ask();
    const users: string[] = [];
    ctx.reserveFigureRead = async (userId) => {
      users.push(userId);
      return { isReserved: false, waitMs: 1500 };
    };
    expect(await ask()).toMatchObject({ warnings: [] });
    expect(users).toEqual([]);
    await expect(ask({ level: 'ad' })).rejects.toMatchObject({
      code: 'rate_limited',
      extras: { retryAfterSeconds: 2 },
    });
    fixture.pass(900);
    expect(await ask()).toMatchObject({
      missing: [],
      retryAfterSeconds: 2,
      warnings: [expect.stringContaining('limited')],
    });
    expect(users).toEqual([ctx.caller.userId, ctx.caller.userId]);
    expect(platform.reads).toHaveLength(1);
  });
});

describe('the daily read of recent days', () => {
  it('is requested with three commands, however many ad accounts are due, and only once by several processes', async () => {
    const fixture = await createReportFixture(store);
    const { ctx, account, ask, pass } = fixture;
    await ask();
    await ask({ level: 'ad' });
    const source = await store.db.adFigureSources.findOne({ accountId: account._id }).lean().orFail();
    const ids = Array.from({ length: 20 }, (_, at) => `${account._id}:other-${at}`);
    await store.db.adFigureSources.insertMany(ids.map((_id, at) => ({ ...source, _id, adAccountId: `other-${at}` })));
    pass(days(1));
    // Jobs that run already, as those of other tests may, take one command more.
    await store.db.adFigureJobs.deleteMany({});
    const commands = await commandsOf(store, () => requestDueRefreshes(ctx));
    expect(commands).toEqual(['find', 'update', 'update']);
    const requested = await fixture.jobs();
    expect(requested).toHaveLength(42);
    for (const job of requested)
      expect(job).toMatchObject({ state: 'running', requestedAt: ctx.clock.now(), attempts: 0 });
    // What runs already is extended.
    const { _id } = requested[0] ?? {};
    await store.db.adFigureJobs.updateOne({ _id }, { $set: { fromDate: fixture.day(2), attempts: 1 } });
    await store.db.adFigureSources.updateMany({ accountId: account._id }, { $set: { refreshAt: ctx.clock.now() } });
    await requestDueRefreshes(ctx);
    expect(await store.db.adFigureJobs.findOne({ _id }).lean()).toEqual({ ...requested[0], attempts: 1 });
    await store.db.adFigureSources.deleteMany({ _id: { $in: ids } });
    await store.db.adFigureJobs.deleteMany({ accountId: account._id });
  });

  it('extends a job that another process begins at the same moment', async () => {
    const fixture = await createReportFixture(store);
    const { ctx, account, ask, pass, day } = fixture;
    await ask();
    pass(days(1));
    const { adFigureJobs } = store.db;
    const write = adFigureJobs.collection.bulkWrite.bind(adFigureJobs.collection);
    const between = vi.spyOn(adFigureJobs.collection, 'bulkWrite').mockImplementationOnce((async (
      writes: { updateOne: { filter: { _id: string; state: unknown }; update: { $set: object } } }[],
      options: object,
    ) => {
      // No job ran when this process looked.
      const [start] = writes.filter(({ updateOne }) => updateOne.filter.state !== 'running');
      const { filter, update } = start!.updateOne;
      const job = { ...update.$set, _id: filter._id, fromDate: day(1), toDate: day(1) };
      await adFigureJobs.replaceOne({ _id: filter._id }, job, { upsert: true });
      return write([start] as never, options);
    }) as never);
    await requestDueRefreshes(ctx);
    between.mockRestore();
    const requested = await fixture.jobs();
    expect(requested).toMatchObject([{ state: 'running', toDate: day(1) }]);
    expect(requested[0]?.fromDate).not.toBe(day(1));
    await adFigureJobs.deleteMany({ accountId: account._id });
  });

  it('happens for levels that were asked for within 14 days, and begins again with the next request', async () => {
    const fixture = await createReportFixture(store);
    const { platform, ask, ctx, pass, account } = fixture;
    const start = ctx.clock.now().getTime();
    await ask();
    await ask({ level: 'ad' });
    const readAfter = async (seconds: number): Promise<string[]> => {
      platform.reads.length = 0;
      pass(seconds);
      await requestDueRefreshes(ctx);
      await workToTheEnd(fixture);
      return [...new Set(platform.reads.map(({ level }) => level))].toSorted();
    };
    const secondsUntil = (time: number): number => (time - ctx.clock.now().getTime()) / 1000;
    const readOnDay = (day: number): Promise<string[]> => readAfter(secondsUntil(start + days(day) * 1000));
    expect(await readOnDay(1)).toEqual(['ad', 'campaign']);
    const ranges = platform.reads.map(({ fromDate, toDate }) => [
      fromDate >= fixture.day(30),
      toDate <= fixture.day(0),
    ]);
    expect(ranges.flat()).not.toContain(false);
    // Each ad account has a time of its own, anywhere in the day.
    const { refreshAt } = (await ctx.db.adFigureSources.findOne({ accountId: account._id }).lean()) ?? {};
    const untilRefresh = secondsUntil(refreshAt?.getTime() ?? Number.NaN);
    expect(untilRefresh).toBeLessThanOrEqual(days(1));
    expect(await readAfter(untilRefresh - 0.001)).toEqual([]);
    expect(await readOnDay(13)).toEqual(['ad', 'campaign']);
    await ask();
    expect(await readOnDay(14.5)).toEqual(['campaign']);
    expect(await readAfter(days(14))).toEqual([]);
    await ask();
    expect(await readAfter(days(1))).toEqual(['campaign']);
  });
});

describe('a restored database', () => {
  it('has no jobs, because what platforms prepared has expired; the figures stay', async () => {
    const fixture = await quarterFixture();
    await fixture.ask();
    await fixture.ask({ ...quarter(fixture), level: 'ad' });
    expect(await fixture.jobs()).toHaveLength(1);
    await closeRestored(fixture.ctx);
    expect(await fixture.jobs()).toEqual([]);
    fixture.platform.reads.length = 0;
    expect(await fixture.ask()).toMatchObject({ missing: [] });
    expect(fixture.platform.reads).toEqual([]);
  });
});
