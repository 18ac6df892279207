import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListActivityInput } from '../../src/contract/activity.ts';
import { ListAdsInput } from '../../src/contract/ad-list.ts';
import { ListDeliveriesInput } from '../../src/contract/delivery.ts';
import { ListCampaignsInput } from '../../src/contract/campaign.ts';
import { connectDb, type Db } from '../../src/models/db.ts';
import { adPage, listAds } from '../../src/services/ads/list-ads.ts';
import { activityPage } from '../../src/services/activity/list-activity.ts';
import { adTree } from '../../src/services/campaigns/get-ad-tree.ts';
import type { Ctx } from '../../src/services/context.ts';
import { listDeliveries } from '../../src/services/webhooks/list-deliveries.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { makeCtx, makeServices } from '../support/services.ts';
import { seed, type Kind } from './support/list-records.ts';
import { startStoreProcess } from './support/load.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 200);
const sizes = (process.env['BENCH_ADS'] ?? '1000,100000').split(',').map(Number);
const kinds = (process.env['BENCH_LISTS'] ?? 'ads,activity,deliveries').split(',') as Kind[];

interface Filled {
  ads: number;
  db: Db;
  ctx: Ctx;
  /** Commands that were sent to the store. */
  commands: string[];
}

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const store = process.env['MONGODB_URI'] ? undefined : await startStoreProcess(dataDir);
const services = await makeServices();

/** A database of its own with one user and this many ads. */
async function filled(ads: number): Promise<Filled> {
  const uri = new URL(store?.uri ?? process.env['MONGODB_URI'] ?? '');
  uri.pathname = `/bench_lists_${ads}`;
  uri.searchParams.set('monitorCommands', 'true');
  const db = await connectDb(uri.toString(), createLog('silent'));
  const { userId } = await seed(db, kinds, ads);
  const made = await makeCtx(services);
  const ctx = { ...made, db, caller: { ...made.caller, userId } };
  const commands: string[] = [];
  db.ads.db
    .getClient()
    .on('commandStarted', ({ commandName }: { commandName: string }) => void commands.push(commandName));
  return { ads, db, ctx, commands };
}

const ads = (input: object) => ListAdsInput.parse(input);

/** The cursor of the entry in the middle, or of the last that page numbers reach. */
async function cursorOf({ ctx, ads: count }: Filled): Promise<string> {
  const page = Math.min(count / 2, 10_000) / 100;
  return (await adPage(ctx, ads({ page, limit: 100 }))).cursorAt(99);
}

const deliveryPage = async (ctx: Ctx, input: ListDeliveriesInput) => {
  const { nextCursor } = await listDeliveries(ctx, input);
  return { cursorAt: () => nextCursor ?? '' };
};

/** A first page of a list, of the entries that one in a hundred matches, and behind the 5 000th or the middle. */
const pagesOf = <I extends object>(
  name: string,
  page: (ctx: Ctx, input: I) => Promise<{ cursorAt: (index: number) => string }>,
  { parse, rare }: { parse: (input: object) => I; rare: object },
): [string, (of: Filled) => Promise<() => Promise<unknown>>][] => [
  [
    `${name}: first page`,
    async ({ ctx }) =>
      () =>
        page(ctx, parse({})),
  ],
  [
    `${name}: filtered page, 1 in 100`,
    async ({ ctx }) =>
      () =>
        page(ctx, parse(rare)),
  ],
  [
    `${name}: page by cursor`,
    async ({ ctx, ads: count }) => {
      const cursor = (await page(ctx, parse({ page: Math.min(count / 2, 5000) / 100, limit: 100 }))).cursorAt(99);
      return () => page(ctx, parse({ cursor }));
    },
  ],
];

const requests: [name: string, run: (of: Filled) => Promise<() => Promise<unknown>>][] = [
  ...(kinds.includes('activity')
    ? pagesOf('activity', activityPage, {
        parse: (input) => ListActivityInput.parse(input),
        rare: { action: 'api_key.revoked' },
      })
    : []),
  ...(kinds.includes('deliveries')
    ? pagesOf('deliveries', deliveryPage, {
        parse: ({ page: _page, ...input }: { page?: number }) => ListDeliveriesInput.parse(input),
        rare: { status: 'failed' },
      })
    : []),
  [
    'first page',
    async ({ ctx }) =>
      () =>
        adPage(ctx, ads({})),
  ],
  [
    'page by cursor, behind the 500th and the 10 000th ad',
    async (of) => {
      const cursor = await cursorOf(of);
      return () => adPage(of.ctx, ads({ cursor }));
    },
  ],
  [
    'filtered page, 1 in 100',
    async ({ ctx }) =>
      () =>
        adPage(ctx, ads({ status: 'rejected' })),
  ],
  [
    'tree page',
    async ({ ctx }) =>
      () =>
        adTree(ctx, ListCampaignsInput.parse({ limit: 10 })),
  ],
  [
    'first page with its total',
    async ({ ctx }) =>
      () =>
        listAds(ctx, ads({})),
  ],
];

const timed = async (run: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await run();
  return performance.now() - started;
};
const at = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;

const databases: Filled[] = [];
for (const size of sizes) databases.push(await filled(size));
process.stdout.write(`Lists: ${sizes.join(' and ')} ads, ${rounds} rounds in turns, ${cpus().length} cores\n`);
for (const [name, prepare] of requests) {
  const runs = await Promise.all(databases.map(prepare));
  const times = runs.map((): number[] => []);
  for (let round = -20; round < rounds; round++)
    for (const [index, run] of runs.entries()) {
      const ms = await timed(run);
      if (round >= 0) times[index]?.push(ms);
    }
  const sent: number[] = [];
  for (const [index, run] of runs.entries()) {
    const { commands } = databases[index] as Filled;
    commands.length = 0;
    await run();
    sent.push(commands.length);
  }
  const medians = times.map((list) => at(list, 0.5));
  const ratio = (medians.at(-1) ?? 0) / (medians[0] ?? 1);
  const shown = medians.map((ms, index) => `${ms.toFixed(2)} ms, ${sent[index]} commands`).join(' / ');
  process.stdout.write(`${name}: ${shown}, ratio ${ratio.toFixed(2)}\n`);
}
for (const { db } of databases) await db.close();
await services.stop();
await store?.stop();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
