import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess } from '../support/process.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

const campaigns = Number(process.env['BENCH_CAMPAIGNS'] ?? 2000);
const [adSets, adsEach] = [2, 25];

/** Trees at the platform, made through its control address. */
async function seed({ sandbox }: TestApp, { adAccountIds }: UserFixture): Promise<void> {
  const ads = Array.from({ length: adsEach }, (_, at) => ({
    name: `Ad ${at}`,
    figures: { spend: 1.5, impressions: 10, clicks: 1 },
  }));
  const tree = { name: 'Seeded', adsets: Array.from({ length: adSets }, () => ({ name: 'Set', ads })) };
  for (let done = 0; done < campaigns; done += 100) {
    const response = await fetch(`${sandbox.url}/control/network-a/campaigns`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        adAccountId: adAccountIds.usd,
        campaigns: Array.from({ length: Math.min(100, campaigns - done) }, () => tree),
      }),
    });
    if (!response.ok) throw new Error(`Seeding answered ${await response.text()}`);
  }
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

async function discover(app: TestApp, fixture: UserFixture, pid: number): Promise<string> {
  const path = `/v1/accounts/${fixture.accountId}/ads/sync`;
  const before = await memoryOf(pid);
  const started = Date.now();
  await app.call('POST', path, { key: fixture.key });
  let peak = before;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    peak = Math.max(peak, await memoryOf(pid));
    const { discovery } = (await app.call('GET', path, { key: fixture.key })).body;
    if (discovery.status === 'failed') throw new Error(discovery.error);
    if (discovery.status !== 'completed') continue;
    const seconds = (Date.now() - started) / 1000;
    const memory = `worker memory ${before.toFixed(0)} MB, at most ${peak.toFixed(0)} MB (+${(peak - before).toFixed(0)})`;
    return `${discovery.ads} ads in ${seconds.toFixed(1)} s, ${Math.round(discovery.ads / seconds)} a second, ${memory}`;
  }
}

const app = await startTestApp({ ROLE: 'api' });
const worker = await startProcess({ ...app.env, ROLE: 'worker', SWEEP_INTERVAL_SECONDS: '0.5' });
const fixture = await createUserFixture(app);
await seed(app, fixture);
// A small account first, so that what every run needs is loaded when memory is read.
const small = await createUserFixture(app);
await discover(app, small, worker.process.pid ?? 0);
process.stdout.write(
  `Discovery: ${campaigns * adSets * adsEach} ads in ${campaigns} campaigns, ${cpus().length} cores\n`,
);
for (const run of ['first run, all new', 'second run, nothing changed']) {
  process.stdout.write(`${run}: ${await discover(app, fixture, worker.process.pid ?? 0)}\n`);
}
await worker.end('SIGTERM');
await app.stop();
process.exit(0);
