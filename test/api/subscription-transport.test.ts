import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multipartOf } from '../../src/graphql/response.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { follow } from '../support/stream.ts';
import { webhookFixture, type WebhookFixture } from '../webhooks/fixture.ts';

const origin = 'https://app.example.com';
const multipart =
  'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/graphql-response+json,application/json;q=0.9';

let app: TestApp;
let fixture: WebhookFixture;
beforeAll(async () => {
  app = await startTestApp({ CORS_ORIGINS: origin, SUBSCRIPTIONS_PER_KEY: '2' });
  fixture = await webhookFixture(app);
});
afterAll(async () => {
  await fixture.receiver.stop();
  await app.stop();
});

const subscription = () => `deliveries(webhookId: "${fixture.webhookId}") { state }`;
const open = async (accept: string, headers: Record<string, string> = {}) => {
  const stopping = new AbortController();
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    signal: stopping.signal,
    headers: {
      Accept: accept,
      'Content-Type': 'application/json',
      Authorization: `Bearer ${fixture.user.key}`,
      ...headers,
    },
    body: JSON.stringify({ query: `subscription { ${subscription()} }` }),
  });
  const stop = async () => {
    stopping.abort();
    await response.text().catch(() => undefined);
  };
  return { response, stop };
};

describe('a subscription', () => {
  it.each([
    ['the multipart protocol of Apollo', multipart, 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0'],
    [
      'the multipart protocol in quotes',
      'multipart/mixed;subscriptionSpec="1.0"',
      'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0',
    ],
    ['an event stream', 'text/event-stream', 'text/event-stream'],
    ['an event stream for any type', '*/*', 'text/event-stream'],
    ['the preferred one of both', 'multipart/mixed;subscriptionSpec=1.0;q=0.5, text/event-stream', 'text/event-stream'],
    ['an event stream for multipart without the protocol', 'multipart/mixed, text/event-stream', 'text/event-stream'],
  ])('is sent as %s, without buffering, and readable by a listed origin', async (_what, accept, type) => {
    const { response, stop } = await open(accept, { Origin: origin });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    await stop();
  });

  it.each([
    ['application/json', 'application/json'],
    ['application/graphql-response+json', 'application/graphql-response+json'],
    ['multipart/mixed', 'application/json'],
  ])('406: is refused with a JSON body that says what to accept if it accepts %s', async (accept, type) => {
    for (let attempts = 0; attempts < 3; attempts += 1) {
      const { response } = await open(accept);
      expect([response.status, response.headers.get('content-type')]).toEqual([406, `${type}; charset=utf-8`]);
      const { errors } = (await response.json()) as { errors: { message: string; extensions: object }[] };
      expect(errors[0]?.message).toMatch(/text\/event-stream or .*multipart\/mixed;subscriptionSpec=1\.0/);
      expect(errors[0]?.extensions).toMatchObject({ code: 'not_acceptable', param: 'Accept' });
    }
    // The refused ones hold no place: as many as a key may have can be opened.
    const streams = [await open('text/event-stream'), await open(multipart)];
    expect(streams.map(({ response }) => response.headers.get('content-type'))).not.toContain('application/json');
    for (const { stop } of streams) await stop();
  });
});

describe('a multipart subscription', () => {
  it('sends a heartbeat at once, each event under payload, and ends with its key', async () => {
    const reading = await fixture.user.keyWith({ permission: 'read' });
    await expect.poll(async () => (await fixture.logs())[0]?.state).toBe('delivered');
    const stream = await follow(app.url, reading.key, subscription(), multipart);
    await expect.poll(() => stream.heartbeats()).toBe(1);
    await fixture.event('one');
    await expect.poll(() => stream.got).toEqual([{ data: { deliveries: { state: 'DELIVERED' } } }]);
    await app.call('DELETE', `/v1/api-keys/${reading.id}`, { key: fixture.user.key });
    await fixture.event('two');
    await stream.over;
    expect(stream.got).toHaveLength(1);
    expect(stream.text().endsWith('\r\n--graphql--\r\n')).toBe(true);
  });

  it('frees its place when the caller goes', async () => {
    for (let at = 0; at < 5; at += 1) {
      const stream = await follow(app.url, fixture.user.key, subscription(), multipart);
      expect(stream.status).toBe(200);
      stream.stop();
      await stream.over;
    }
  });

  it('returns an error of its field as JSON', async () => {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { Accept: multipart, 'Content-Type': 'application/json', Authorization: `Bearer ${fixture.user.key}` },
      body: JSON.stringify({ query: `subscription { deliveries(webhookId: "${'f'.repeat(24)}") { state } }` }),
    });
    expect(response.headers.get('content-type')).toBe('application/graphql-response+json; charset=utf-8');
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'webhook_not_found' } }] });
  });

  it('sends heartbeats while nothing happens and neither loses nor repeats the event after them', async () => {
    let happen = (): void => undefined;
    async function* slow() {
      await new Promise<void>((resolve) => void (happen = resolve));
      yield { data: { at: 1 } };
    }
    const parts: string[] = [];
    for await (const text of multipartOf(slow(), 1)) {
      parts.push(/\{.*\}/.exec(text)?.[0] ?? text);
      if (parts.length === 4) happen();
    }
    const events = parts.filter((text) => text.includes('payload'));
    expect(parts.slice(0, 4)).toEqual(['{}', '{}', '{}', '{}']);
    expect(events).toEqual(['{"payload":{"data":{"at":1}}}']);
    expect(parts.at(-1)).toBe('--\r\n');
  });
});
