import { parseArgs } from 'node:util';
import { createEgress } from '../../src/egress/egress.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createEncrypter } from '../../src/lib/encryption.ts';
import { connectDb, type Db } from '../../src/models/db.ts';
import type { Services } from '../../src/services/context.ts';
import { createDeliverer } from '../../src/services/webhooks/deliver.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { sweepAll } from './sweep-all.ts';
import { localFeed } from '../support/pubsub.ts';

// A worker without a queue: relay, deliver, sweep. It kills itself with SIGKILL around the n-th thing that it does.
const { values } = parseArgs({
  options: {
    uri: { type: 'string' },
    encryption: { type: 'string' },
    at: { type: 'string' },
    ahead: { type: 'string' },
    'after-send': { type: 'boolean' },
  },
});
const killAt = Number(values.at ?? 0);
const aheadMs = Number(values.ahead ?? 0) * 1000;
let step = 0;

/** Counts a step before it is taken and after it: the kill falls on either side. */
const around = async <T>(run: () => Promise<T>): Promise<T> => {
  die();
  const result = await run();
  die();
  return result;
};
const die = (): void => {
  step += 1;
  if (step === killAt) process.kill(process.pid, 'SIGKILL');
};

const writes = new Set([
  'bulkWrite',
  'updateOne',
  'updateMany',
  'insertMany',
  'findOneAndUpdate',
  'create',
  'deleteOne',
]);

/** Every write of the store becomes a step; queries that wait for `lean()` run when they are awaited. */
function stepping(db: Db): Db {
  const wrap = <T extends object>(model: T): T =>
    new Proxy(model, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (name === 'collection') return wrap(member as object);
        if (typeof member !== 'function') return member;
        const bound = member.bind(target) as (
          ...args: unknown[]
        ) => PromiseLike<unknown> & { lean?: () => PromiseLike<unknown> };
        if (!writes.has(String(name))) return bound;
        return (...args: unknown[]) => {
          const started = bound(...args);
          const lean = started.lean?.bind(started);
          const run = (query: PromiseLike<unknown>) => around(async () => query);
          return Object.assign(
            lazily(() => run(started)),
            lean && { lean: () => lazily(() => run(lean())) },
          );
        };
      },
    });
  const models = ['webhooks', 'webhookEvents', 'webhookDeliveries', 'ads', 'apiKeys'] as const;
  return { ...db, ...Object.fromEntries(models.map((name) => [name, wrap(db[name])])) };
}

const lazily = <T>(run: () => Promise<T>): Promise<T> => {
  let promise: Promise<T> | undefined;
  const start = (): Promise<T> => (promise ??= run());
  return {
    // eslint-disable-next-line unicorn/no-thenable -- it stands in for a query, which starts when it is awaited
    then: (...args: Parameters<Promise<T>['then']>) => start().then(...args),
    catch: (...args: Parameters<Promise<T>['catch']>) => start().catch(...args),
    finally: (...args: Parameters<Promise<T>['finally']>) => start().finally(...args),
  } as Promise<T>;
};

const log = createLog('silent');
const db = await connectDb(values.uri ?? '', log);
const egress = createEgress({ allowedCidrs: [], allowLoopback: true, timeoutMs: 30_000 });
/** The receiver has the request by then, and it is not recorded. */
const send: typeof egress.send = async (request) => {
  const answer = await around(() => egress.send(request));
  if (values['after-send']) process.kill(process.pid, 'SIGKILL');
  return answer;
};
const services: Services = {
  db: stepping(db),
  log,
  platforms: {},
  refreshers: {},
  connectors: {},
  publicUrl: 'http://localhost',
  clock: { now: () => new Date(Date.now() + aheadMs) },
  encrypter: createEncrypter([values.encryption ?? '']),
  egress: { ...egress, send },
  deliveryTimes: { retrySchedule: [0, 0, 0], breakerSchedule: [], failureLimit: 10, timeoutMs: 30_000 },
  limitDeliveryRate: () => Promise.resolve(undefined),
  subscriptionLimiter: { limit: 20, take: async () => () => undefined },
  reserveEdit: async () => ({ isReserved: true, waitMs: 0 }),
  markKeyRevoked: () => Promise.resolve(),
  feed: localFeed(),
  wakeRelay: () => undefined,
};
const deliver = createDeliverer(services);
for (const id of await relayEvents(services)) await deliver(id);
const { due } = await sweepAll(services, { overdueAfterMs: -1 });
for (const id of due) await deliver(id);
await egress.close();
await db.close();
process.stdout.write(`steps ${step}\n`);
