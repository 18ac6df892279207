import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { maxBodyBytes } from '../../src/http/body.ts';
import { apisOf, startTestApp, type TestApp } from '../support/app.ts';
import { hasProgram } from '../support/debian.ts';
import { freePort } from '../support/free-port.ts';
import { guarded } from '../support/guarded.ts';
import { follow } from '../support/stream.ts';
import { webhookFixture, type WebhookFixture } from '../webhooks/fixture.ts';

/** The server of docker-compose.yml as nginx reads it, for an API process on this machine. */
function proxyServer(apiUrl: string, port: number): string {
  const { configs } = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
    configs: { proxy: { content: string } };
  };
  return configs.proxy.content
    .replaceAll('$$', '$')
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('http://api:4000', apiUrl);
}

async function startProxy(apiUrl: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const [port, folder] = await Promise.all([freePort(), mkdtemp(join(tmpdir(), 'proxy-'))]);
  const file = join(folder, 'nginx.conf');
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder}/pid; events {}
     http { access_log off; ${places.join(' ')} ${proxyServer(apiUrl, port)} }`,
  );
  const server = guarded(spawn('nginx', ['-c', file, '-e', join(folder, 'error.log')], { stdio: 'ignore' }));
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 300_000);
  return {
    url,
    stop: async () => {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe.skipIf(!hasProgram('nginx'))('the nginx proxy of docker-compose.yml', () => {
  let app: TestApp;
  let fixture: WebhookFixture;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let through: ReturnType<typeof apisOf>;

  beforeAll(async () => {
    app = await startTestApp();
    fixture = await webhookFixture(app);
    proxy = await startProxy(app.url);
    through = apisOf(proxy.url);
  });
  afterAll(async () => {
    await Promise.all([proxy.stop(), fixture.receiver.stop()]);
    await app.stop();
  });

  it('passes the same requests and responses on as without it', async () => {
    const { key } = fixture.user;
    const list = (apis: Pick<TestApp, 'call'>) => apis.call('GET', '/v1/webhooks/settings', { key });
    expect((await list(through)).body).toEqual((await list(app)).body);
    const { body } = await through.graphql('{ webhooks { id } }', {}, { key });
    expect(body).toEqual({ data: { webhooks: [{ id: fixture.webhookId }] } });
  });

  it('leaves it to the service to reject a body that is too large', async () => {
    const raw = JSON.stringify({ name: 'x'.repeat(maxBodyBytes) });
    const send = (apis: Pick<TestApp, 'call'>) =>
      apis.call('POST', '/v1/api-keys', {
        key: fixture.user.key,
        raw,
        headers: { 'Content-Type': 'application/json' },
      });
    const [behind, direct] = [await send(through), await send(app)];
    expect([behind.status, behind.body.code]).toEqual([413, 'body_too_large']);
    expect([direct.status, direct.body.code]).toEqual([413, 'body_too_large']);
  });

  it('passes request lines on that are as long as the service takes them', async () => {
    const query = `{ webhooks { id } } #${'x'.repeat(12_000)}`;
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    const options = { key: fixture.user.key, headers: { Accept: 'application/json' } };
    expect((await app.call('GET', path, options)).status).toBe(200);
    expect((await through.call('GET', path, options)).status).toBe(200);
  });

  it('passes the events of a subscription on as they occur', async () => {
    const following = await follow(
      proxy.url,
      fixture.user.key,
      `deliveries(webhookId: "${fixture.webhookId}") { state }`,
    );
    await fixture.event();
    await expect.poll(() => following.got.length).toBeGreaterThan(0);
    following.stop();
    await following.over;
  });

  it('does not open to others what only this machine may read', async () => {
    const metricsOf = async (url: string) => (await fetch(`${url}/metrics`)).status;
    expect([await metricsOf(app.url), await metricsOf(proxy.url)]).toEqual([200, 401]);
  });
});
