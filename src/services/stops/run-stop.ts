import type { CampaignDoc } from '../../models/campaign.ts';
import type { StopDoc } from '../../models/stop.ts';
import type { Services } from '../context.ts';
import { LeaseLostError, ShutdownError, type RequireHeld } from '../durable/lease.ts';
import { holdCopies } from '../duplications/duplication-store.ts';
import { logOutage } from '../unexpected-error.ts';
import { pauseSteps } from './pause-steps.ts';
import { markTarget } from './marks.ts';
import { claimStop, countSteps, releaseStop, withStopLease, type StopRun } from './stop-store.ts';
import { campaignsOf, copiesOf, isRunning, ordersOf } from './targets.ts';

/** For how long a campaign that cannot be reached is tried again. */
const maxTryMs = 86_400_000;
const maxIntervalMs = 60_000;
const batch = 200;

/** Runs a stop that is due, unless another process does. A stop in force runs at intervals until it is lifted. */
export async function runStop(services: Services, stopId: string, signal?: AbortSignal): Promise<void> {
  const run = await claimStop(services, stopId);
  if (!run) return;
  try {
    await withStopLease(services, run, (requireHeld) => pauseAll(services, run, requireHeld), signal);
  } catch (error) {
    await afterFailure(services, run, error);
  }
}

async function pauseAll(services: Services, run: StopRun, requireHeld: RequireHeld): Promise<void> {
  const { doc } = run;
  await markTarget(services, doc);
  await pauseOpenWrites(services, doc);
  const found = await addSteps(services, doc);
  if (found > 0 || doc.status === 'running') await countSteps(services, run);
  const isOld = services.clock.now().getTime() - doc.createdAt.getTime() > maxTryMs;
  const isAnyLeft = await pauseSteps(services, run, { requireHeld, isLastRun: isOld });
  const attempts = found > 0 ? 1 : doc.attempts + 1;
  const runAt = new Date(services.clock.now().getTime() + Math.min(maxIntervalMs, 1000 * 2 ** Math.min(attempts, 10)));
  await releaseStop(services, run, { runAt, attempts, isComplete: !isAnyLeft });
}

/** Changes open orders and copies to end paused, as if their owner had paused them. */
async function pauseOpenWrites(services: Services, doc: StopDoc): Promise<void> {
  const { db } = services;
  const open = { status: { $in: ['creating', 'unconfirmed', 'error'] }, order: { $exists: true } } as const;
  await db.ads.updateMany({ ...ordersOf(doc), ...open, 'order.input.status': { $ne: 'PAUSED' } } as object, {
    $set: { 'order.input.status': 'PAUSED', 'order.isActivated': false },
  });
  const waiting = { ...copiesOf(doc), 'tree.campaign.isOnHold': { $ne: true } };
  const running = await db.duplications.exists({ ...waiting, status: { $in: ['running', 'failed'] } } as object);
  if (running) await holdCopies(services, { campaign: waiting as object, isOnHold: true });
}

/** Records a step for each active campaign that has none; returns how many are new. */
async function addSteps({ db }: Services, doc: StopDoc): Promise<number> {
  const external = doc.includeExternal ? {} : { isExternal: false };
  const fields = {
    userId: 1,
    accountId: 1,
    platform: 1,
    platformAdAccountId: 1,
    platformCampaignId: 1,
    name: 1,
  } as const;
  // The first run after a call pauses again what was activated after the last run.
  const isAskedAgain = doc.attempts === 0;
  let added = 0;
  let page: CampaignDoc[] = [];
  const write = async (): Promise<void> => {
    if (page.length === 0) return;
    const writes = page.flatMap(({ _id: campaignRef, ...campaign }) => {
      const _id = `${doc._id} ${campaignRef}`;
      const open = { state: 'pending', message: null };
      const untried = { ...open, triedAt: new Date(0) };
      const update = { $setOnInsert: { stopId: doc._id, ...campaign, ...untried } };
      const reopen = { updateOne: { filter: { _id, state: { $ne: 'pending' } }, update: { $set: untried } } };
      return [...(isAskedAgain ? [reopen] : []), { updateOne: { filter: { _id }, update, upsert: true } }];
    });
    added += (await db.stopSteps.bulkWrite(writes as never, { ordered: false })).upsertedCount;
    page = [];
  };
  for await (const campaign of db.campaigns
    .find({ ...campaignsOf(doc), ...isRunning, ...external } as object, fields)
    .lean()
    .cursor()) {
    page.push(campaign as CampaignDoc);
    if (page.length === batch) await write();
  }
  await write();
  return added;
}

async function afterFailure(services: Services, run: StopRun, error: unknown): Promise<void> {
  if (error instanceof LeaseLostError) return;
  if (error instanceof ShutdownError)
    return releaseStop(services, run, { runAt: services.clock.now(), attempts: run.doc.attempts });
  // Another process takes over when the lease expires.
  if (logOutage(services.log, error)) return;
  services.log.error({ err: error, stopId: run.doc._id }, 'a stop hit an internal error; another run resumes it');
}
