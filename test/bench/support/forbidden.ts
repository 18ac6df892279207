import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { createEgress } from '../../../src/egress/egress.ts';
import { createDeliverer } from '../../../src/services/webhooks/deliver.ts';
import { relayEvents } from '../../../src/services/webhooks/relay-outbox.ts';
import { forbiddenHosts } from '../../egress/forbidden-hosts.ts';
import { startNameServer } from '../../egress/name-server.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { createUserFixture, type UserFixture } from '../../support/user-fixture.ts';
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts';

/** What came of all closed addresses on one way to have them dialled. */
export interface Tried {
  way: string;
  count: number;
  asTheyShould: number;
  connects: number;
}

interface WebhookFixture {
  user: UserFixture;
  receiver: Receiver;
  webhookId: string;
}

const settings = '/v1/webhooks/settings';
const port = 4;
const dialled: string[] = [];
subscribe('net.client.socket', (message) => {
  const { socket } = message as { socket: Socket };
  socket.on('connectionAttempt', (address, at) => dialled.push(`${address} ${at}`));
});

type Way = (app: TestApp, fixture: WebhookFixture, host: string) => Promise<boolean>;

const pointAt = async (app: TestApp, { webhookId }: WebhookFixture, url: string): Promise<void> => {
  const fresh = { url, isActive: true, disabledReason: null, consecutiveFailures: 0, nextProbeAt: null };
  await app.app.services.db.webhooks.updateOne({ _id: webhookId }, { $set: fresh });
};
const isRefused = (attempts: { errorClass: string | null }[] = []): boolean =>
  attempts.length === 1 && attempts[0]?.errorClass === 'forbidden_address';

async function sendOne(app: TestApp, { user }: WebhookFixture): Promise<{ errorClass: string | null }[]> {
  const { services } = app.app;
  await app.call('POST', '/v1/api-keys', { key: user.key, body: { name: 'k' } });
  const deliver = createDeliverer(services);
  const [id = ''] = await relayEvents(services);
  for (;;) {
    const { retryAt } = await deliver(id);
    const last = services.db.webhookDeliveries.findOne({ webhookId: id }).sort({ _id: -1 });
    const { attempts = [] } = (await last.lean()) ?? {};
    if (attempts.length > 0 || !retryAt) return attempts;
    // The pace of an endpoint holds for this one too.
    await new Promise((resolve) => setTimeout(resolve, retryAt.getTime() - Date.now()));
  }
}

const ways: Record<string, Way> = {
  save: async (app, { user }, host) => {
    const body = { name: 'W', url: `http://${host}:${port}/`, events: ['*'] };
    return (await app.call('POST', settings, { key: user.key, body })).body.code === 'unsafe_url';
  },
  test: async (app, fixture, host) => {
    await pointAt(app, fixture, `http://${host}:${port}/`);
    const { key } = fixture.user;
    const { body } = await app.call('POST', '/v1/webhooks/test', { key, body: { webhookId: fixture.webhookId } });
    return isRefused(body.delivery.attempts);
  },
  send: async (app, fixture, host) => {
    await pointAt(app, fixture, `http://${host}:${port}/`);
    return isRefused(await sendOne(app, fixture));
  },
  redirect: async (app, fixture, host) => {
    fixture.receiver.answer = (_request, response) =>
      response.writeHead(302, { Location: encodeURI(`http://${host}:${port}/`) }).end();
    await pointAt(app, fixture, fixture.receiver.url);
    return (await sendOne(app, fixture))[0]?.errorClass === 'redirect';
  },
};

/** Every vector on every way, counted where sockets dial. */
export async function tryForbidden(): Promise<Tried[]> {
  const receiver = await startReceiver();
  const environment = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32', WEBHOOK_RETRY_SCHEDULE: '0' };
  const app = await startTestApp({ NODE_ENV: 'production', HOST: '127.0.0.1', ROLE: 'api', ...environment });
  const user = await createUserFixture(app);
  await relayEvents(app.app.services);
  const body = { name: 'W', url: 'https://hooks.example.com/', events: ['api_key.created'] };
  const made = await app.call('POST', settings, { key: user.key, body });
  const fixture = { user, receiver, webhookId: made.body.webhook._id as string };
  // 127.0.0.1 plays the user here, so it is no vector: only what is not written as that very address is.
  const hosts = forbiddenHosts.filter((host) => {
    const { hostname } = new URL(`http://${host}/`);
    return !/^(127\.0\.0\.1|\[::ffff:7f00:1\])$/.test(hostname);
  });
  const tried: Tried[] = [];
  for (const [way, run] of Object.entries(ways)) {
    dialled.length = 0;
    let refused = 0;
    for (const host of hosts) if (await run(app, fixture, host)) refused += 1;
    const connects = dialled.filter((one) => one.endsWith(` ${port}`)).length;
    tried.push({ way, count: hosts.length, asTheyShould: refused, connects });
  }
  await app.stop();
  await receiver.stop();
  return [...tried, await rebinding(hosts)];
}

/** A name that is good at the first question and a closed address at the next, and the other way round. */
async function rebinding(hosts: string[]): Promise<Tried> {
  const names = await startNameServer();
  const receiver = await startReceiver();
  const good = '127.0.0.1';
  const egress = createEgress({
    allowedCidrs: [`${good}/32`],
    allowLoopback: false,
    timeoutMs: 1_000,
    resolve: names.resolve,
  });
  const addresses = [
    ...new Set(hosts.map((host) => new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, ''))),
  ].filter((address) => /^[\d.]+$|:/.test(address));
  let count = 0;
  let refused = 0;
  dialled.length = 0;
  for (const bad of addresses)
    for (const first of [0, 1]) {
      const from = names.asked.length;
      // Each look asks twice, for either family: the odd ones lead inside.
      names.answer = () => [(names.asked.length - from + first) % 2 === 0 ? good : bad];
      for (let at = 0; at < 2; at++) {
        count += 1;
        const url = `http://rebinding.example:${new URL(receiver.url).port}/`;
        const sent = await egress.send({ method: 'POST', url, headers: {}, body: '{}' }).then(
          () => 'sent',
          (error: Error) => error.message,
        );
        if (sent === 'sent' || sent === 'forbidden_address') refused += 1;
      }
    }
  await egress.close();
  await receiver.stop();
  names.stop();
  const connects = dialled.filter((one) => !one.startsWith(`${good} `)).length;
  return { way: 'rebinding', count, asTheyShould: refused, connects };
}
