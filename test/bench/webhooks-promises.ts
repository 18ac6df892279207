import { Redis } from 'ioredis';
import { createDeliverer } from '../../src/services/webhooks/deliver.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { startProcess } from '../support/process.ts';
import { createUserFixture } from '../support/user-fixture.ts';
import { startReceiver, status } from '../webhooks/receiver.ts';
import { tryForbidden } from './support/forbidden.ts';
import {
  publish,
  measureAll,
  openEndpoints,
  until,
  type Bench,
  type Endpoint,
  type Figure,
} from './support/webhooks.ts';

// What is a promise and no time: counts that have to be exact.
const settings = '/v1/webhooks/settings';

/** G6: a worker is killed each time that it has sent the delivery and knows no answer yet. */
async function fiveKills(bench: Bench): Promise<Figure[]> {
  const [{ user, receiver, webhookId }] = (await openEndpoints(bench, 1)) as [Endpoint];
  receiver.answer = () => undefined;
  await publish(bench, user);
  for (let kill = 1; kill <= 5; kill++) {
    const worker = await bench.startWorker();
    await until(() => receiver.got.length >= kill, 60_000);
    await worker.end('SIGKILL');
  }
  receiver.answer = status(200);
  const last = await bench.startWorker();
  const find = () => bench.app.app.services.db.webhookDeliveries.findOne({ webhookId }).lean();
  const isDelivered = await until(async () => (await find())?.state === 'delivered', 60_000);
  await last.end('SIGTERM');
  await receiver.stop();
  const ids = new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size;
  return [
    {
      goal: 'G6',
      what: 'one delivery whose worker is killed five times in a row',
      figure: `${isDelivered ? 'delivered' : 'not delivered'} at request ${receiver.got.length}, ${ids} id`,
      aim: 'delivered, 1 id',
      isMet: isDelivered && ids === 1,
    },
  ];
}

/** G16: every vector on every way, counted where sockets dial. */
const forbidden = async (): Promise<Figure[]> =>
  (await tryForbidden()).map(({ way, count, asTheyShould, connects }) => ({
    goal: 'G16',
    what: `${count} closed addresses by ${way}`,
    figure: `${connects} connects, ${asTheyShould} as expected`,
    aim: `0, ${count}`,
    isMet: connects === 0 && asTheyShould === count,
  }));

/** G19: fifty deliveries of one endpoint fail together while it has nine failures. */
async function atTheLimit(bench: Bench): Promise<Figure[]> {
  const { services } = bench.app.app;
  const [{ user, receiver, webhookId }] = (await openEndpoints(bench, 1)) as [Endpoint];
  // All of them are under way before the first one fails.
  receiver.answer = (request, response) => void setTimeout(() => status(500)(request, response), 2_000);
  await publish(bench, user, 50);
  await relayEvents(services);
  await services.db.webhooks.updateOne({ _id: webhookId }, { $set: { consecutiveFailures: 9 } });
  await Promise.all(Array.from({ length: 13 }, () => createDeliverer(services)(webhookId)));
  const webhook = await services.db.webhooks.findOne({ _id: webhookId }).lean();
  const notices = (webhook?.pendingEvents ?? []).filter(({ type }) => type === 'webhook.disabled').length;
  await receiver.stop();
  const isPaused = webhook?.isActive === false && webhook.consecutiveFailures === 10;
  return [
    {
      goal: 'G19',
      what: `${receiver.got.length} failures at once, at nine failures`,
      figure: `${isPaused ? 'off' : 'not off'} at failure ${webhook?.consecutiveFailures}, ${notices} notice`,
      aim: 'more than 4 at once: off at failure 10, 1 notice',
      isMet: isPaused && notices === 1 && receiver.got.length > 4,
    },
  ];
}

/** G21 and G23: two API processes. */
async function twoApis(bench: Bench): Promise<Figure[]> {
  const [one, two] = await Promise.all([0, 1].map(() => startProcess({ ...bench.env, ROLE: 'api' })));
  if (!one || !two) throw new Error('two processes were to start');
  const fixture = await createUserFixture(bench.app);
  const create = (at: number) =>
    (at % 2 ? one : two).call('POST', settings, {
      key: fixture.key,
      body: { name: `W${at}`, url: 'https://hooks.example.com/', events: ['*'] },
    });
  for (let at = 0; at < 9; at++) await create(at);
  const made = await Promise.all(Array.from({ length: 50 }, (_, at) => create(at)));
  const succeeded = made.filter((answer) => answer.status === 200).length;
  const rounds = 50;
  let accepted = 0;
  for (let round = 0; round < rounds; round++) {
    const { id, key } = await fixture.keyWith({});
    const before = await two.call('GET', '/v1/me', { key });
    await one.call('DELETE', `/v1/api-keys/${id}`, { key: fixture.key });
    if (before.status !== 200 || (await two.call('GET', '/v1/me', { key })).status !== 401) accepted += 1;
  }
  await Promise.all([one.end('SIGTERM'), two.end('SIGTERM')]);
  return [
    {
      goal: 'G21',
      what: '50 creates at once at nine webhooks, two processes',
      figure: `${succeeded} succeeded`,
      aim: '1',
      isMet: succeeded === 1,
    },
    {
      goal: 'G23',
      what: `${rounds} keys revoked in one process, used next in another that had them in its cache`,
      figure: `${accepted} accepted`,
      aim: '0',
      isMet: accepted === 0,
    },
  ];
}

/** G22: secrets that are looked for wherever this product writes. */
async function canaries(bench: Bench): Promise<Figure[]> {
  const env = { ...bench.env, LOG_LEVEL: 'trace' };
  const [api, worker] = await Promise.all([startProcess({ ...env, ROLE: 'api' }), startProcess(env)]);
  const [fixture, receiver] = await Promise.all([createUserFixture(bench.app), startReceiver()]);
  receiver.answer = ({ headers }, response) => void response.writeHead(500).end(JSON.stringify(headers));
  const secrets = ['canary-secret-of-many-letters', 'canary-header-value', fixture.key];
  const customHeaders = { 'X-Token': secrets[1] };
  const body = { name: 'W', url: receiver.url, events: ['*'], secret: secrets[0], customHeaders };
  const answers = [await api.call('POST', settings, { key: fixture.key, body })];
  const webhookId = answers[0]?.body.webhook._id as string;
  const ask = async (method: string, path: string, input?: object): Promise<void> =>
    void answers.push(await api.call(method, `/v1/${path}`, { key: fixture.key, body: input }));
  await api.call('POST', '/v1/api-keys', { key: fixture.key, body: { name: 'k' } });
  await until(() => receiver.got.length > 0, 20_000);
  await ask('POST', 'webhooks/test', { webhookId });
  await ask('PUT', 'webhooks/settings', { _id: webhookId, secret: `whsec_${secrets[0]}!` });
  await ask('GET', 'webhooks/settings');
  await ask('GET', 'webhooks/logs');
  const redis = new Redis(bench.redis.url);
  const dumps = await Promise.all(
    (await redis.keys('*')).map(async (key) => key + ((await redis.dumpBuffer(key))?.toString('latin1') ?? '')),
  );
  redis.disconnect();
  const { webhooks, webhookDeliveries, webhookEvents, idempotency, apiKeys } = bench.app.app.services.db;
  const stored = await Promise.all(
    [webhooks, webhookDeliveries, webhookEvents, idempotency, apiKeys].map((model) =>
      (model as typeof webhooks).find().lean(),
    ),
  );
  await Promise.all([api.end('SIGTERM'), worker.end('SIGTERM')]);
  await receiver.stop();
  const places = [
    JSON.stringify(answers.map((answer) => answer.body)),
    JSON.stringify(stored),
    dumps.join(),
    api.log(),
    worker.log(),
  ];
  const hits = secrets.reduce((sum, secret) => sum + places.filter((place) => place.includes(secret)).length, 0);
  return [
    {
      goal: 'G22',
      what: '3 secrets in answers, store, Redis and two logs at trace, the receiver showing what it got',
      figure: `${hits} hits in ${(places.join('').length / 1024).toFixed(0)} KB`,
      aim: '0',
      isMet: hits === 0 && receiver.got[0]?.headers['x-token'] === secrets[1],
    },
  ];
}

const env = { WEBHOOK_TIMEOUT_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '0.5' };
await measureAll('Webhooks, promises', env, [twoApis, canaries, atTheLimit, forbidden, fiveKills]);
