import type { Reading, Sampler } from '../telemetry/metrics.ts';
import type { MetricName } from '../telemetry/metric-table.ts';
import type { Collection } from '../models/db.ts';
import type { Services } from './context.ts';
import { createDeliverySamplers } from './webhooks/delivery-samplers.ts';

type Stores = Pick<Services, 'db' | 'clock'>;

const maxTimeMS = 2_000;
/** Counting stops here, so that a large backlog does not make the metrics expensive. */
const limit = 10_000;
/** Present: a range uses the index on every server, `$exists` does not. */
const anyTime = { $gte: new Date(0) };

/** Metrics of unfinished work in the database, each read through an index; equal in every process. */
export const createSamplers = (stores: Stores): Sampler[] => [
  ...createDeliverySamplers(stores),
  () => openOrders(stores),
  () => openRemovals(stores),
  () => openDuplications(stores),
  () => openDiscoveries(stores),
  () => openFigureJobs(stores),
  () => accountsToReconnect(stores),
];

const ageSeconds = ({ clock }: Stores, since: Date | undefined): number =>
  since ? Math.max(0, (clock.now().getTime() - since.getTime()) / 1000) : 0;

/** An open order is one that is still to be reconciled: the index contains only those. */
async function openOrders(stores: Stores): Promise<Reading[]> {
  const statuses = ['creating', 'unconfirmed'];
  const groups = await stores.db.ads
    .aggregate<{ _id: string; count: number; oldest: Date }>([
      { $match: { reconcileAt: anyTime, status: { $in: statuses } } },
      { $limit: limit },
      { $group: { _id: '$status', count: { $sum: 1 }, oldest: { $min: '$createdAt' } } },
    ])
    .option({ maxTimeMS });
  return statuses.flatMap((status): Reading[] => {
    const { count = 0, oldest } = groups.find(({ _id }) => _id === status) ?? {};
    return [
      { name: 'orders_open', labels: { status }, value: count },
      { name: 'orders_oldest_seconds', labels: { status }, value: ageSeconds(stores, oldest) },
    ];
  });
}

async function openRemovals(stores: Stores): Promise<Reading[]> {
  const { removals } = stores.db;
  const all = { createdAt: anyTime };
  const [count, oldest] = await Promise.all([
    removals.countDocuments(all, { limit }).maxTimeMS(maxTimeMS),
    removals.findOne(all, { createdAt: 1 }).sort({ createdAt: 1 }).maxTimeMS(maxTimeMS).lean(),
  ]);
  return [
    { name: 'removals_open', value: count },
    { name: 'removals_oldest_seconds', value: ageSeconds(stores, oldest?.createdAt) },
  ];
}

const openDuplications = (stores: Stores): Promise<Reading[]> =>
  dueWork(stores, stores.db.duplications, ['duplications_open', 'duplications_oldest_due_seconds']);

const openFigureJobs = (stores: Stores): Promise<Reading[]> =>
  dueWork(stores, stores.db.adFigureJobs, ['figure_jobs_open', 'figure_jobs_oldest_due_seconds']);

/** Work that has a time to go on at until it ends. */
async function dueWork<T extends { runAt?: Date }>(
  stores: Stores,
  work: Collection<T>,
  [open, oldest]: [MetricName, MetricName],
): Promise<Reading[]> {
  const isOpen = { runAt: anyTime } as object;
  const [count, first] = await Promise.all([
    work.countDocuments(isOpen, { limit }).maxTimeMS(maxTimeMS),
    work.findOne(isOpen, { runAt: 1 }).sort({ runAt: 1 }).maxTimeMS(maxTimeMS).lean<{ runAt?: Date } | null>(),
  ]);
  return [
    { name: open, value: count },
    { name: oldest, value: ageSeconds(stores, first?.runAt) },
  ];
}

async function openDiscoveries({ db }: Stores): Promise<Reading[]> {
  const count = (filter: object): Promise<number> =>
    db.campaignDiscoveries.countDocuments(filter, { limit }).maxTimeMS(maxTimeMS).exec();
  const [waiting, running] = await Promise.all([
    count({ isRequested: true, state: { $in: ['none', 'completed', 'failed'] } }),
    count({ state: 'running' }),
  ]);
  return Object.entries({ waiting, running }).map(([state, value]) => ({
    name: 'discoveries_open',
    labels: { state },
    value,
  }));
}

async function accountsToReconnect({ db }: Stores): Promise<Reading[]> {
  const filter = { isActive: true, adsConnected: { $in: [true, false] }, needsReconnect: true };
  const value = await db.accounts.countDocuments(filter, { limit }).maxTimeMS(maxTimeMS);
  return [{ name: 'accounts_to_reconnect', value }];
}
