import { adPlatformOf } from '../../contract/platforms.ts';
import { AppError } from '../../contract/error.ts';
import type { Author } from '../../models/activity.ts';
import type { StopStepDoc } from '../../models/stop-step.ts';
import { PlatformError, type PlatformFault } from '../../platforms/error.ts';
import { withCampaignLock } from '../ads/campaign-lock.ts';
import { setLevelStatus } from '../ads/set-level-status.ts';
import type { Services } from '../context.ts';
import type { RequireHeld } from '../durable/lease.ts';
import { faultOf } from '../platform-error.ts';
import { countSteps, type StopRun } from './stop-store.ts';

const batch = 500;
/** Campaigns of one account that are paused at once; accounts do not wait for each other. */
const concurrent = 4;
const showEveryMs = 500;

interface Pausing {
  requireHeld: RequireHeld;
  /** What cannot be reached now is not tried again. */
  isLast: boolean;
}

/** Tries each open step once; returns how many are left. */
export async function pauseSteps(services: Services, run: StopRun, pausing: Pausing): Promise<number> {
  const { db } = services;
  const open = { stopId: run.doc._id, state: 'pending' as const };
  let after = '';
  for (;;) {
    const steps = await db.stopSteps
      .find({ ...open, _id: { $gt: after } })
      .sort({ _id: 1 })
      .limit(batch)
      .lean();
    await pauseBatch(services, run, { ...pausing, steps });
    if (steps.length < batch) break;
    after = steps.at(-1)?._id ?? '';
  }
  return db.stopSteps.countDocuments(open, { limit: 1 });
}

async function pauseBatch(
  services: Services,
  run: StopRun,
  { steps, requireHeld, isLast }: Pausing & { steps: StopStepDoc[] },
): Promise<void> {
  if (steps.length === 0) return;
  let shownAt = performance.now();
  const byAccount = new Map<string, StopStepDoc[]>();
  for (const step of steps) byAccount.set(step.accountId, [...(byAccount.get(step.accountId) ?? []), step]);
  const work = async (queue: StopStepDoc[]): Promise<void> => {
    for (let step = queue.shift(); step; step = queue.shift()) {
      await requireHeld();
      await pauseOne(services, run, { step, isLast });
      if (performance.now() - shownAt < showEveryMs) continue;
      shownAt = performance.now();
      await countSteps(services, run);
    }
  };
  const workers = [...byAccount.values()].flatMap((queue) => Array.from({ length: concurrent }, () => work(queue)));
  const outcomes = await Promise.allSettled(workers);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  await countSteps(services, run);
}

/** Pauses one campaign, or records why it could not be. Pausing it once more changes nothing. */
async function pauseOne(
  services: Services,
  { doc }: StopRun,
  { step, isLast }: { step: StopStepDoc; isLast: boolean },
): Promise<void> {
  const record = (state: StopStepDoc['state'], message: string | null): Promise<unknown> =>
    services.db.stopSteps.updateOne({ _id: step._id }, { $set: { state, message } });
  try {
    await pause(services, step, doc.author);
    await record('paused', null);
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined && !isAccountGone(error)) throw error;
    if (fault === 'not_found') return void (await record('paused', null));
    const isFinal = isLast || fault === undefined || finalFaults.has(fault);
    await record(isFinal ? 'failed' : 'pending', (error as Error).message);
  }
}

const finalFaults = new Set<PlatformFault>(['rejected', 'unsupported', 'auth_expired']);

/** Without a connection there is nothing to try again. */
const isAccountGone = (error: unknown): boolean =>
  error instanceof AppError && ['platform_token_expired', 'missing_platform_permission'].includes(error.code);

async function pause(services: Services, step: StopStepDoc, author: Author): Promise<void> {
  const { db, platforms } = services;
  const { accountId, platform, platformAdAccountId: id, platformCampaignId: campaignId } = step;
  const account = await db.accounts.findOne({ _id: accountId, disconnectedAt: null }).lean();
  const adPlatform = adPlatformOf(platform);
  const adapter = adPlatform && platforms[adPlatform];
  if (!account || !adapter)
    throw new PlatformError(adPlatform ?? platform, 'unsupported', 'The account is no longer connected');
  const adAccount = account.adAccounts.find((one) => one.id === id) ?? { id, name: id, currency: '', isActive: true };
  const subject = { kind: 'campaign' as const, target: { account, adapter }, ref: { adAccount, campaignId }, author };
  await withCampaignLock(services, { platform: adapter.platform, campaignId }, () =>
    setLevelStatus(services, subject, 'PAUSED'),
  );
}
