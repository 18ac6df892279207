import { AppError } from '../../contract/error.ts';
import { newId } from '../../lib/id.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { SentStep } from '../../models/sent-step.ts';
import type { PlatformFault } from '../../platforms/error.ts';
import { endedBy, recordFailure, type Changed } from '../activity/record-failure.ts';
import { takeSteps } from '../activity/sent-steps.ts';
import { campaignRefOf } from '../campaigns/ids.ts';
import type { Services } from '../context.ts';
import { requestReconciliation, requestReconciliationNow } from '../discovery/reconciliation.ts';
import type { WorkQuery } from '../durable/find-work.ts';
import { dueBy, withRenewal } from '../durable/lease.ts';
import { faultOf } from '../platform-error.ts';

const leaseMs = 60_000;

interface Change extends Changed {
  account: Pick<AccountDoc, '_id' | 'userId' | 'profileId'>;
  campaignId: string;
}

/**
 * Runs a change at a platform and records it. The change is stored as open until its outcome is recorded. If the outcome is unknown or
 * the process dies, the activity trail has the failed change, and a discovery reads what the platform has; nothing is sent again.
 */
export async function recordingOutcome<T>(services: Services, change: Change, run: () => Promise<T>): Promise<T> {
  const { db, clock, log } = services;
  const { kind, recordId, author, account, campaignId } = change;
  const _id = campaignRefOf(account._id, campaignId);
  const id = newId();
  const until = (): Date => new Date(clock.now().getTime() + leaseMs);
  const update = (filter: object, operators: object) =>
    db.campaigns.updateOne({ _id, ...filter }, operators, { timestamps: false });
  const close = () => update({}, { $pull: { openChanges: { id } } });
  // What stays open is closed by a worker.
  const warn = (err: unknown): void => log.warn({ err, recordId }, 'could not record the outcome of a change yet');
  await update({}, { $push: { openChanges: { id, kind, recordId, author, until: until() } } });
  const renew = async (): Promise<boolean> => {
    const set = { $set: { 'openChanges.$.until': until() } };
    return (await update({ 'openChanges.id': id }, set)).matchedCount > 0;
  };
  try {
    const result = await withRenewal({ leaseMs, renew, log }, run);
    await close().catch(warn);
    return result;
  } catch (error) {
    const steps = takeSteps().map(endedBy(error));
    const record = async (): Promise<void> => {
      if (steps.length > 0) await recordFailure(services, change, { steps, once: id });
      if (!isRefused(error, steps)) await requestReconciliation(services, account);
      await close();
    };
    await record().catch(warn);
    throw error;
  }
}

/** With these, the last request was refused, whatever the status of its response. */
const refusals: (PlatformFault | undefined)[] = ['rejected', 'not_found', 'unsupported', 'auth_expired'];

/** Whether nothing changed at the platform after the last change that is recorded. */
function isRefused(error: unknown, steps: SentStep[]): boolean {
  if (!(error instanceof AppError)) return false;
  const fault = faultOf(error);
  if (fault === 'unknown_outcome') return false;
  const calls = steps.flatMap((step) => step.calls ?? []);
  const unclear = refusals.includes(fault) ? calls.slice(0, -1) : calls;
  return unclear.every(({ status }) => status !== null && status >= 400 && status < 500);
}

const hasEnded = (now: Date): object => ({
  'openChanges.0': { $exists: true },
  'openChanges.0.until': dueBy(now),
});

export const openChangeWork = ({ db, clock }: Pick<Services, 'db' | 'clock'>): WorkQuery[] => [
  { source: db.campaigns, filter: hasEnded(clock.now()) },
];

/** Closes the changes whose process died: their entry, then the request for a discovery, so that a crash in between loses neither. */
export async function reconcileOpenChanges(services: Services, limit = 100): Promise<void> {
  const { db, clock } = services;
  const now = clock.now();
  const fields = { accountId: 1, userId: 1, profileId: 1, openChanges: 1 };
  const campaigns = await db.campaigns.find(hasEnded(now), fields).limit(limit).lean();
  for (const { _id, accountId, openChanges = [], ...owner } of campaigns) {
    const ended = openChanges.filter(({ until }) => until <= now);
    for (const { id, kind, recordId, author } of ended)
      await recordFailure(services, { kind, recordId, author }, { steps: [], once: id });
    await requestReconciliationNow(services, { ...owner, _id: accountId });
    const $pull = { openChanges: { id: { $in: ended.map(({ id }) => id) } } };
    await db.campaigns.updateOne({ _id }, { $pull }, { timestamps: false });
  }
}
