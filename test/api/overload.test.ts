import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { control } from '../services/duplications/fixture.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { rawRequest } from '../support/raw.ts';
import { follow } from '../support/stream.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';
import { webhookFixture } from '../webhooks/fixture.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', MAX_RUNNING_REQUESTS: '5', PLATFORM_TIMEOUT_SECONDS: '120' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

/** A request whose body never arrives. */
function begin(head: string[]): Socket {
  const socket = connect(app.app.port, '127.0.0.1');
  socket.write(bodyless(head));
  return socket;
}

const bodyless = (head: string[]): string => [...head, 'Host: localhost', 'Content-Length: 100', '', '{'].join('\r\n');

/** A request that runs until its connection closes, because the platform never responds. */
async function run(headers: Record<string, null> = {}): Promise<Socket> {
  await control(app.sandbox, 'faults', { platform: 'network-a', fault: 'timeout_before', match: { path: '/search' } });
  const socket = connect(app.app.port, '127.0.0.1');
  const { key, accountId } = fixture;
  socket.write(
    rawRequest(`/v1/ads/targeting/search?type=city&q=berlin&accountId=${accountId}`, {
      Authorization: `Bearer ${key}`,
      ...headers,
    }),
  );
  return socket;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${app.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
}

describe('a process that runs as many requests as it may', () => {
  it('refuses further ones with 503 and Retry-After, but serves health checks and createAd', async () => {
    const { key } = fixture;
    const running = await Promise.all([run(), run(), run(), run()]);
    const me = () => app.call('GET', '/v1/me', { key });
    await expect.poll(async () => (await me()).status).toBe(503);
    const refused = await me();
    expect(refused.body).toMatchObject({ code: 'temporarily_unavailable', error: expect.stringMatching(/5 requests/) });
    expect(refused.headers.get('retry-after')).toBe('1');
    const accept = 'application/graphql-response+json';
    const viewer = await app.graphql('{ me { id } }', {}, { key, headers: { Accept: accept } });
    expect([viewer.status, viewer.body.errors[0].extensions.code]).toEqual([503, 'temporarily_unavailable']);
    expect(viewer.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(app.url + path)).status).toBe(200);
    expect((await app.call('POST', '/v1/ads/create', { key, body: goodAd(fixture) })).status).toBe(201);
    const mutation = 'mutation ($input: CreateAdInput!) { createAd(input: $input) { ad { id } } }';
    const created = await app.graphql(mutation, { input: {} }, { key });
    expect(created.body.errors[0].extensions.code).toBe('missing_required_field');
    const inFragment =
      'mutation ($input: CreateAdInput!) { ...All } fragment All on Mutation { a: createAd(input: $input) { ad { id } } }';
    const again = await app.graphql(inFragment, { input: {} }, { key });
    expect(again.body.errors[0].extensions.code).toBe('missing_required_field');
    for (const mentioned of [
      '{ me { id } } # createAd',
      'query createAd { me { id } }',
      '{ createAd: me { id } }',
      'mutation ($input: CreateAdInput!) { createAd(input: $input) @skip(if: true) { ad { id } } __typename }',
    ]) {
      const { status, headers } = await app.graphql(mentioned, { input: {} }, { key });
      expect([mentioned, status, headers.get('retry-after')]).toEqual([mentioned, 503, '1']);
    }
    expect(await metric('http_requests_shed_total')).toBeGreaterThanOrEqual(3);
    running[0]?.destroy();
    await expect.poll(async () => (await me()).status).toBe(200);
    for (const socket of running) socket.destroy();
    await expect.poll(() => metric('http_requests_running')).toBe(0);
  });

  it('ends requests whose body does not arrive, if others need their places', async () => {
    const { key } = fixture;
    const form = ['POST /deliveries/login HTTP/1.1', 'Content-Type: application/x-www-form-urlencoded'];
    const authorized = `Authorization: Bearer ${key}`;
    const rest = ['POST /v1/profiles HTTP/1.1', authorized, 'Content-Type: application/json'];
    const graphql = ['POST /graphql HTTP/1.1', authorized, 'Content-Type: application/json'];
    const statuses: string[] = [];
    const open = (head: string[]): Socket =>
      begin(head).on('data', (data: Buffer) => statuses.push(data.toString().slice(9, 12)));
    const sockets = [form, rest, form, rest].map(open);
    await expect.poll(() => metric('http_requests_running')).toBe(4);
    sockets.push(open(graphql));
    await expect.poll(() => metric('http_requests_running')).toBe(5);
    // Only the reserved place is free for createAd alone: two requests end.
    await expect.poll(async () => (await app.call('GET', '/v1/me', { key })).status).toBe(200);
    await expect.poll(() => statuses).toEqual(['408', '408']);
    await expect.poll(() => metric('http_requests_running')).toBe(3);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => metric('http_requests_running')).toBe(0);
  });

  it('does not answer a request that runs with the end of one behind it on its connection', async () => {
    const { key } = fixture;
    const first = await run({ Connection: null });
    const received: string[] = [];
    first.on('data', (data: Buffer) => received.push(data.toString()));
    let isClosed = false;
    first.once('close', () => (isClosed = true));
    const head = ['POST /v1/profiles HTTP/1.1', `Authorization: Bearer ${key}`, 'Content-Type: application/json'];
    first.write(bodyless(head));
    await expect.poll(() => metric('http_requests_running')).toBe(2);
    const others = [begin(head), begin(head)];
    await expect.poll(() => metric('http_requests_running')).toBe(4);
    await expect.poll(async () => (await app.call('GET', '/v1/me', { key })).status).toBe(200);
    await expect.poll(() => isClosed).toBe(true);
    expect(received).toEqual([]);
    for (const socket of others) socket.destroy();
    await expect.poll(() => metric('http_requests_running')).toBe(0);
  });

  it('frees the places of requests that were sent behind another one on a connection that breaks', async () => {
    const webhook = await webhookFixture(app);
    const { key } = webhook.user;
    const query = `subscription { deliveries(webhookId: "${webhook.webhookId}") { id } }`;
    const body = JSON.stringify({ query });
    const streaming = { Authorization: `Bearer ${key}`, Connection: null, Accept: 'text/event-stream' };
    const length = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
    const stream = rawRequest('/graphql', { ...streaming, ...length }, 'POST') + body;
    const socket = connect(app.app.port, '127.0.0.1');
    const others = rawRequest('/v1/me', { Connection: null }).repeat(2);
    // The first response has no end, so the others are never sent. The second stream has a slot of its key.
    socket.write(stream + others + stream);
    await expect.poll(() => metric('http_requests_running')).toBe(2);
    socket.destroy();
    await expect.poll(() => metric('http_requests_running')).toBe(0);
    await webhook.receiver.stop();
  });

  it('does not count subscriptions, which wait most of the time', async () => {
    const webhook = await webhookFixture(app);
    const { key } = webhook.user;
    const field = `deliveries(webhookId: "${webhook.webhookId}") { id }`;
    const open = await Promise.all(Array.from({ length: 6 }, () => follow(app.url, key, field)));
    expect((await app.call('GET', '/v1/me', { key })).status).toBe(200);
    for (const subscription of open) subscription.stop();
    await webhook.receiver.stop();
  });
});
