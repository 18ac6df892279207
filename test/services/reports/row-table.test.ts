import { afterAll, beforeAll, expect, it } from 'vitest';
import { AdReportInput } from '../../../src/contract/report-input.ts';
import { buildReport, type BuiltReport } from '../../../src/services/reports/build-report.ts';
import { csvOf } from '../../../src/services/reports/csv.ts';
import { createHold } from '../../../src/services/reports/report-memory.ts';
import { resolveReport } from '../../../src/services/reports/resolve.ts';
import { figuresOf } from '../../support/stored-figures.ts';
import { openStore, type Store } from '../ads/fixture.ts';
import { createReportFixture, type ReportFixture } from './fixture.ts';

const [campaigns, days] = [50, 28];
let store: Store;
let fixture: ReportFixture;

beforeAll(async () => {
  store = await openStore();
  fixture = await createReportFixture(store);
  const { ctx, platform, day, account, ask } = fixture;
  for (let campaign = 0; campaign < campaigns; campaign++)
    platform.figures.set(
      `c${campaign}`,
      new Map(Array.from({ length: days }, (_, age) => [day(age), figuresOf(campaign, age)])),
    );
  await ctx.db.accounts.updateOne({ _id: account._id }, { $set: { adAccountsAt: ctx.clock.now() } });
  await ask({ fromDate: day(days - 1), toDate: day(0) });
});
afterAll(() => store.stop());

async function build(length: number, sort?: string): Promise<BuiltReport> {
  const { ctx, day, account } = fixture;
  const input = AdReportInput.parse({
    accountId: account._id,
    level: 'campaign',
    granularity: 'day',
    fromDate: day(length - 1),
    toDate: day(0),
    sort,
  });
  const { source, named } = await resolveReport(ctx, input);
  return buildReport(ctx, { source, named, level: 'campaign', choice: input }, createHold(undefined, 'reads'));
}

/** How many objects something refers to, directly or through others. */
function objectsIn(root: object): number {
  const known = new Set<object>();
  const rest: unknown[] = [root];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value !== 'object' || value === null || known.has(value)) continue;
    known.add(value);
    if (ArrayBuffer.isView(value)) continue;
    rest.push(...(value instanceof Map ? [...value].flat() : Object.values(value)));
  }
  return known.size;
}

it.each([undefined, 'date', 'name', 'spend', 'conversions'])(
  'holds no object for a row of stored figures, sorted by %s',
  async (sort) => {
    const [one, other] = [await build(days, sort), await build(days / 2, sort)];
    expect([one.rows.length, other.rows.length]).toEqual([campaigns * days, (campaigns * days) / 2]);
    expect(objectsIn(one.rows)).toBe(objectsIn(other.rows));
  },
);

it('holds the bytes of its documents, not the message of the database that contained them', async () => {
  const { rows } = await build(days);
  const figures = Array.from({ length: rows.length }, (_, at) => rows.at(at)?.figures);
  const buffers = new Set(figures.map((one) => one && 'bytes' in one && one.bytes.buffer));
  const used = figures.reduce((sum, one) => sum + (one && 'bytes' in one ? one.end - one.start : 0), 0);
  expect(buffers.size).toBe(1);
  expect([...buffers].every((buffer) => buffer && buffer.byteLength < 2 * used)).toBe(true);
});

it('has no rows and no bytes after it is freed', async () => {
  const { rows } = await build(days);
  const { figures } = rows.at(0)!;
  expect('bytes' in figures && figures.bytes.length).toBeGreaterThan(0);
  rows.free();
  expect([rows.length, rows.at(0), 'bytes' in figures && figures.bytes.length]).toEqual([0, undefined, 0]);
});

it('leaves other requests a turn between two pieces of a file', async () => {
  let [pieces, turns] = [0, 0];
  for await (const _piece of csvOf(await build(days), true)) {
    expect(turns).toBe(pieces);
    pieces += 1;
    setImmediate(() => (turns += 1));
  }
  expect(pieces).toBeGreaterThan(3);
});
