import type { Reading } from '../../lib/metrics.ts';
import type { Services } from '../context.ts';
import { dueStates, openStates } from '../webhooks/states.ts';

type Stores = Pick<Services, 'db' | 'clock'>;

const maxTimeMS = 2_000;
/** Writes are stamped a moment before they can be read. */
const settleMs = 2_000;
/** More is not looked back, were the metrics not asked for in a long time. */
const longestMs = 3_600_000;

/** Figures of the whole service, read from the store: every process answers the same. */
export function createMeasure(stores: Stores): () => Promise<Reading[]> {
  const ended = createEndedCount(stores);
  return async () =>
    (await Promise.all([backlog(stores), oldestDue(stores), outboxLag(stores), endpoints(stores), ended()])).flat();
}

async function backlog({ db }: Stores): Promise<Reading[]> {
  const counts = await db.webhookDeliveries
    .aggregate<{ _id: string; count: number }>([
      { $match: { state: { $in: openStates } } },
      { $group: { _id: '$state', count: { $sum: 1 } } },
    ])
    .option({ maxTimeMS });
  const known = new Map(counts.map(({ _id, count }) => [_id, count]));
  return openStates.map((state) => ({ name: 'webhook_deliveries', labels: { state }, value: known.get(state) ?? 0 }));
}

async function oldestDue({ db, clock }: Stores): Promise<Reading[]> {
  const now = clock.now();
  const found = await Promise.all(
    dueStates.map((state) =>
      db.webhookDeliveries
        .findOne({ state, nextAttemptAt: { $lte: now } }, { nextAttemptAt: 1 })
        .sort({ nextAttemptAt: 1 })
        .lean(),
    ),
  );
  const ages = found.map((delivery) => age(now, delivery?.nextAttemptAt));
  return [{ name: 'webhook_oldest_due_seconds', value: Math.max(...ages) }];
}

interface Announcing {
  findOne: (filter: object, fields: object) => { sort: (by: object) => { lean: () => Promise<Announcer | null> } };
}

interface Announcer {
  pendingEvents?: { at: Date }[];
}

/** Events lie with the document that they tell of until the relay takes them. */
async function outboxLag({ db, clock }: Stores): Promise<Reading[]> {
  const announcing = [db.ads, db.apiKeys, db.webhooks, db.accounts] as unknown as Announcing[];
  const oldest = await Promise.all(
    announcing.map((model) =>
      model
        .findOne({ 'pendingEvents.0': { $exists: true } }, { pendingEvents: 1 })
        .sort({ 'pendingEvents.0.at': 1 })
        .lean(),
    ),
  );
  const now = clock.now();
  const ages = oldest.map((one) => age(now, one?.pendingEvents?.[0]?.at));
  return [{ name: 'webhook_outbox_lag_seconds', value: Math.max(...ages) }];
}

const age = (now: Date, since: Date | null | undefined): number =>
  since ? Math.max(0, (now.getTime() - since.getTime()) / 1000) : 0;

async function endpoints({ db }: Stores): Promise<Reading[]> {
  const [all, off, open] = await Promise.all([
    db.webhooks.estimatedDocumentCount(),
    db.webhooks.countDocuments({ isActive: false }).maxTimeMS(maxTimeMS),
    db.webhooks.countDocuments({ nextProbeAt: { $type: 'date' }, isActive: true }).maxTimeMS(maxTimeMS),
  ]);
  const states = { closed: Math.max(0, all - off - open), open, off };
  return Object.entries(states).map(([breaker, value]) => ({ name: 'webhook_endpoints', labels: { breaker }, value }));
}

/** What has ended since the last look of this process. */
function createEndedCount({ db, clock }: Stores): () => Promise<Reading[]> {
  let since = clock.now().getTime() - settleMs;
  return async () => {
    const until = clock.now().getTime() - settleMs;
    const from = Math.max(since, until - longestMs);
    const counts = await db.webhookDeliveries
      .aggregate<{ _id: string; count: number }>([
        { $match: { terminalAt: { $type: 'date', $gte: new Date(from), $lt: new Date(until) } } },
        { $group: { _id: '$state', count: { $sum: 1 } } },
      ])
      .option({ maxTimeMS });
    since = until;
    return counts.map(({ _id, count }) => ({ name: 'ended', labels: { state: _id }, value: count }));
  };
}
