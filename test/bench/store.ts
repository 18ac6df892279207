import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../src/lib/id.ts';
import { connectDb } from '../../src/models/db.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { seedCampaignTrees } from '../support/campaign-trees.ts';
import { compile } from '../support/compiled.ts';
import { rssMbOf, startStoreProcess } from './support/load.ts';

// What the embedded store needs for a number of ads: memory, journal, and the time to read it at the next start.

const ads = Number(process.env['BENCH_ADS'] ?? 100_000);
const adsOfCampaign = 50;
const partAds = 10_000;

async function fill(uri: string): Promise<void> {
  const address = new URL(uri);
  address.pathname = '/bench_store';
  const db = await connectDb(address.href, createLog('silent'));
  // In parts, because the seeds of this process would need as much memory as the store.
  for (let made = 0; made < ads; made += partAds) {
    const owner = { userId: newId(), profileId: newId(), accountId: newId() };
    const campaigns = Math.min(partAds, ads - made) / adsOfCampaign;
    await seedCampaignTrees(db, owner, { campaigns, adSets: 2, ads: adsOfCampaign / 2 });
  }
  await db.close();
}

async function bytesIn(folder: string): Promise<number> {
  const files = (await readdir(folder, { withFileTypes: true, recursive: true })).filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const compiled = await compile();
const folder = await mkdtemp(join(tmpdir(), 'bench-'));
let store = await startStoreProcess(folder);
const empty = await rssMbOf(store.pid);
await fill(store.uri);
const full = await rssMbOf(store.pid);
const journal = await bytesIn(folder);
await store.stop();
const before = performance.now();
store = await startStoreProcess(folder);
const startedMs = performance.now() - before;
const again = await rssMbOf(store.pid);
await store.stop();
await rm(folder, { recursive: true });
compiled.remove();

const kilobytes = (mb: number): string => `${((mb * 1024) / ads).toFixed(1)} KB`;
process.stdout.write(
  [
    `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.versions.node}`,
    `${ads} ads with their campaigns and ad sets`,
    `memory after filling: ${Math.round(full)} MB, ${kilobytes(full - empty)} for each ad`,
    `memory after a restart: ${Math.round(again)} MB, ${kilobytes(again - empty)} for each ad`,
    `journal: ${Math.round(journal / 1e6)} MB, ${(journal / ads / 1000).toFixed(1)} KB for each ad`,
    `start: ${(startedMs / 1000).toFixed(1)} s`,
    '',
  ].join('\n'),
);
