import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { storeCampaigns } from '../support/stored-figures.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

const mayGrowBy = 50_000_000;
const downloads = 5;

let app: TestApp;
let service: ServiceProcess;
let fixture: UserFixture;
let path: string;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  service = await startProcess({ ...app.env, ROLE: 'api' });
  fixture = await createUserFixture(app);
  const { accountId } = fixture;
  const range = await storeCampaigns(app.app.services, { accountId, campaigns: 500, days: 90 });
  path = `/v1/ads/report?${new URLSearchParams({ accountId, granularity: 'day', format: 'csv', ...range })}`;
});
afterAll(async () => {
  await service.end('SIGTERM');
  await app.stop();
});

const residentBytes = (): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${service.process.pid}/status`, 'utf8'))?.[1]) * 1024;

/** Downloads the file and returns its number of lines. */
async function download(waitMs: number): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { Authorization: `Bearer ${fixture.key}`, Connection: 'close' };
    get(service.url + path, { headers }, resolve).on('error', reject);
  });
  let lines = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    for (const byte of chunk) if (byte === 10) lines += 1;
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  return lines;
}

it.runIf(process.platform === 'linux').each([
  ['fast', 0],
  ['slow', 5],
])(
  'a file of 45,000 rows to a %s client raises the memory of the service by less than 50 MB',
  { timeout: 240_000 },
  async (_client, waitMs) => {
    for (let file = 0; file < 3; file++) expect(await download(0)).toBe(45_001);
    const idle = residentBytes();
    let most = idle;
    const watch = setInterval(() => (most = Math.max(most, residentBytes())), 20);
    for (let file = 0; file < downloads; file++) expect(await download(waitMs)).toBe(45_001);
    clearInterval(watch);
    expect(most - idle).toBeLessThan(mayGrowBy);
  },
);
