import { randomUUID } from 'node:crypto';
import type { AccountDoc } from '../../models/account.ts';
import type { CampaignDiscoveryDoc, SeenCounts } from '../../models/campaign-discovery.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import { pendingEvent } from '../announce.ts';
import type { Services } from '../context.ts';
import { Problems } from './problems.ts';
import { toDiscovery } from './to-discovery.ts';
import { progressChannel } from './request-discovery.ts';

/** Lease lost, or the process is shutting down. */
export class RunLost extends Error {
  override readonly name = 'RunLost';
}

/** A run that this process holds. */
export interface Run {
  accountId: string;
  token: string;
  /** What is seen bears this stamp; what bears an older one after a whole run is gone. */
  startedAt: Date;
  isFirst: boolean;
  leaseMs: number;
}

/** What a run has come to so far. */
export interface Progress {
  seen: SeenCounts;
  failures: CampaignDiscoveryDoc['failures'];
  problems: Problems;
  changed: number;
  cancelled: number;
}

export const nothingSeen = (): Progress => ({
  seen: { adAccounts: 0, campaigns: 0, adSets: 0, ads: 0 },
  failures: [],
  problems: new Problems(),
  changed: 0,
  cancelled: 0,
});

/** Begins the wanted run of an account, or takes over the one of a process that died; undefined when there is neither. */
export async function claimRun(services: Services, accountId: string, leaseMs: number): Promise<Run | undefined> {
  const now = services.clock.now();
  const token = randomUUID();
  const { seen, failures } = nothingSeen();
  const doc = await services.db.campaignDiscoveries
    .findOneAndUpdate(
      { _id: accountId, ...claimable(now) },
      {
        $set: {
          state: 'running',
          wanted: false,
          run: token,
          leaseUntil: new Date(now.getTime() + leaseMs),
          startedAt: now,
          finishedAt: null,
          error: null,
          seen,
          failures,
          problems: [],
          problemCount: 0,
        },
      },
      { returnDocument: 'after' },
    )
    .lean();
  if (!doc) return undefined;
  tell(services, doc);
  return { accountId, token, startedAt: now, isFirst: doc.firstCompletedAt === null, leaseMs };
}

// Whatever was asked for before a run is taken over is answered by the run that begins then.
const claimable = (now: Date): object => ({
  $or: [
    { wanted: true, state: { $in: ['none', 'completed', 'failed'] } },
    { state: 'running', leaseUntil: { $lte: now } },
  ],
});

/** The accounts whose discovery waits for a worker. */
export async function waitingDiscoveries({ db, clock }: Services, limit = 100): Promise<string[]> {
  const docs = await db.campaignDiscoveries.find(claimable(clock.now()), { _id: 1 }).limit(limit).lean();
  return docs.map(({ _id }) => _id);
}

/** Holds the run for another lease and shows how far it is; throws when somebody else holds it by now. */
export async function renewRun(services: Services, run: Run, progress: Progress): Promise<void> {
  const leaseUntil = new Date(services.clock.now().getTime() + run.leaseMs);
  await change(services, run, { $set: { leaseUntil, ...shownOf(progress) } });
}

/** Lets another worker go on at once. */
export async function releaseRun(services: Services, run: Run): Promise<void> {
  await change(services, run, { $set: { state: 'none', wanted: true, ...unheld } });
}

/** Releases the run so that any process can continue it after a delay. */
export async function deferRun(services: Services, run: Run, seconds: number): Promise<void> {
  const leaseUntil = new Date(services.clock.now().getTime() + seconds * 1000);
  await change(services, run, { $set: { run: null, leaseUntil } });
}

export async function failRun(services: Services, run: Run, progress: Progress & { error: string }): Promise<void> {
  const { error } = progress;
  services.log.warn({ accountId: run.accountId, err: error }, 'the discovery of an account failed');
  await change(services, run, {
    $set: { state: 'failed', error, ...shownOf(progress), finishedAt: services.clock.now(), ...unheld },
  });
}

/** The end of the run and the event that tells of it are one write. */
export async function completeRun(services: Services, run: Run, progress: Progress): Promise<void> {
  const finishedAt = services.clock.now();
  const event = await completion(services, run, progress);
  await change(services, run, {
    $set: {
      state: 'completed',
      ...shownOf(progress),
      finishedAt,
      ...unheld,
      ...(run.isFirst && { firstCompletedAt: finishedAt }),
    },
    ...(event && { $push: { pendingEvents: event } }),
  });
  services.wakeRelay();
}

const shownOf = ({ seen, failures, problems: { shown, count } }: Progress) => ({
  seen,
  failures,
  problems: shown,
  problemCount: count,
});

const unheld = { run: null, leaseUntil: null };

async function change(services: Services, { accountId, token }: Run, update: object): Promise<void> {
  const doc = await services.db.campaignDiscoveries
    .findOneAndUpdate({ _id: accountId, run: token }, update, { returnDocument: 'after' })
    .lean();
  if (!doc) throw new RunLost('Another process has taken this discovery over');
  tell(services, doc);
}

const tell = ({ feed }: Services, doc: CampaignDiscoveryDoc): void =>
  feed.publish(progressChannel(doc._id), toDiscovery(doc));

/** An event contains fewer problems than the record. */
const mostAnnounced = 20;

/** Allocate the sequence number first: a crash leaves a gap, never a duplicate. */
async function completion(services: Services, run: Run, progress: Progress): Promise<PendingEvent | undefined> {
  const { accounts } = services.db;
  const { accountId, isFirst } = run;
  const account = isFirst
    ? await accounts.findOneAndUpdate({ _id: accountId }, { $inc: { sequence: 1 } }, { returnDocument: 'after' }).lean()
    : await accounts.findOne({ _id: accountId }).lean();
  if (!account) return undefined;
  const { seen, changed, cancelled, failures, problems } = progress;
  const discovery = {
    ...seen,
    changed,
    cancelled,
    failedAdAccounts: failures.length,
    problems: problems.shown.slice(0, mostAnnounced),
    problemCount: problems.count,
  };
  const sequence = isFirst ? { sequence: account.sequence } : {};
  return pendingEvent(
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
