import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdStatus } from '../../src/contract/ad.ts';
import { ListCampaignsInput, type AdTreeResult } from '../../src/contract/campaign.ts';
import { newId } from '../../src/lib/id.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { connectDb } from '../../src/models/db.ts';
import { adTree } from '../../src/services/campaigns/get-ad-tree.ts';
import { seedCampaignTrees } from '../support/campaign-trees.ts';
import { makeCtx, makeServices } from '../support/services.ts';
import { startStoreProcess } from './support/load.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 200);
const campaigns = 2000;

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const store = process.env['MONGODB_URI'] ? undefined : await startStoreProcess(dataDir);
const db = await connectDb(store?.uri ?? process.env['MONGODB_URI'] ?? '', createLog('silent'));
const services = await makeServices();
const ctx = { ...(await makeCtx(services)), db };
const owner = { userId: ctx.caller.userId, profileId: newId(), accountId: newId() };

const statuses: AdStatus[] = ['active', 'paused', 'pending_review', 'completed'];
// One campaign in a hundred was refused: a filter that finds few among many.
const statusOf = (at: number): AdStatus => (at % 100 === 7 ? 'rejected' : (statuses[at % statuses.length] ?? 'active'));
await seedCampaignTrees(db, owner, { campaigns, adSets: 2, ads: 25, statusOf });

const timed = async <T>(run: () => Promise<T>): Promise<{ ms: number; value: T }> => {
  const started = performance.now();
  const value = await run();
  return { ms: performance.now() - started, value };
};
const at = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
const setsIn = ({ campaigns: found }: AdTreeResult): string[] =>
  found.flatMap(({ adSets }) => adSets.map(({ _id }) => _id));

/** The page, and beside it one find by index of the ads that the page shows, in turns. */
async function compare(input: object): Promise<string> {
  const requested = ListCampaignsInput.parse(input);
  const sets = setsIn(await adTree(ctx, requested));
  const same = () => db.ads.find({ adSetRef: { $in: sets } }).lean();
  const [ours, bare]: [number[], number[]] = [[], []];
  let shown = 0;
  for (let round = -20; round < rounds; round++) {
    const page = await timed(() => adTree(ctx, requested));
    const find = await timed(same);
    shown = page.value.campaigns.flatMap(({ adSets }) => adSets.flatMap(({ ads }) => ads)).length;
    if (shown !== find.value.length) throw new Error(`${shown} ads on the page, ${find.value.length} found`);
    if (round < 0) continue;
    ours.push(page.ms);
    bare.push(find.ms);
  }
  const show = (share: number): string =>
    `${at(ours, share).toFixed(1)} / ${at(bare, share).toFixed(1)} ms = ${(at(ours, share) / at(bare, share)).toFixed(2)}`;
  return `${shown} ads, p50 ${show(0.5)}, p99 ${show(0.99)}`;
}

process.stdout.write(
  `Tree: 100000 ads in ${campaigns} campaigns, page / one find of its ads, ${rounds} rounds, ${cpus().length} cores\n`,
);
const pages: [string, object][] = [
  ['default page', {}],
  ['page 50', { page: 50 }],
  ['status active', { status: 'active' }],
  ['status rejected', { status: 'rejected' }],
  ['status, account and dates', { status: 'paused', accountId: owner.accountId, fromDate: '2026-01-01T12:00:00Z' }],
  ['own, by name', { source: 'own', sort: 'name' }],
  ['limit 100', { limit: 100 }],
];
for (const [name, input] of pages) process.stdout.write(`${name}: ${await compare(input)}\n`);
await db.close();
await services.stop();
await store?.stop();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
