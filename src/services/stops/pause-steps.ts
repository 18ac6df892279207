import { adPlatformOf } from '../../contract/platforms.ts';
import { AppError } from '../../contract/error.ts';
import { grouped } from '../../lib/group-by.ts';
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
const concurrency = 4;
const publishEveryMs = 500;

interface Pausing {
  requireHeld: RequireHeld;
  /** A campaign that cannot be reached now is not tried again. */
  isLastRun: boolean;
}

/** Tries each open step once; returns whether any is left. */
export async function pauseSteps(services: Services, run: StopRun, pausing: Pausing): Promise<boolean> {
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
  return (await db.stopSteps.exists(open)) !== null;
}

async function pauseBatch(
  services: Services,
  run: StopRun,
  { steps, requireHeld, isLastRun }: Pausing & { steps: StopStepDoc[] },
): Promise<void> {
  if (steps.length === 0) return;
  let publishedAt = performance.now();
  const byAccount = grouped(steps, ({ accountId }) => accountId);
  const work = async (queue: StopStepDoc[]): Promise<void> => {
    for (let step = queue.shift(); step; step = queue.shift()) {
      await requireHeld();
      await pauseOne(services, run, { step, isLastRun });
      if (performance.now() - publishedAt < publishEveryMs) continue;
      publishedAt = performance.now();
      await countSteps(services, run);
    }
  };
  const workers = [...byAccount.values()].flatMap((queue) => Array.from({ length: concurrency }, () => work(queue)));
  const outcomes = await Promise.allSettled(workers);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  await countSteps(services, run);
}

/** Pauses one campaign and records the outcome. Pausing is idempotent. */
async function pauseOne(
  services: Services,
  { doc }: StopRun,
  { step, isLastRun }: { step: StopStepDoc; isLastRun: boolean },
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
    const isFinal = isLastRun || fault === undefined || finalFaults.has(fault);
    await record(isFinal ? 'failed' : 'pending', (error as Error).message);
  }
}

const finalFaults = new Set<PlatformFault>(['rejected', 'unsupported', 'auth_expired']);

/** Without a connected account, trying again cannot succeed. */
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
