import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDays } from '../../src/lib/calendar-days.ts';
import { createReportMemory, type ReportMemory } from '../../src/services/reports/report-memory.ts';
import type { ReportLimits } from '../../src/services/reports/row-limit.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { storeCampaigns } from '../support/stored-figures.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

const [campaigns, days] = [600, 90];
const rows = campaigns * days;

let app: TestApp;
let fixture: UserFixture;
let range: { fromDate: string; toDate: string };
let memory: ReportMemory;
let limits: ReportLimits;

beforeAll(async () => {
  app = await startTestApp();
  fixture = await createUserFixture(app);
  range = await storeCampaigns(app.app.services, { accountId: fixture.accountId, campaigns, days });
});
afterAll(() => app.stop());
beforeEach(() => {
  memory = createReportMemory(64_000_000, 200);
  app.app.services.reportMemory = memory;
  limits = {};
  app.app.services.reportLimits = limits;
});

const query = (more: Record<string, string> = {}): string =>
  `/v1/ads/report?${new URLSearchParams({ accountId: fixture.accountId, granularity: 'day', ...range, ...more })}`;
const get = (more?: Record<string, string>) => app.call('GET', query(more), { key: fixture.key });

/** 49,800 rows: more bytes than the sockets buffer. */
const largestFile = () => ({ format: 'csv', fromDate: addDays(range.toDate, -82) });

describe('a report of more rows than a file may have', () => {
  it('is 400 as CSV, naming both numbers, and has pages as JSON', async () => {
    const file = await get({ format: 'csv' });
    expect([file.status, file.body.code, file.body.param]).toEqual([400, 'invalid_field_value', 'fromDate']);
    expect(file.body.error).toContain(`at most 50000 rows, and this report has ${rows}`);
    const { status, body } = await get({ limit: '1000', page: '10' });
    expect([status, body.rows.length, body.isComplete]).toEqual([200, 1000, true]);
    expect(memory.reads.reserved + memory.files.reserved).toBe(0);
  });
});

describe('a report of more rows than a process holds', () => {
  it('is 400, and says which field makes it shorter', async () => {
    limits.maxRows = 500;
    for (const [more, param] of [
      [{ granularity: 'day' }, 'granularity'],
      [{ granularity: 'total' }, 'campaignIds'],
    ] as const) {
      const { status, body } = await get(more);
      expect([status, body.code, body.param]).toEqual([400, 'invalid_field_value', param]);
      expect(body.error).toContain('a report has at most 500 rows');
    }
    limits.maxRows = campaigns;
    expect((await get({ granularity: 'total' })).status).toBe(200);
    expect(memory.reads.reserved).toBe(0);
  });

  it('is 400 from 250,001 rows, also if most of them are days without delivery', async () => {
    const other = await createUserFixture(app);
    const { accountId, key } = other;
    const stored = { accountId, campaigns: 684, days: 366, delivers: (day: number) => day === 1 };
    const longest = { accountId, granularity: 'day', ...(await storeCampaigns(app.app.services, stored)) };
    const asked = (more: object): Promise<Answer> =>
      app.call('GET', `/v1/ads/report?${new URLSearchParams({ ...longest, ...more })}`, { key });
    const { status, body } = await asked({});
    expect([status, body.param]).toEqual([400, 'granularity']);
    expect(body.error).toContain('a report has at most 250000 rows');
    const { fromDate, toDate } = longest;
    const shorter = await asked({ fromDate: addDays(fromDate, 1), toDate, limit: '1' });
    expect([shorter.status, shorter.body.rows.length]).toEqual([200, 1]);
  });
});

describe('many large reports in one document', () => {
  function thirtyReports(): string {
    const input = `{ accountId: "${fixture.accountId}", granularity: DAY, fromDate: "${addDays(range.toDate, -13)}", toDate: "${range.toDate}", limit: 1 }`;
    return Array.from({ length: 30 }, (_, at) => `r${at}: adReport(input: ${input}) { totals { clicks } }`).join(' ');
  }

  it('are built one after the other, however little time a report may wait for memory', async () => {
    memory.maxWaitMs = 1;
    const { reads } = memory;
    let most = 0;
    memory.reads = {
      reserve: async (bytes, waitMs) => {
        const release = await reads.reserve(bytes, waitMs);
        most = Math.max(most, reads.reserved);
        return release;
      },
      get reserved() {
        return reads.reserved;
      },
    };
    const { body } = await app.graphql(`{ ${thirtyReports()} }`, {}, { key: fixture.key });
    expect(body.errors).toBeUndefined();
    const sums = new Set(Object.values<any>(body.data).map(({ totals }) => totals.clicks));
    expect([Object.keys(body.data).length, sums.size]).toEqual([30, 1]);
    expect(most).toBe(16_000_000);
    expect(reads.reserved).toBe(0);
  });

  it('are not built once their client is gone', async () => {
    const { reads } = memory;
    const client = new AbortController();
    const closed = new Promise<unknown>((resolve) => {
      const onRequest = (message: unknown): void => {
        unsubscribe('http.server.request.start', onRequest);
        resolve(once((message as { response: ServerResponse }).response, 'close'));
      };
      subscribe('http.server.request.start', onRequest);
    });
    let reserved = 0;
    memory.reads = {
      reserve: async (bytes, waitMs) => {
        const release = await reads.reserve(bytes, waitMs);
        reserved += 1;
        if (reserved === 2) client.abort();
        if (reserved === 2) await closed;
        return release;
      },
      get reserved() {
        return reads.reserved;
      },
    };
    const sent = fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${fixture.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: `{ ${thirtyReports()} }` }),
      signal: client.signal,
    });
    await expect(sent).rejects.toThrow('aborted');
    await expect.poll(() => reads.reserved).toBe(0);
    expect(reserved).toBe(2);
  });

  it('are 503 with Retry-After if no memory becomes free in time; small ones of one object need little', async () => {
    const release = await memory.reads.reserve(60_000_000, 0);
    const large = await get();
    expect([large.status, large.body.code, large.headers.get('retry-after')]).toEqual([
      503,
      'temporarily_unavailable',
      '5',
    ]);
    expect(large.body.error).toContain('The report of ad account act_1 by campaign was not built');
    expect((await get({ campaignIds: '120000000000000' })).status).toBe(200);
    release?.();
    expect((await get()).status).toBe(200);
  });
});

describe('a CSV file', () => {
  it('is sent without a warning of Node about too many listeners', async () => {
    const warnings: Error[] = [];
    const record = (warning: Error): void => void warnings.push(warning);
    process.on('warning', record);
    const { status } = await get(largestFile());
    await new Promise(setImmediate);
    process.off('warning', record);
    expect([status, warnings]).toEqual([200, []]);
  });

  it('holds memory until it is sent', async () => {
    const { status, body } = await get(largestFile());
    expect([status, typeof body]).toEqual([200, 'string']);
    await expect.poll(() => memory.files.reserved).toBe(0);
  });

  /** A download whose client has read only the headers. */
  async function unread(): Promise<{ call: ClientRequest; response: IncomingMessage }> {
    const url = new URL(app.url + query(largestFile()));
    const call = request(url, { headers: { Authorization: `Bearer ${fixture.key}` } });
    const [response] = (await once(call.end(), 'response')) as [IncomingMessage];
    return { call, response };
  }

  it('holds memory while its client reads nothing, and none once the client is gone', async () => {
    const { call } = await unread();
    // 60 to 140 bytes for each of 49,800 rows.
    expect(memory.files.reserved).toBeGreaterThan(3_000_000);
    expect(memory.files.reserved).toBeLessThan(7_000_000);
    expect(memory.reads.reserved).toBe(0);
    call.destroy();
    await expect.poll(() => memory.files.reserved).toBe(0);
  });

  it('is cut off if its client reads nothing for too long, so that it does not look complete', async () => {
    limits.maxStallMs = 300;
    const { response } = await unread();
    await expect.poll(() => memory.files.reserved).toBe(0);
    await expect(response.resume().toArray()).rejects.toThrow('aborted');
    expect(response.complete).toBe(false);
  });
});
