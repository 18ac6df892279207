import type { AccountDoc } from '../../models/account.ts';
import type { CampaignDiscoveryDoc, SeenCounts } from '../../models/campaign-discovery.ts';
import type { Lease } from '../../models/lease.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import { discoveryEnded } from '../../telemetry/events.ts';
import { newOutboxEvent } from '../durable/outbox.ts';
import type { Services } from '../context.ts';
import type { WorkQuery } from '../durable/find-work.ts';
import { acquire, dueBy, heldBy, isFree, newLease } from '../durable/lease.ts';
import { Problems } from './problems.ts';
import { toDiscovery } from './to-discovery.ts';
import { progressChannel } from './request-discovery.ts';
import { finishReconciliation } from './reconciliation.ts';

/** A run that this process holds. */
export interface Run {
  accountId: string;
  lease: Lease;
  /** Everything read gets this stamp; what has an older one after a complete run no longer exists. */
  startedAt: Date;
  isFirst: boolean;
  /** When a change of unknown outcome was made last, if it has not been read back. */
  unknownAt?: Date;
  /** Runs that failed to read it back. */
  reconcileTries?: number;
  leaseMs: number;
}

/** The counts of a run so far. */
export interface Progress {
  counts: SeenCounts;
  failures: CampaignDiscoveryDoc['failures'];
  problems: Problems;
  changed: number;
  cancelled: number;
  /** Ad accounts that could not be read. */
  unread: number;
}

export const emptyProgress = (): Progress => ({
  counts: { adAccounts: 0, campaigns: 0, adSets: 0, ads: 0 },
  failures: [],
  problems: new Problems(),
  changed: 0,
  cancelled: 0,
  unread: 0,
});

/** Begins the requested run of an account, or resumes that of a process that died; undefined if there is neither. */
export async function claimRun(services: Services, accountId: string, leaseMs: number): Promise<Run | undefined> {
  const now = services.clock.now();
  const { counts, failures } = emptyProgress();
  const doc = await acquire(services.db.campaignDiscoveries, {
    now,
    leaseMs,
    filter: { _id: accountId, ...claimable(now) },
    set: {
      state: 'running',
      isRequested: false,
      startedAt: now,
      finishedAt: null,
      error: null,
      counts,
      failures,
      problems: [],
      problemCount: 0,
    },
    // `unknownAt` stays until the end of the run: what is requested during it sets another time.
    update: { $unset: { reconcileAt: 1 } },
  });
  if (!doc?.lease) return undefined;
  publish(services, doc);
  const { lease, unknownAt, reconcileTries } = doc;
  return {
    accountId,
    lease,
    startedAt: now,
    isFirst: doc.firstCompletedAt === null,
    unknownAt,
    reconcileTries,
    leaseMs,
  };
}

const idle: CampaignDiscoveryDoc['state'][] = ['none', 'completed', 'failed'];

// A request made before a run is taken over is served by the run that begins then.
const claimable = (now: Date): object => ({
  $or: [
    { isRequested: true, state: { $in: idle } },
    { state: 'running', ...isFree(now) },
    { reconcileAt: dueBy(now), ...isFree(now) },
  ],
});

export const discoveryWork = ({ db, clock }: Pick<Services, 'db' | 'clock'>): WorkQuery[] => [
  { source: db.campaignDiscoveries, filter: claimable(clock.now()) },
];

/** The accounts whose discovery waits for a worker. */
export async function waitingDiscoveries({ db, clock }: Services, limit = 100): Promise<string[]> {
  const docs = await db.campaignDiscoveries.find(claimable(clock.now()), { _id: 1 }).limit(limit).lean();
  return docs.map(({ _id }) => _id);
}

/** Extends the lease and publishes the progress; false if another process has acquired the lease. */
export function renewRun(services: Services, run: Run, progress: Progress): Promise<boolean> {
  const { until } = newLease(services.clock.now(), run.leaseMs);
  return change(services, run, { $set: { 'lease.until': until, ...shownOf(progress) } });
}

/** Lets another worker resume at once. */
export async function releaseRun(services: Services, run: Run): Promise<void> {
  await change(services, run, { $set: { state: 'none', isRequested: true, lease: null } });
}

/** Releases the run so that any process can continue it after a delay: no process knows the token of the new lease. */
export async function deferRun(services: Services, run: Run, seconds: number): Promise<void> {
  await change(services, run, { $set: { lease: newLease(services.clock.now(), seconds * 1000) } });
}

export async function failRun(services: Services, run: Run, progress: Progress & { error: string }): Promise<void> {
  const { error } = progress;
  services.log.warn({ accountId: run.accountId, err: error }, 'the discovery of an account failed');
  const finishedAt = services.clock.now();
  await finishReconciliation(services, run, false);
  await change(services, run, { $set: { state: 'failed', error, ...shownOf(progress), finishedAt, lease: null } });
  discoveryEnded.emit({ state: 'failed' });
}

/** The end of the run and its event are one write. */
export async function completeRun(services: Services, run: Run, progress: Progress): Promise<void> {
  const finishedAt = services.clock.now();
  const event = await completion(services, run, progress);
  await finishReconciliation(services, run, progress.unread === 0);
  await change(services, run, {
    $set: {
      state: 'completed',
      ...shownOf(progress),
      finishedAt,
      lease: null,
      ...(run.isFirst && { firstCompletedAt: finishedAt }),
    },
    ...(event && { $push: { pendingEvents: event } }),
  });
  discoveryEnded.emit({ state: 'completed' });
  services.wakeRelay();
}

const shownOf = ({ counts, failures, problems: { shown, count } }: Progress) => ({
  counts,
  failures,
  problems: shown,
  problemCount: count,
});

async function change(services: Services, { accountId, lease }: Run, update: object): Promise<boolean> {
  const doc = await services.db.campaignDiscoveries
    .findOneAndUpdate({ _id: accountId, ...heldBy(lease) }, update, { returnDocument: 'after' })
    .lean();
  if (doc) publish(services, doc);
  return doc !== null;
}

const publish = ({ feed }: Services, doc: CampaignDiscoveryDoc): void =>
  feed.publish(progressChannel(doc._id), toDiscovery(doc));

/** An event contains fewer problems than the record. */
const maxPublished = 20;

/** Allocate the sequence number first: a crash leaves a gap, never a duplicate. */
async function completion(services: Services, run: Run, progress: Progress): Promise<PendingEvent | undefined> {
  const { accounts } = services.db;
  const { accountId, isFirst } = run;
  const account = isFirst
    ? await accounts.findOneAndUpdate({ _id: accountId }, { $inc: { sequence: 1 } }, { returnDocument: 'after' }).lean()
    : await accounts.findOne({ _id: accountId }).lean();
  if (!account) return undefined;
  const { counts, changed, cancelled, failures, problems } = progress;
  const discovery = {
    ...counts,
    changed,
    cancelled,
    failedAdAccounts: failures.length,
    problems: problems.shown.slice(0, maxPublished),
    problemCount: problems.count,
  };
  const sequence = isFirst ? { sequence: account.sequence } : {};
  return newOutboxEvent(
    isFirst ? 'account.ads.initial_sync_completed' : 'campaign.discovery_completed',
    { account: { ...accountOf(account), ...sequence, discovery } },
    services.clock.now(),
  );
}

const accountOf = ({ _id, profileId, platform, username, displayName }: AccountDoc) => ({
  accountId: _id,
  profileId,
  platform,
  username,
  displayName,
});
