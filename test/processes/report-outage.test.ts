import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addDays } from '../../src/lib/calendar-days.ts';
import { within } from '../../src/lib/timeout.ts';
import { visitor } from '../pages/browser-session.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { driverMs, slowDriver } from '../support/db.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { storeCampaigns } from '../support/stored-figures.ts';
import { openTcpProxy, type Line } from '../support/tcp-proxy.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

/** How long a response may take once the store has fallen silent; shorter than the driver waits. */
const limitMs = driverMs - 5_000;
/** A report of all campaigns takes about five megabytes from the database. */
const [campaigns, days] = [2000, 90];
const soon = 1_000_000;

let app: TestApp;
let line: Line;
let service: ServiceProcess;
let fixture: UserFixture;
let headers: Record<string, string>;
let cookie: string;
let range: { fromDate: string; toDate: string };

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  fixture = await createUserFixture(app);
  range = await storeCampaigns(app.app.services, { accountId: fixture.accountId, campaigns, days });
  const store = new URL(app.env['MONGODB_URI'] ?? '');
  line = await openTcpProxy(Number(store.port || 27_017));
  store.host = `127.0.0.1:${line.port}`;
  service = await startProcess({ ...app.env, ROLE: 'api', MONGODB_URI: slowDriver(store) });
  headers = { Authorization: `Bearer ${fixture.key}` };
  const person = visitor(service.url);
  await person.signIn(fixture.key, '/ads');
  ({ cookie } = person);
});
afterEach(async () => {
  line.mend();
  await expect.poll(async () => (await get(`${service.url}/v1/profiles`)).status).toBe(200);
});
afterAll(async () => {
  await service.end('SIGKILL');
  await line.stop();
  await app.stop();
});

const report = (more: Record<string, string> = {}): string => {
  const asked = { accountId: fixture.accountId, ...range, ...more };
  return `${service.url}/v1/ads/report?${new URLSearchParams(asked)}`;
};
const get = (url: string, init: RequestInit = { headers }): Promise<Response> =>
  fetch(url, { ...init, redirect: 'manual' });

const view = (path: string): string => {
  const shown = { account: fixture.accountId, from: range.fromDate, to: range.toDate };
  return `${service.url}${path}?${new URLSearchParams(shown)}`;
};

/** All that returns a report. */
const asked: [name: string, ask: () => Promise<Response>][] = [
  ['JSON', () => get(report())],
  ['a CSV file', () => get(report({ format: 'csv' }))],
  ['/ads', () => get(view('/ads'), { headers: { Cookie: cookie } })],
  ['the file of /ads', () => get(view('/ads/report.csv'), { headers: { Cookie: cookie } })],
];

describe('a database that stops responding while a report is read', () => {
  it.each(asked)(
    '%s is 503 with Retry-After before the driver gives up, and complete again afterwards',
    async (_, ask) => {
      const silent = line.swallowAfter(soon);
      const asking = ask();
      await Promise.race([silent, asking]);
      const refused = await within(asking, limitMs);
      expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([503, '5']);
      expect(refused?.headers.get('content-disposition')).toBeNull();
      line.mend();
      await expect.poll(async () => (await ask()).status).toBe(200);
    },
  );
});

describe('a database that stops responding while GraphQL reads a report', () => {
  it('is an error of its field that says when to try again', async () => {
    const silent = line.swallowAfter(soon);
    const { status, body } = await service.graphql(
      'query ($input: AdReportInput!) { r: adReport(input: $input) { totals { clicks } } }',
      { input: { accountId: fixture.accountId, ...range } },
      { key: fixture.key },
    );
    await silent;
    expect([status, body.data]).toEqual([200, null]);
    expect(body.errors).toMatchObject([{ path: ['r'], extensions: { code: 'temporarily_unavailable' } }]);
    expect(body.errors[0].message).toContain('Try again in 5 s');
  });
});

describe('a page that is requested as the database stops responding', () => {
  it.each([
    ['ads', '/ads'],
    ['deliveries', '/deliveries'],
    ['deliveries', '/deliveries/0123456789abcdef01234567'],
    ['stops', '/stops'],
  ])('of %s is 503: %s', async (page, path) => {
    const person = visitor(service.url);
    await person.signIn(fixture.key, `/${page}`);
    const ask = (): Promise<Response> => get(service.url + path, { headers: { Cookie: person.cookie } });
    expect((await ask()).status).not.toBe(503);
    line.swallow();
    expect((await within(ask(), limitMs))?.status).toBe(503);
  });
});

describe('a database that stops responding while a file is sent', () => {
  it('changes nothing: the file has all rows, because they are read before its first byte', async () => {
    const last = { fromDate: addDays(range.toDate, -23), toDate: range.toDate };
    const call = request(report({ ...last, granularity: 'day', format: 'csv' }), { headers }).end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    line.swallow();
    const text = (await response.setEncoding('utf8').toArray()).join('');
    expect([response.statusCode, response.complete]).toEqual([200, true]);
    expect(text.split('\r\n').length - 2).toBe(24 * campaigns);
  });
});
