import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/telemetry/log.ts';
import { connectDb } from '../../src/models/db.ts';
import type { Figures } from '../../src/platforms/platform.ts';
import { AdReportInput } from '../../src/contract/report-input.ts';
import { adReport, adReportCsv } from '../../src/services/reports/ad-report.ts';
import { idsUnder, levelId } from '../../src/services/reports/figure-target.ts';
import { readFigures } from '../../src/services/reports/read-figures.ts';
import { createHold } from '../../src/services/reports/report-memory.ts';
import { createReportFixture } from '../services/reports/fixture.ts';
import { startStoreProcess } from './support/load.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 60);
const [campaigns, days] = [500, 90];

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const store = process.env['MONGODB_URI'] ? undefined : await startStoreProcess(dataDir);
const db = await connectDb(store?.uri ?? process.env['MONGODB_URI'] ?? '', createLog('silent'));
const fixture = await createReportFixture({ db, stop: () => db.close() });
const { platform, day, ask, work } = fixture;

const figuresOf = (campaign: number, age: number): Figures => {
  const n = BigInt(campaign * 97 + age * 31 + 1000);
  return {
    spend: n * 12_345n,
    impressions: n * 21n,
    clicks: n,
    linkClicks: n / 2n,
    purchases: (n % 9n) * 1_000_000n,
    purchaseValue: (n % 9n) * 49_990_000n,
    leads: 0n,
    engagement: n * 2n,
    videoViews: n * 3n,
    videoPlays: n * 4n,
    events: { purchase: { count: (n % 9n) * 1_000_000n, value: (n % 9n) * 49_990_000n } },
  };
};
platform.rowsPerPage = 1000;
for (let campaign = 0; campaign < campaigns; campaign++)
  platform.figures.set(
    `${120_000_000_000_000 + campaign}`,
    new Map(Array.from({ length: days }, (_, age) => [day(age), figuresOf(campaign, age)])),
  );
const range = { fromDate: day(days - 1), toDate: day(0) };
await ask(range);
await work();

const timed = async <T>(run: () => Promise<T>): Promise<{ ms: number; value: T }> => {
  const started = performance.now();
  const value = await run();
  return { ms: performance.now() - started, value };
};
const at = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;

function memory(): number {
  global.gc?.();
  return process.memoryUsage().rss;
}

/** The stored months of the level, as one find returns them. */
const find = () => db.adFigures.find({ _id: idsUnder(levelId(fixture.request())) }).lean();

/** A read of the report, and beside it one find of the months that it rests on, in turns. */
async function compare(name: string, run: () => Promise<number>): Promise<void> {
  const [ours, bare]: [number[], number[]] = [[], []];
  let shown = 0;
  for (let round = -10; round < rounds; round++) {
    const report = await timed(run);
    const found = await timed(find);
    shown = report.value;
    if (found.value.length < campaigns * 3) throw new Error(`Only ${found.value.length} months are stored`);
    if (round < 0) continue;
    ours.push(report.ms);
    bare.push(found.ms);
  }
  const show = (share: number): string =>
    `${at(ours, share).toFixed(1)} / ${at(bare, share).toFixed(1)} ms = ${(at(ours, share) / at(bare, share)).toFixed(2)}`;
  process.stdout.write(`${name}: ${shown}, p50 ${show(0.5)}, p99 ${show(0.99)}\n`);
}

const { ctx } = fixture;
await db.accounts.updateOne({ _id: fixture.account._id }, { $set: { adAccountsAt: ctx.clock.now() } });
const input = AdReportInput.parse({ accountId: fixture.account._id, level: 'campaign', ...range, granularity: 'day' });
/** Writes a file and throws it away, piece by piece; returns its bytes. */
async function csv(): Promise<number> {
  const file = await adReportCsv(ctx, input);
  if (!('content' in file)) throw new Error('The report is incomplete');
  let bytes = 0;
  for await (const piece of file.content) bytes += piece.length;
  return bytes;
}

process.stdout.write(
  `Report: ${campaigns} campaigns, ${days} days, beside one find of the stored months, ${rounds} rounds, ${cpus().length} cores\n`,
);
await compare(
  'rows by day',
  async () => (await readFigures(ctx, fixture.request(range), createHold(undefined))).rows.length,
);
await compare('first page as JSON, by day', async () => {
  const report = await adReport(ctx, { ...input, granularity: 'day' });
  if (!report.isComplete || report.rows.length !== 100) throw new Error('The report is incomplete');
  return JSON.stringify(report).length;
});
await compare('CSV, by day', csv);
await compare(
  'totals',
  async () =>
    (await readFigures(ctx, fixture.request({ ...range, granularity: 'total' }), createHold(undefined))).rows.length,
);
const idle = memory();
let most = idle;
const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
for (let file = 0; file < 5; file++) {
  await csv();
  global.gc?.();
}
clearInterval(watch);
process.stdout.write(`CSV: ${((most - idle) / 1e6).toFixed(0)} MB above idle\n`);
await db.close();
await store?.stop();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
