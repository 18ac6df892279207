import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/telemetry/log.ts';
import { connectDb } from '../../src/models/db.ts';
import { AdReportInput } from '../../src/contract/report-input.ts';
import { adReport, adReportCsv } from '../../src/services/reports/ad-report.ts';
import { idsUnder, levelId } from '../../src/services/reports/figure-target.ts';
import { readFigures } from '../../src/services/reports/read-figures.ts';
import { createHold } from '../../src/services/reports/report-memory.ts';
import { createReportFixture } from '../services/reports/fixture.ts';
import { figuresOf } from '../support/stored-figures.ts';
import { startStoreProcess } from './support/load.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 60);
const [campaigns, days] = [500, 90];

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const store = process.env['MONGODB_URI'] ? undefined : await startStoreProcess(dataDir);
const db = await connectDb(store?.uri ?? process.env['MONGODB_URI'] ?? '', createLog('silent'));
const fixture = await createReportFixture({ db, stop: () => db.close() });
const { platform, day, ask, work } = fixture;

platform.rowsPerPage = 1000;
for (let campaign = 0; campaign < campaigns; campaign++)
  platform.figures.set(
    `${120_000_000_000_000 + campaign}`,
    new Map(Array.from({ length: days }, (_, age) => [day(age), figuresOf(campaign, age)])),
  );
const range = { fromDate: day(days - 1), toDate: day(0) };
await ask(range);
await work();
// The service has only what it has stored.
platform.figures.clear();

interface Times {
  ms: number[];
  /** Of this process, without the store. */
  cpuMs: number[];
}

const noTimes = (): Times => ({ ms: [], cpuMs: [] });

async function timed<T>(times: Times, run: () => Promise<T>): Promise<T> {
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  const value = await run();
  const { user, system } = process.cpuUsage(cpu);
  times.ms.push(performance.now() - started);
  times.cpuMs.push((user + system) / 1000);
  return value;
}
const at = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;

/** The stored months of the level, as one find returns them. */
const find = () => db.adFigures.find({ _id: idsUnder(levelId(fixture.request())) }).lean();

/** A read of the report, and beside it one find of the months that it rests on, in turns. */
async function compare(name: string, run: () => Promise<number>): Promise<void> {
  const [ours, bare] = [noTimes(), noTimes()];
  let shown = 0;
  for (let round = -10; round < rounds; round++) {
    const isWarm = round >= 0;
    shown = await timed(isWarm ? ours : noTimes(), run);
    const found = await timed(isWarm ? bare : noTimes(), find);
    if (found.length < campaigns * 3) throw new Error(`Only ${found.length} months are stored`);
  }
  const show = (of: keyof Times, share: number): string => {
    const [own, other] = [at(ours[of], share), at(bare[of], share)];
    return `${own.toFixed(1)} / ${other.toFixed(1)} ms = ${(own / other).toFixed(2)}`;
  };
  process.stdout.write(
    `${name}: ${shown}, p50 ${show('ms', 0.5)}, p99 ${show('ms', 0.99)}, CPU p50 ${show('cpuMs', 0.5)}\n`,
  );
}

const { ctx } = fixture;
await db.accounts.updateOne({ _id: fixture.account._id }, { $set: { adAccountsAt: ctx.clock.now() } });
const input = AdReportInput.parse({ accountId: fixture.account._id, level: 'campaign', ...range, granularity: 'day' });
/** Reads a file piece by piece, as a response does, which keeps none of them. */
async function readCsv(use: (piece: string) => void): Promise<void> {
  const file = await adReportCsv(ctx, input);
  if (!('content' in file)) throw new Error('The report is incomplete');
  for await (const piece of file.content as AsyncIterable<string>) use(piece);
}
async function bytesOfCsv(): Promise<number> {
  let bytes = 0;
  await readCsv((piece) => (bytes += Buffer.byteLength(piece)));
  return bytes;
}

process.stdout.write(
  `Report: ${campaigns} campaigns, ${days} days, beside one find of the stored months, ${rounds} rounds, ${cpus().length} cores\n`,
);
await compare(
  'rows by day',
  async () => (await readFigures(ctx, fixture.request(range), createHold(undefined, 'reads'))).rows.length,
);
await compare('first page as JSON, by day', async () => {
  const report = await adReport(ctx, { ...input, granularity: 'day' });
  if (!report.isComplete || report.rows.length !== 100) throw new Error('The report is incomplete');
  return JSON.stringify(report).length;
});
await compare('CSV, by day', bytesOfCsv);
await compare(
  'totals',
  async () =>
    (await readFigures(ctx, fixture.request({ ...range, granularity: 'total' }), createHold(undefined, 'reads'))).rows
      .length,
);

/** The cells of the file, with numbers where they are numbers. */
let text = '';
await readCsv((piece) => (text += piece));
const cells = text
  .split('\r\n')
  .map((line) => line.split(',').map((text) => (text === '' || Number.isNaN(Number(text)) ? text : Number(text))));
/** What a file costs at least: the find, and a loop that writes cells which it has already. */
async function leastWork(): Promise<number> {
  await find();
  let bytes = 0;
  for (let row = 0; row < cells.length; row += 300)
    bytes += Buffer.from(
      cells
        .slice(row, row + 300)
        .map((line) => `${line.join(',')}\r\n`)
        .join(''),
    ).length;
  return bytes;
}

await compare('the find and a loop that writes the same cells', leastWork);
await db.close();
await store?.stop();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
