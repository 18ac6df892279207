import { mkdtemp, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { rawRequest, sendRaw } from '../support/raw.ts';

const secret = 'sk_demo_key';
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'demo-'));
  await writeFile(join(dataDir, 'demo.json'), JSON.stringify({ apiKey: secret }));
});

type Headers = Record<string, string>;
const explorerOf = (app: TestApp, headers: Headers) =>
  sendRaw(app.app.port, rawRequest('/graphql', { Accept: 'text/html', ...headers }));
const metricsOf = async (app: TestApp, headers: Headers = {}) =>
  (await sendRaw(app.app.port, rawRequest('/metrics', headers))).status;

const proxied: Headers[] = [
  { Forwarded: 'for=8.8.8.8' },
  { Via: '1.1 proxy' },
  { 'X-Forwarded-For': '8.8.8.8' },
  { 'X-Forwarded-Host': 'api.example.com' },
  { 'X-Forwarded-Proto': 'https' },
  { 'X-Real-IP': '8.8.8.8' },
  { 'X-Client-IP': '8.8.8.8' },
  { 'X-Cluster-Client-IP': '8.8.8.8' },
  { 'True-Client-IP': '8.8.8.8' },
  { 'CF-Connecting-IP': '8.8.8.8' },
  { 'CF-Ray': '1' },
  { 'CDN-Loop': 'x' },
  { 'Fly-Client-IP': '8.8.8.8' },
  { 'X-Original-Host': 'api.example.com' },
];
const rarelyProxied: Headers[] = [
  { 'Forwarded-For': '8.8.8.8' },
  { 'X-Forward-For': '8.8.8.8' },
  { 'X-Remote-IP': '8.8.8.8' },
  { 'X-Nf-Client-Connection-IP': '8.8.8.8' },
  { 'WL-Proxy-Client-IP': '8.8.8.8' },
  { 'DO-Connecting-IP': '8.8.8.8' },
  { 'Incap-Client-IP': '8.8.8.8' },
  { 'Sucuri-ClientIP': '8.8.8.8' },
  { 'X-ARR-LOG-ID': '1' },
  { 'X-Cloud-Trace-Context': '1/1' },
  { 'X-Varnish': '1' },
  { 'Surrogate-Capability': 'a=1' },
  { 'Max-Forwards': '9' },
];
const foreignHosts: Headers[] = [
  { Host: 'localhost.evil.example' },
  { Host: 'evil.example' },
  { Host: '192.168.1.5:4000' },
  { Host: 'localhost@evil.example' },
  { Host: '0.0.0.0:4000' },
];
const named = (headers: Headers): [string, Headers] => [Object.entries(headers).join(' '), headers];

describe('on this machine, in development', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ ROLE: 'api', DATA_DIR: dataDir });
  });
  afterAll(() => app.stop());

  it.each(['localhost:4000', 'LOCALHOST', '127.0.0.1:80', '[::1]:4000'])(
    'the explorer has the demo key and metrics are open under the name %s',
    async (Host) => {
      expect((await explorerOf(app, { Host })).text).toContain(secret);
      expect(await metricsOf(app, { Host })).toBe(200);
    },
  );

  it.each([...proxied, ...foreignHosts].map(named))(
    'neither the demo key nor metrics are shown to a request with %s',
    async (_name, headers) => {
      expect((await explorerOf(app, headers)).text).not.toContain(secret);
      expect(await metricsOf(app, headers)).not.toBe(200);
    },
  );

  it.each(rarelyProxied.map(named))('metrics are not shown to a request with %s', async (_name, headers) => {
    expect(await metricsOf(app, headers)).toBe(401);
  });

  it('neither is shown over HTTP/1.0, which nginx uses if it adds no header and sends the service localhost', async () => {
    const byNginx = (path: string) =>
      `GET ${path} HTTP/1.0\r\nHost: localhost:4000\r\nAccept: text/html\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(app.app.port, byNginx('/graphql'))).text).not.toContain(secret);
    expect((await sendRaw(app.app.port, byNginx('/metrics'))).status).toBe(401);
  });

  it('neither is shown for two Host headers or for a foreign host in an absolute target', async () => {
    const two = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n';
    expect((await sendRaw(app.app.port, two)).status).not.toBe(200);
    expect((await sendRaw(app.app.port, rawRequest('http://evil.example/metrics'))).status).toBe(401);
  });
});

describe('in production', () => {
  it('neither the demo key nor metrics are shown, even to this machine', async () => {
    const app = await startTestApp({ ROLE: 'api', DATA_DIR: dataDir, NODE_ENV: 'production', HOST: '127.0.0.1' });
    expect((await explorerOf(app, {})).text).not.toContain(secret);
    expect(await metricsOf(app)).toBe(401);
    expect(await metricsOf(app, { Authorization: 'Bearer undefined' })).toBe(401);
    await app.stop();
  });
});

describe('where the service listens on all addresses', () => {
  const foreign = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

  it('the demo key is not shown, and metrics only over loopback', async () => {
    const app = await startTestApp({ ROLE: 'api', DATA_DIR: dataDir, HOST: '0.0.0.0' });
    expect((await explorerOf(app, {})).text).not.toContain(secret);
    if (foreign) expect((await sendRaw(app.app.port, rawRequest('/metrics'), foreign)).status).toBe(401);
    await app.stop();
  });
});

describe('if PUBLIC_URL is set', () => {
  it('the demo key is not shown, and metrics only with the METRICS_TOKEN', async () => {
    const token = 'a-token-of-many-letters';
    const PUBLIC_URL = 'http://localhost:4000';
    const app = await startTestApp({ ROLE: 'api', DATA_DIR: dataDir, PUBLIC_URL, METRICS_TOKEN: token });
    expect((await explorerOf(app, {})).text).not.toContain(secret);
    expect(await metricsOf(app)).toBe(401);
    expect(await metricsOf(app, { Authorization: `Bearer ${token.slice(1)}` })).toBe(401);
    const open = { Authorization: `Bearer ${token}`, Host: 'metrics.example', 'X-Forwarded-For': '10.0.0.1' };
    expect(await metricsOf(app, open)).toBe(200);
    await app.stop();
  });
});
