import { randomBytes } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { newId } from '../../src/lib/id.ts';
import { signatureHeaders } from '../../src/services/webhooks/sign.ts';
import {
  publish,
  measureAll,
  openEndpoints,
  percentile,
  secret,
  until,
  type Bench,
  type Endpoint,
  type Figure,
} from './support/webhooks.ts';

// Signatures, rotation, recovery and the delivery log, over many records.
const rows = Number(process.env['BENCH_ROWS'] ?? 50_000);
const failedRows = Number(process.env['BENCH_FAILED'] ?? 2_000);

const accepts = (key: string, body: string, headers: Record<string, string>): boolean => {
  try {
    new Verifier(key, key.startsWith('whsec_') ? undefined : { format: 'raw' }).verify(body, headers);
    return true;
  } catch {
    return false;
  }
};

/** G17: random bytes as text of all kinds, and the same with one bit changed. */
async function signatures(): Promise<Figure[]> {
  const count = 10_000;
  let [good, forged] = [0, 0];
  for (let at = 0; at < count; at++) {
    const body = JSON.stringify({ text: randomBytes(1 + (at % 300)).toString(at % 2 ? 'utf8' : 'utf16le') });
    const message = { id: `evt_${at}`, timestamp: Math.floor(Date.now() / 1000), body };
    const headers = signatureHeaders(message, [secret], true);
    if (accepts(secret, body, headers)) good += 1;
    const bytes = Buffer.from(body);
    const place = Math.floor(Math.random() * bytes.length);
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    if (accepts(secret, bytes.toString('utf8'), headers)) forged += 1;
  }
  return [
    {
      goal: 'G17',
      what: `${count} signatures against another package; one bit changed`,
      figure: `${good} verify; ${forged} verify`,
      aim: `${count}; 0`,
      isMet: good === count && forged === 0,
    },
  ];
}

/** G18: the receiver takes the new secret at a moment of its own, within the grace. */
async function rotation(bench: Bench): Promise<Figure[]> {
  await bench.startWorker();
  const [{ user, receiver, webhookId }] = (await openEndpoints(bench, 1)) as [Endpoint];
  let current = secret;
  let rejected = 0;
  receiver.answer = (request, response) => {
    const body = receiver.got.findLast(({ headers }) => headers === request.headers)?.body ?? '';
    const isGood = accepts(current, body, request.headers as Record<string, string>);
    if (!isGood) rejected += 1;
    response.writeHead(isGood ? 200 : 401).end();
  };
  const switchAfter = 200 + Math.floor(Math.random() * 600);
  let next: string | undefined;
  for (let at = 0; at < 1000; at += 10) {
    await publish(bench, user, 10);
    if (at === 150) {
      const answer = await bench.app.call('POST', '/v1/webhooks/settings/rotate-secret', {
        key: user.key,
        body: { webhookId, graceSeconds: 600 },
      });
      next = answer.body.secret as string;
    }
    if (next && at >= switchAfter) current = next;
  }
  await until(() => receiver.got.length >= 1000, 60_000);
  await receiver.stop();
  return [
    {
      goal: 'G18',
      what: `${receiver.got.length} deliveries over a rotation, switched at the ${switchAfter}th`,
      figure: `${rejected} rejected`,
      aim: '0',
      isMet: rejected === 0 && receiver.got.length >= 1000,
    },
  ];
}

interface Past {
  count: number;
  state: (at: number) => 'failed' | 'delivered' | 'retrying';
  /** Whether the events are there too, to be sent again. */
  hasEvents: boolean;
}

async function fill({ app }: Bench, { user, webhookId }: Endpoint, { count, state, hasEvents }: Past): Promise<void> {
  const { db } = app.app.services;
  const at = new Date(Date.now() - 3_600_000);
  const common = { userId: user.userId, type: 'api_key.created', occurredAt: at, createdAt: at };
  for (let from = 0; from < count; from += 1_000) {
    const ids = Array.from({ length: Math.min(1_000, count - from) }, () => `evt_${newId()}`);
    const events = ids.map((_id) => ({ ...common, _id, body: JSON.stringify({ id: _id }), fannedOut: true }));
    if (hasEvents) await db.webhookEvents.collection.insertMany(events as never);
    const deliveries = ids.map((eventId, index) => {
      const endless = { attemptCount: 1, retryCount: 1, nextAttemptAt: null, attempts: [], replay: 0, trigger: 'auto' };
      return { ...common, ...endless, _id: newId(), eventId, webhookId, state: state(from + index), terminalAt: at };
    });
    await db.webhookDeliveries.collection.insertMany(deliveries as never);
  }
}

/** G25: a worker is killed in the middle of a recovery, another one goes on. */
async function recovery(bench: Bench): Promise<Figure[]> {
  const [endpoint] = (await openEndpoints(bench, 1)) as [Endpoint];
  const { user, receiver, webhookId } = endpoint;
  await fill(bench, endpoint, { count: failedRows, state: () => 'failed', hasEvents: true });
  const since = new Date(Date.now() - 7_200_000).toISOString();
  const victim = await bench.startWorker();
  const begun = await bench.app.call('POST', '/v1/webhooks/recoveries', {
    key: user.key,
    body: { webhookId, since },
  });
  const { recoveryId } = begun.body.recovery;
  await until(() => receiver.got.length >= failedRows / 4, 60_000 + failedRows * 10);
  await victim.end('SIGKILL');
  const ids = (): Set<unknown> => new Set(receiver.got.map(({ headers }) => headers['webhook-id']));
  const allCame = await until(() => ids().size >= failedRows, 300_000 + failedRows * 40);
  const read = await bench.app.call('GET', `/v1/webhooks/recoveries/${recoveryId}`, { key: user.key });
  const cycles = await bench.app.app.services.db.webhookDeliveries.countDocuments({ webhookId, recoveryId });
  await receiver.stop();
  return [
    {
      goal: 'G25',
      what: `recovery of ${failedRows} failed deliveries over a SIGKILL`,
      figure: `${ids().size} came, ${cycles} new cycles, ${receiver.got.length - ids().size} requests repeated; ${read.body.recovery.found} found`,
      aim: `${failedRows}, ${failedRows}`,
      isMet: allCame && cycles === failedRows,
      isScaled: failedRows < 10_000,
    },
  ];
}

/** G26: pages of one webhook and one state, as the log is read. */
async function log(bench: Bench): Promise<Figure[]> {
  const endpoints = await openEndpoints(bench, 5);
  const states = ['delivered', 'delivered', 'delivered', 'failed'] as const;
  for (const endpoint of endpoints)
    await fill(bench, endpoint, { count: rows / 5, state: (at) => states[at % 4] ?? 'delivered', hasEvents: false });
  const [{ user, webhookId }] = endpoints as [Endpoint];
  const took: number[] = [];
  let cursor = '';
  for (let at = 0; at < 200; at++) {
    const asked = performance.now();
    const path = `/v1/webhooks/logs?webhookId=${webhookId}&status=failed&limit=50${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await bench.app.call('GET', path, { key: user.key });
    took.push(performance.now() - asked);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    cursor = encodeURIComponent(body.pagination?.nextCursor ?? body.nextCursor ?? '');
  }
  await Promise.all(endpoints.map(({ receiver }) => receiver.stop()));
  const p99 = percentile(took, 0.99);
  return [
    {
      goal: 'G26',
      what: `a page of the log by webhook and state, ${rows} deliveries`,
      figure: `p50 ${percentile(took, 0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
      aim: '100 ms over 1 000 000',
      isMet: p99 <= 100,
      isScaled: rows < 1_000_000,
    },
  ];
}

await measureAll('Webhooks, records', { SWEEP_INTERVAL_SECONDS: '1' }, [signatures, rotation, recovery, log]);
