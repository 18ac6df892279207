import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { storeCampaigns } from '../support/stored-figures.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

const mayGrowBy = 50_000_000;
const files = 10;

let app: TestApp;
let service: ServiceProcess;
let fixture: UserFixture;
let report: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  service = await startProcess({ ...app.env, ROLE: 'api' });
  fixture = await createUserFixture(app);
  const { accountId } = fixture;
  const range = await storeCampaigns(app.app.services, { accountId, campaigns: 500, days: 90 });
  report = { accountId, granularity: 'day', format: 'csv', ...range };
});
afterAll(async () => {
  await service.end('SIGTERM');
  await app.stop();
});

const residentBytes = (): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${service.process.pid}/status`, 'utf8'))?.[1]) * 1024;

/** Downloads a file and returns its number of lines. */
async function download(more: Record<string, string> = {}): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const url = `${service.url}/v1/ads/report?${new URLSearchParams({ ...report, ...more })}`;
    get(url, { headers: { Authorization: `Bearer ${fixture.key}`, Connection: 'close' } }, resolve).on('error', reject);
  });
  let lines = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) for (const byte of chunk) if (byte === 10) lines += 1;
  return lines;
}

it.runIf(process.platform === 'linux')(
  'files of 45,000 rows raise the memory of a service process by less than 50 MB above idle',
  async () => {
    expect(await download({ campaignIds: '120000000000000' })).toBe(91);
    await wait(1000);
    const idle = residentBytes();
    let most = idle;
    const watch = setInterval(() => (most = Math.max(most, residentBytes())), 20);
    try {
      for (let file = 0; file < files; file++) expect(await download()).toBe(45_001);
    } finally {
      clearInterval(watch);
    }
    expect(most - idle).toBeLessThan(mayGrowBy);
  },
);
