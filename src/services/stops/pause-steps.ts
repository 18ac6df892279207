import { adPlatformOf, type AccountPlatform } from '../../contract/platforms.ts';
import { AppError } from '../../contract/error.ts';
import { grouped } from '../../lib/group-by.ts';
import type { Author } from '../../models/activity.ts';
import type { StopStepDoc } from '../../models/stop-step.ts';
import { PlatformError, type PlatformFault } from '../../platforms/error.ts';
import { withCampaignLock } from '../ads/campaign-lock.ts';
import { requireNotRunning } from '../ads/ensure-paused.ts';
import { accessibleAdAccounts } from '../ads/accessible-ad-accounts.ts';
import { setLevelStatus } from '../ads/set-level-status.ts';
import type { Services } from '../context.ts';
import type { RequireHeld } from '../durable/lease.ts';
import { faultOf } from '../platform-error.ts';
import { countSteps, type StopRun } from './stop-store.ts';

const batch = 500;
/** Campaigns of one account that are paused at once; accounts do not wait for each other, nor do platforms. */
const concurrency = 4;
/** After so many campaigns in a row that could not be reached, an account waits for the next run. */
const maxMisses = 4;
const publishEveryMs = 500;

interface Pausing {
  requireHeld: RequireHeld;
  /** A campaign that cannot be reached now is not tried again. */
  isLastRun: boolean;
}

/** Tries the open steps once, those first that were tried longest ago; returns whether any is left. */
export async function pauseSteps(services: Services, run: StopRun, pausing: Pausing): Promise<boolean> {
  const { db } = services;
  const open = { stopId: run.doc._id, state: 'pending' as const };
  const platforms = await db.stopSteps.distinct('platform', open);
  await allOf(platforms.map((platform) => pauseOn(services, run, { ...pausing, platform })));
  return (await db.stopSteps.exists(open)) !== null;
}

/** Lets all of them end before it throws. */
async function allOf(work: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

async function pauseOn(
  services: Services,
  run: StopRun,
  { platform, ...pausing }: Pausing & { platform: AccountPlatform },
): Promise<void> {
  // Also matches steps of earlier versions, which have no such time.
  const notTried = { triedAt: { $not: { $gte: services.clock.now() } } };
  const unreached: Unreached = { misses: new Map(), accounts: new Set() };
  const accessible: Accessible = new Map();
  for (;;) {
    const steps = await services.db.stopSteps
      .find({
        stopId: run.doc._id,
        state: 'pending',
        platform,
        ...notTried,
        accountId: { $nin: [...unreached.accounts] },
      })
      .sort({ triedAt: 1, _id: 1 })
      .limit(batch)
      .lean();
    await pauseBatch(services, run, { ...pausing, steps, unreached, accessible });
    if (steps.length < batch) return;
  }
}

interface Unreached {
  /** The campaigns in a row that could not be reached, by their account. */
  misses: Map<string, number>;
  /** The accounts that wait for the next run. */
  accounts: Set<string>;
}

/** The accessible ad accounts by the id of their account, each read once in a run. */
type Accessible = Map<string, Promise<Set<string>>>;

interface Batch extends Pausing {
  steps: StopStepDoc[];
  unreached: Unreached;
  accessible: Accessible;
}

async function pauseBatch(services: Services, run: StopRun, { steps, unreached, ...pausing }: Batch): Promise<void> {
  if (steps.length === 0) return;
  let publishedAt = performance.now();
  const byAccount = grouped(steps, ({ accountId }) => accountId);
  const work = async (accountId: string, queue: StopStepDoc[]): Promise<void> => {
    for (let step = queue.shift(); step && !unreached.accounts.has(accountId); step = queue.shift()) {
      await pausing.requireHeld();
      const missed = await pauseOne(services, run, { step, ...pausing });
      const misses = missed === undefined ? 0 : (unreached.misses.get(accountId) ?? 0) + 1;
      unreached.misses.set(accountId, misses);
      if (missed !== undefined && misses >= maxMisses && !unreached.accounts.has(accountId)) {
        unreached.accounts.add(accountId);
        await postpone(services, run, { accountId, message: missed, ...pausing });
      }
      if (performance.now() - publishedAt < publishEveryMs) continue;
      publishedAt = performance.now();
      await countSteps(services, run);
    }
  };
  await allOf(
    [...byAccount].flatMap(([accountId, queue]) => Array.from({ length: concurrency }, () => work(accountId, queue))),
  );
  await countSteps(services, run);
}

/** Names the campaigns of an account that were not tried, because others could not be reached. */
async function postpone(
  { db }: Services,
  { doc }: StopRun,
  { accountId, message, isLastRun }: Pausing & { accountId: string; message: string },
): Promise<void> {
  const untried = { stopId: doc._id, state: 'pending', accountId, message: null } as const;
  await db.stopSteps.updateMany(untried, { $set: { message } });
  const left = { stopId: doc._id, state: 'pending', accountId } as const;
  if (isLastRun) await db.stopSteps.updateMany(left, { $set: { state: 'failed' } });
}

/** Pauses one campaign, unless it is deleted, and records the outcome; returns why it could not be reached. Pausing is idempotent. */
async function pauseOne(
  services: Services,
  { doc }: StopRun,
  { step, isLastRun, accessible }: { step: StopStepDoc; isLastRun: boolean; accessible: Accessible },
): Promise<string | undefined> {
  const record = (state: StopStepDoc['state'], message: string | null): Promise<unknown> => {
    const change = { state, message, triedAt: services.clock.now() };
    return services.db.stopSteps.updateOne({ _id: step._id }, { $set: change });
  };
  try {
    await pause(services, { step, accessible, author: doc.author });
    await record('paused', null);
    return undefined;
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined && !isAccountGone(error)) throw error;
    const isFinal = fault === undefined || finalFaults.has(fault);
    const { message } = error as Error;
    await record(isFinal || isLastRun ? 'failed' : 'pending', message);
    return isFinal ? undefined : message;
  }
}

const finalFaults = new Set<PlatformFault>(['rejected', 'unsupported', 'auth_expired']);

/** Without a connected account, trying again cannot succeed. */
const isAccountGone = (error: unknown): boolean =>
  error instanceof AppError && ['platform_token_expired', 'missing_platform_permission'].includes(error.code);

interface Pause {
  step: StopStepDoc;
  accessible: Accessible;
  author: Author;
}

async function pause(services: Services, { step, accessible, author }: Pause): Promise<void> {
  const { db, platforms } = services;
  const { accountId, platform, platformAdAccountId: id, platformCampaignId: campaignId } = step;
  const account = await db.accounts.findOne({ _id: accountId, disconnectedAt: null }).lean();
  const adPlatform = adPlatformOf(platform);
  const adapter = adPlatform && platforms[adPlatform];
  if (!account || !adapter)
    throw new PlatformError(adPlatform ?? platform, 'unsupported', 'The account is no longer connected');
  const adAccount = account.adAccounts.find((one) => one.id === id) ?? { id, name: id, currency: '', isActive: true };
  const target = { account, adapter };
  const subject = { kind: 'campaign' as const, target, ref: { adAccount, campaignId }, author };
  try {
    await withCampaignLock(services, { platform: adapter.platform, campaignId, account }, () =>
      setLevelStatus(services, subject, 'PAUSED'),
    );
  } catch (error) {
    const shown = (): Promise<Set<string>> => {
      const found = accessible.get(accountId) ?? accessibleAdAccounts(services, target);
      accessible.set(accountId, found);
      return found;
    };
    await requireNotRunning(services, target, { campaign: subject.ref, error, accessible: shown });
  }
}
