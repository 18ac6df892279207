import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDb, type Db } from '../../../src/models/db.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { disconnectAccount } from '../../../src/services/accounts/disconnect-account.ts';
import { readFigures } from '../../../src/services/reports/read-figures.ts';
import { createHold } from '../../../src/services/reports/report-memory.ts';
import { readStored } from '../../../src/services/reports/stored-figures.ts';
import { idsUnder } from '../../../src/services/reports/figure-target.ts';
import { exportUser } from '../../../src/services/users/export-user.ts';
import { openStore, type Store } from '../ads/fixture.ts';
import { namedRows } from './figures.ts';
import { createBarrier, createReportFixture, type ReportFixture } from './fixture.ts';
import { mortalDb } from './mortal.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

/** The last days of one month and the first of the next. */
const [fromDate, toDate] = ['2999-01-30', '2999-02-02'];
const hold = createHold(undefined, 'reads');
const days = ['2999-01-30', '2999-01-31', '2999-02-01', '2999-02-02'];

/** What the platform shows at the time of a read: `c1` changes, `c2` is gone in the second version, `c3` is new in it. */
function show({ platform }: ReportFixture, version: number): void {
  platform.figures.clear();
  for (const day of days) {
    platform.set('c1', day, version);
    platform.set(version === 2 ? 'c3' : 'c2', day, 10 * version);
  }
}

const expected = (version: number, month: string): Record<string, number> =>
  Object.fromEntries(
    days
      .filter((day) => day.startsWith(month))
      .flatMap((day) => [
        [`c1 ${day}`, version],
        [`${version === 2 ? 'c3' : 'c2'} ${day}`, 10 * version],
      ]),
  );

/** What is stored, by month, without a read of the platform. */
async function stored({ ctx, request }: ReportFixture): Promise<Record<string, Record<string, number>>> {
  const target = { ...request(), version: 1 };
  const { rows } = await readStored(ctx, target, { fromDate, toDate, granularity: 'day' }, { hold });
  const months: Record<string, Record<string, number>> = { '2999-01': {}, '2999-02': {} };
  for (const { platformId, date = '', figures } of namedRows(rows)) {
    const month = months[date.slice(0, 7)];
    if (month) month[`${platformId} ${date}`] = Number(figures.impressions);
  }
  return months;
}

async function fixtureAt(): Promise<ReportFixture> {
  const fixture = await createReportFixture(store);
  fixture.pass(2 * 86_400);
  fixture.platform.rowsPerPage = 3;
  return fixture;
}

const readWith = (fixture: ReportFixture, db: Db) =>
  readFigures({ ...fixture.ctx, db }, fixture.request({ fromDate, toDate, maxAgeSeconds: 60 }), hold);

async function momentsOfARead(): Promise<number> {
  const fixture = await fixtureAt();
  show(fixture, 1);
  await fixture.ask({ fromDate, toDate });
  fixture.pass(120);
  const life = mortalDb(fixture.ctx.db, Number.POSITIVE_INFINITY);
  await readWith(fixture, life.db);
  return life.moments();
}

describe('a process that is killed while it stores figures', () => {
  it('leaves those of the read before or its own, and never adds to a later read', async () => {
    const moments = await momentsOfARead();
    expect(moments).toBeGreaterThan(14);
    const seen = new Set<string>();
    for (let lived = 0; lived < moments; lived += 1) {
      const fixture = await fixtureAt();
      show(fixture, 1);
      await fixture.ask({ fromDate, toDate });
      show(fixture, 2);
      fixture.pass(120);
      const life = mortalDb(fixture.ctx.db, lived);
      const dying = readWith(fixture, life.db).catch(() => undefined);
      await life.died;
      const after = await stored(fixture);
      for (const [month, figures] of Object.entries(after)) {
        const version = figures[`c1 ${days.find((day) => day.startsWith(month))}`] ?? 0;
        expect({ lived, figures }).toEqual({ lived, figures: expected(version, month) });
        seen.add(`${month} ${version}`);
      }
      // Its lease has expired, and another process reads.
      show(fixture, 3);
      fixture.pass(120);
      await readWith(fixture, fixture.ctx.db);
      const renewed = { '2999-01': expected(3, '2999-01'), '2999-02': expected(3, '2999-02') };
      expect(await stored(fixture)).toEqual(renewed);
      life.resume();
      await dying;
      expect({ lived, after: await stored(fixture) }).toEqual({ lived, after: renewed });
    }
    expect([...seen].toSorted()).toEqual(['2999-01 1', '2999-01 2', '2999-02 1', '2999-02 2']);
  });

  it('leaves no day as read that it has not read to its end', async () => {
    const fixture = await fixtureAt();
    show(fixture, 1);
    fixture.platform.failures.push({ fault: 'unavailable', afterPages: 2 });
    await expect(fixture.ask({ fromDate, toDate })).rejects.toMatchObject({ code: 'platform_api_error', status: 502 });
    expect(await stored(fixture)).toEqual({ '2999-01': {}, '2999-02': {} });
    await fixture.ask({ fromDate, toDate });
    expect(await stored(fixture)).toEqual({ '2999-01': expected(1, '2999-01'), '2999-02': expected(1, '2999-02') });
  });
});

describe('figures that are read again and again', () => {
  it('take no more room than two versions of a day', async () => {
    const fixture = await fixtureAt();
    const sizes: number[] = [];
    for (let reads = 0; reads < 4; reads += 1) {
      show(fixture, 1);
      await readWith(fixture, fixture.ctx.db);
      fixture.pass(120);
      const stored = await fixture.ctx.db.adFigures.find({ _id: idsUnder(fixture.account._id) }, { days: 1 }).lean();
      sizes.push(stored.reduce((sum, { days: bytes }) => sum + bytes.length(), 0));
    }
    const [once = 0, ...again] = sizes;
    expect(again).toEqual([2 * once, 2 * once, 2 * once]);
  });
});

describe('a read while figures are replaced', () => {
  it('shows one read or the other, also if two more ended since it looked at the coverage', async () => {
    const fixture = await fixtureAt();
    show(fixture, 1);
    await fixture.ask({ fromDate, toDate });
    const { ctx, request } = fixture;
    let isFirst = true;
    const renew = async (version: number): Promise<void> => {
      show(fixture, version);
      fixture.pass(120);
      await readWith(fixture, ctx.db);
    };
    const slow = new Proxy(ctx.db.adFigures, {
      get(target, name) {
        if (name !== 'find' || !isFirst) return Reflect.get(target, name) as unknown;
        return (...args: Parameters<typeof target.find>) => {
          const query = target.find(...args);
          const lean = query.lean.bind(query);
          return Object.assign(query, {
            lean: async () => {
              isFirst = false;
              await renew(2);
              await renew(3);
              return lean();
            },
          });
        };
      },
    });
    const services = { ...ctx, db: { ...ctx.db, adFigures: slow } };
    const query = { fromDate, toDate, granularity: 'total' } as const;
    const { rows } = await readStored(services, { ...request(), version: 1 }, query, { hold });
    const sums = new Map(namedRows(rows).map(({ platformId, figures }) => [platformId, figures.impressions]));
    expect(sums).toEqual(
      new Map([
        ['c1', 12n],
        ['c2', 120n],
      ]),
    );
  });
});

describe('requests at the same time', () => {
  it('share one read of the platform, in two processes', async () => {
    const fixture = await fixtureAt();
    show(fixture, 1);
    const barrier = createBarrier();
    fixture.platform.beforePage = () => barrier.opened;
    const other = await openStoreAgain();
    const all = [fixture.ctx, fixture.ctx, { ...fixture.ctx, db: other.db }].map((ctx) =>
      readFigures(ctx, fixture.request({ fromDate, toDate }), hold),
    );
    await expect.poll(() => fixture.platform.reads.length).toBe(1);
    barrier.open();
    const [first, ...rest] = await Promise.all(all);
    expect(first?.rows).toHaveLength(8);
    for (const one of rest) expect(one).toEqual(first);
    expect(fixture.platform.reads).toHaveLength(1);
    await other.stop();
  });
});

describe('figures without coverage', () => {
  it('are not shown, and do not keep a report from the months that are covered', async () => {
    const fixture = await fixtureAt();
    const { ctx, ask, platform } = fixture;
    platform.set('c1', '2998-11-30', 4);
    platform.set('c1', '2998-12-15', 5);
    platform.set('c1', '2999-01-01', 6);
    for (const day of ['2998-11-30', '2998-12-15', '2999-01-01']) await ask({ fromDate: day, toDate: day });
    await ctx.db.adFigureCoverage.deleteOne({ _id: `${fixture.account._id}:act_1:campaign:2998-12` });
    const target = { ...fixture.request(), version: 1 };
    const query = { fromDate: '2998-11-30', toDate: '2999-01-01', granularity: 'day' as const };
    const { rows } = await readStored(ctx, target, query, { hold });
    expect(namedRows(rows).map(({ date, figures }) => [date, figures.impressions])).toEqual([
      ['2998-11-30', 4n],
      ['2999-01-01', 6n],
    ]);
  });
});

describe('a read that takes longer than a request waits', () => {
  it('goes on, is stored, and serves the next request', async () => {
    const fixture = await fixtureAt();
    show(fixture, 1);
    const barrier = createBarrier();
    fixture.platform.beforePage = () => barrier.opened;
    fixture.ctx.platformWaitMs = 1;
    const range = { fromDate, toDate };
    expect(await fixture.ask(range)).toMatchObject({
      rows: [],
      missing: [{ ...range, reason: 'loading' }],
      retryAfterSeconds: 15,
    });
    barrier.open();
    await expect.poll(() => stored(fixture)).toMatchObject({ '2999-02': expected(1, '2999-02') });
    expect(await fixture.ask(range)).toMatchObject({ missing: [], warnings: [] });
    expect(fixture.platform.reads).toHaveLength(1);
  });
});

describe('disconnecting an account', () => {
  it('deletes all of its figures, also those that a read under way stores afterwards, and connecting it again works', async () => {
    const fixture = await fixtureAt();
    const { ctx, account, platform } = fixture;
    show(fixture, 1);
    await fixture.ask({ fromDate, toDate });
    await fixture.ask({ withReach: true });
    await fixture.ask({ fromDate: '2998-06-01', toDate: '2998-12-31' });
    const collections = (
      ['adFigures', 'adFigureCoverage', 'adFigureReads', 'adFigureJobs', 'adFigureSources'] as const
    ).map((name) => ctx.db[name] as Db['adFigures']);
    const counts = () => Promise.all(collections.map((one) => one.countDocuments({ _id: idsUnder(account._id) })));
    expect((await counts()).every((count) => count > 0)).toBe(true);
    const neighbour = await fixtureAt();
    show(neighbour, 1);
    await neighbour.ask({ fromDate, toDate });
    fixture.pass(3600);
    const barrier = createBarrier();
    platform.beforePage = () => barrier.opened;
    const reading = fixture.ask({ fromDate, toDate, maxAgeSeconds: 60 }).catch((error: unknown) => error);
    await expect.poll(() => platform.reads.length).toBe(3);
    await disconnectAccount(ctx, { accountId: account._id });
    barrier.open();
    await reading;
    expect(await counts()).toEqual([0, 0, 0, 0, 0]);
    expect(await stored(neighbour)).toMatchObject({ '2999-02': expected(1, '2999-02') });
    await ctx.db.accounts.updateOne({ _id: account._id }, { $set: account });
    show(fixture, 2);
    expect(Object.keys(await fixture.impressions({ fromDate, toDate }))).toHaveLength(8);
  });
});

async function openStoreAgain(): Promise<{ db: Db; stop: () => Promise<void> }> {
  const { host, port, name } = store.db.users.db;
  const db = await connectDb(`mongodb://${host}:${port}/${name}`, createLog('silent'));
  return { db, stop: () => db.close() };
}

describe('the export of a user', () => {
  it('shows stored figures and results as numbers', async () => {
    const fixture = await fixtureAt();
    show(fixture, 1);
    await fixture.ask({ fromDate, toDate });
    await fixture.ask({ fromDate, toDate, withReach: true, granularity: 'total' });
    const exported: { collection: string; document: unknown }[] = [];
    await exportUser(fixture.ctx, fixture.ctx.caller.userId, async (collection, document) => {
      exported.push({ collection, document: JSON.parse(JSON.stringify(document)) });
    });
    const inCollection = (name: string) =>
      exported.filter((one) => one.collection === name).map(({ document }) => document);
    const id = `${fixture.account._id}:act_1:campaign:2999-01:c1`;
    expect(inCollection('adFigures')).toContainEqual(
      expect.objectContaining({
        _id: id,
        days: [30, 31].map((day) => ({ day, read: expect.any(Number), figures: { spend: '7', impressions: '1' } })),
      }),
    );
    expect(inCollection('adFigureReads')).toEqual([
      expect.objectContaining({
        rows: expect.arrayContaining([{ platformId: 'c1', figures: { impressions: '1', reach: '4' } }]),
      }),
    ]);
    expect(inCollection('adFigureCoverage')).toHaveLength(2);
  });
});
