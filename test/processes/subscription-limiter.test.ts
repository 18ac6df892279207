import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { follow, type Following } from '../support/stream.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let second: ServiceProcess;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ SUBSCRIPTIONS_PER_KEY: '3' });
  second = await startProcess({ ...app.env, ROLE: 'api' });
  fixture = await createUserFixture(app);
});
afterAll(async () => {
  await second.end('SIGKILL');
  await app.stop();
});

const gone = 'f'.repeat(24);
/** A stream of this type begins with a heartbeat; a refusal is JSON. */
const accept = 'multipart/mixed;subscriptionSpec=1.0, application/json';
const discovery = (url: string, key: string): Promise<Following> =>
  follow(url, key, `discoveryProgress(accountId: "${fixture.accountId}") { status }`, accept);
const duplication = (url: string, key: string): Promise<Following> =>
  follow(url, key, `duplicationProgress(duplicationId: "${gone}") { status }`, accept);
const deliveries = (url: string, key: string): Promise<Following> =>
  follow(url, key, `deliveries(webhookId: "${gone}") { id }`, accept);

/** What a stream was refused with; undefined if it is open. */
const refusal = async ({ got, heartbeats, over }: Following): Promise<unknown> => {
  let isOver = false;
  void over.then(() => (isOver = true));
  await expect.poll(() => isOver || heartbeats() > 0).toBe(true);
  return got[0]?.errors?.[0]?.extensions;
};
const codeOf = async (opening: Promise<Following>): Promise<unknown> => {
  const stream = await opening;
  const code = ((await refusal(stream)) as { code?: string } | undefined)?.code;
  stream.stop();
  return code;
};
const everyHalfSecond = { interval: 500 };

describe('the subscriptions of one key', () => {
  it('are limited over all processes, whatever is subscribed to, and free again when they end', async () => {
    const { key } = await fixture.keyWith({});
    const open = await Promise.all([discovery(app.url, key), discovery(second.url, key), discovery(app.url, key)]);
    expect(await Promise.all(open.map(refusal))).toEqual([undefined, undefined, undefined]);
    for (const subscribe of [discovery, duplication, deliveries])
      for (const { url } of [app, second]) expect(await codeOf(subscribe(url, key))).toBe('too_many_subscriptions');
    const refused = await discovery(app.url, key);
    await refused.over;
    expect(refused.got[0]?.errors?.[0]).toMatchObject({
      message: 'Subscription limit reached (3 per API key); close one first',
      extensions: { type: 'rate_limit_error', details: { limit: 3 }, requestId: expect.any(String) },
    });
    expect(await codeOf(discovery(app.url, fixture.key))).toBeUndefined();
    open[1]?.stop();
    await expect.poll(() => codeOf(discovery(app.url, key)), everyHalfSecond).toBeUndefined();
    for (const stream of open) stream.stop();
  });

  it('take no place when they do not come about, or when the caller leaves at once', async () => {
    const { key } = await fixture.keyWith({});
    for (let at = 0; at < 5; at++) {
      expect(await codeOf(duplication(app.url, key))).toBe('job_not_found');
      expect(await codeOf(deliveries(app.url, key))).toBe('webhook_not_found');
    }
    for (let at = 0; at < 60; at++) {
      const request = fetch(`${app.url}/graphql`, {
        method: 'POST',
        signal: AbortSignal.timeout(at % 15),
        headers: { Accept: 'text/event-stream', 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
        body: JSON.stringify({
          query: `subscription { discoveryProgress(accountId: "${fixture.accountId}") { status } }`,
        }),
      });
      await request.catch(() => undefined);
    }
    const refused = async (): Promise<unknown[]> => {
      const open = await Promise.all([1, 2, 3].map(() => discovery(app.url, key)));
      const refusals = await Promise.all(open.map(refusal));
      for (const stream of open) stream.stop();
      return refusals;
    };
    await expect.poll(refused, { interval: 500 }).toEqual([undefined, undefined, undefined]);
  });

  it('are free again half a minute after their process was killed', async () => {
    const { key } = await fixture.keyWith({});
    const third = await startProcess({ ...app.env, ROLE: 'api' });
    await Promise.all([1, 2, 3].map(() => discovery(third.url, key)));
    expect(await codeOf(discovery(app.url, key))).toBe('too_many_subscriptions');
    await third.end('SIGKILL');
    expect(await codeOf(discovery(app.url, key))).toBe('too_many_subscriptions');
    await expect.poll(() => codeOf(discovery(app.url, key)), everyHalfSecond).toBeUndefined();
  });
});
