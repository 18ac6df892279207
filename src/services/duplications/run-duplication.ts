import { AppError } from '../../contract/error.ts';
import type { DuplicationDoc } from '../../models/duplication.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Access, Copied, CopyAdapter, CopyOrder, CopyTree } from '../../platforms/platform.ts';
import { withAccess } from '../accounts/platform-access.ts';
import { withCampaignLock } from '../ads/campaign-lock.ts';
import type { AdTarget } from '../ads/ad-target.ts';
import { ensurePaused } from '../ads/ensure-paused.ts';
import { campaignRefOf } from '../campaigns/ids.ts';
import type { Services } from '../context.ts';
import type { RequireHeld } from '../durable/lease.ts';
import { createCopyJournal, type StoredCopyJournal } from './copy-journal.ts';
import { saveSteps } from './copy-steps.ts';
import { stepsOf } from './find-steps.ts';
import { createCopyWriter } from './copy-writer.ts';
import { handleFailure } from './handle-failure.ts';
import {
  change,
  claimDuplication,
  finish,
  release,
  timesOf,
  withDuplicationLease,
  type DuplicationRun,
} from './duplication-store.ts';
import { recordRunning } from './write-copies.ts';
import { removalOf } from './campaign-removed.ts';
import { requestOwnerDiscovery } from './request-discovery.ts';

export const copyOrderOf = (doc: DuplicationDoc): CopyOrder & { tree: CopyTree } => ({
  operationId: doc._id,
  adAccount: doc.adAccount,
  campaignId: doc.sourceCampaignId,
  options: doc.options,
  placedAt: doc.createdAt,
  tree: doc.tree,
});

/** Runs a duplication that is due as far as possible; returns when to run it again, undefined if it has ended. */
export async function runDuplication(
  services: Services,
  duplicationId: string,
  signal?: AbortSignal,
): Promise<Date | undefined> {
  const run = await claimDuplication(services, duplicationId);
  if (!run) return undefined;
  const work = (requireHeld: RequireHeld): Promise<Date | undefined> =>
    resume(services, run, { requireHeld }).then(
      () => undefined,
      (error: unknown) => handleFailure(services, run, error),
    );
  return withDuplicationLease(services, run, work, signal);
}

/** Starts or resumes the copy; with `untilCampaign`, a worker copies a larger tree. */
export async function resume(
  services: Services,
  run: DuplicationRun,
  { requireHeld, untilCampaign = false }: { requireHeld: RequireHeld; untilCampaign?: boolean },
): Promise<void> {
  const removal = await removalOf(services, run.doc);
  if (removal && !removal.mayBeActive) throw removal.error;
  const { adapter, copies, account } = await adapterFor(services, run);
  const journal = await journalOf(services, run);
  const recorder = createCopyWriter(services, () => ({ doc: run.doc, all: journal.copied }));
  journal.listen((copied) => recorder.add(copied));
  const act = <T>(with_: (access: Access) => Promise<T>): Promise<T> =>
    withAccess(services, account, (access) =>
      with_({ ...access, beforeWrite: () => requireHeld(run.confirmedAt) }),
    ).catch(noAccess(run));
  try {
    if (!removal || run.doc.copiedCampaignId === null) {
      const { raw = {} } = await act((access) => copies.copyCampaign(access, copyOrderOf(run.doc), journal));
      await journal.flush();
      if (run.doc.copiedCampaignId === null) await recordCampaign(services, run, { journal, raw });
    }
    if (removal) {
      await pauseCopy(services, run, { journal, target: { account, adapter } });
      // Until then, its record can say that it is active.
      await discover(services, run, { isNeeded: true });
      throw removal.error;
    }
    if (untilCampaign && !isComplete(run, journal)) {
      await recorder.flush();
      await discover(services, run);
      return await release(services, run, { runAt: services.clock.now() });
    }
    await act((access) => copies.copyRest(access, copyOrderOf(run.doc), journal));
    await journal.flush();
  } catch (error) {
    // What exists already is discovered even so. If that fails too, the first error is thrown: the next run tries both again.
    const { copiedCampaignId, discovery } = run.doc;
    if (copiedCampaignId !== null && discovery === null) await discover(services, run).catch(() => undefined);
    // What it cannot store is searched for by the next run.
    await journal.flush().catch(() => undefined);
    throw error;
  } finally {
    count(run, journal);
    // What it cannot store is stored by the next flush, or by the next run.
    await recorder.flush().catch(() => undefined);
  }
  await recorder.flush();
  await lockCampaign(services, run, async () => {
    // Its owner may have paused it since.
    await requireHeld();
    await recordRunning(services, run.doc, journal.copied);
  });
  // The discovery requested after the campaign may have run before its ads existed or before it was activated.
  await discover(services, run);
  await finish(services, run, { status: 'completed', error: null, copied: run.doc.copied });
}

const lockCampaign = <T>(services: Services, { doc }: DuplicationRun, act: () => Promise<T>): Promise<T> =>
  withCampaignLock(
    services,
    { platform: doc.adPlatform, campaignId: doc.copiedCampaignId ?? '', account: ownerOf(doc) },
    act,
  );

const ownerOf = ({ accountId: _id, userId, profileId }: DuplicationDoc) => ({ _id, userId, profileId });

/** A revoked connection is a permanent error. */
const noAccess =
  ({ doc }: DuplicationRun) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== 'platform_token_expired') throw error;
    throw new PlatformError(doc.adPlatform, 'auth_expired', error.message, {}, { cause: error });
  };

/**
 * Pauses a copy that an earlier run may have activated, since its record says that it is paused. A failure counts as an unknown
 * outcome, so that it is tried again: the owner may have to reconnect the account first.
 */
async function pauseCopy(
  services: Services,
  run: DuplicationRun,
  { journal, target }: { journal: StoredCopyJournal; target: AdTarget },
): Promise<void> {
  const campaign = { adAccount: run.doc.adAccount, campaignId: run.doc.copiedCampaignId ?? '' };
  const pause = async () => {
    await ensurePaused(services, target, campaign).catch(noAccess(run));
    return { copied: [] };
  };
  await journal.run({ name: 'pause', makes: [], send: pause }).catch((error: unknown) => {
    if (!(error instanceof PlatformError)) throw error;
    const message = `The copy could not be paused and may still be active: ${error.message}`;
    throw new PlatformError(run.doc.adPlatform, 'unknown_outcome', message, error.upstream, { cause: error });
  });
  await journal.flush();
}

interface ListeningJournal extends StoredCopyJournal {
  listen: (hear: (copied: StoredCopyJournal['copied']) => void) => void;
}

async function journalOf(services: Services, run: DuplicationRun): Promise<ListeningJournal> {
  const { _id: duplicationId, adPlatform: platform } = run.doc;
  const steps = await stepsOf(services, run.doc);
  let hear: (copied: StoredCopyJournal['copied']) => void = () => undefined;
  const journal = createCopyJournal({
    platform,
    duplicationId,
    steps,
    now: services.clock.now,
    quietSince: run.quietSince,
    lateMs: timesOf(services).lateMs,
    save: (changed) => {
      count(run, journal);
      return saveSteps(services, run, changed);
    },
    onCopied: (copied) => hear(copied),
    withCampaignLock: (act) => lockCampaign(services, run, act),
  });
  count(run, journal);
  return Object.assign(journal, { listen: (listener: typeof hear) => void (hear = listener) });
}

function count(run: DuplicationRun, { copied }: StoredCopyJournal): void {
  const of = (kind: Copied['kind']): number => copied.filter((one) => one.kind === kind).length;
  const next = { adSets: of('adSet'), ads: of('ad') };
  const hasGrown = next.adSets > run.doc.copied.adSets || next.ads > run.doc.copied.ads;
  run.doc = { ...run.doc, copied: next, ...(hasGrown && { attempts: 0 }) };
}

async function adapterFor({ db, platforms }: Services, { doc }: DuplicationRun) {
  const account = await db.accounts.findOne({ _id: doc.accountId }).lean();
  const adapter = platforms[doc.adPlatform];
  const copies: CopyAdapter | undefined = adapter?.copies;
  if (account && adapter && copies) return { account, adapter, copies };
  throw new PlatformError(doc.adPlatform, 'unsupported', 'The account is no longer connected');
}

const isComplete = ({ doc }: DuplicationRun, { copyOf }: StoredCopyJournal): boolean =>
  doc.tree.adSets.every(
    (adSet) => copyOf('adSet', adSet.id) !== undefined && adSet.ads.every((ad) => copyOf('ad', ad.id) !== undefined),
  );

/** Records the campaign and releases its conflict key. The owner may have found and paused it before. */
async function recordCampaign(
  services: Services,
  run: DuplicationRun,
  { journal, raw }: { journal: StoredCopyJournal; raw: Record<string, unknown> },
): Promise<void> {
  const { accountId, adPlatform: platform, sourceCampaignId, copied, tree } = run.doc;
  const campaignId = journal.copyOf('campaign', sourceCampaignId);
  if (campaignId === undefined) throw new Error('A copy that was made names its campaign');
  await withCampaignLock(services, { platform, campaignId, account: ownerOf(run.doc) }, async () => {
    const _id = campaignRefOf(accountId, campaignId);
    const isOnHold = (await services.db.campaigns.exists({ _id, pausedByOwnerAt: { $ne: null } })) !== null;
    const held = isOnHold && { tree: { ...tree, campaign: { ...tree.campaign, isOnHold } } };
    await change(services, run, { copiedCampaignId: campaignId, raw, copied, ...held }, { $unset: { conflictKey: 1 } });
  });
}

async function discover(services: Services, run: DuplicationRun, { isNeeded = false } = {}): Promise<void> {
  if (!run.doc.syncAfter && !isNeeded) return change(services, run, { discovery: 'skipped' });
  const outcome = await requestOwnerDiscovery(services, ownerOf(run.doc)).then(
    () => 'triggered' as const,
    (error: unknown) => {
      services.log.error({ err: error }, 'could not request the discovery after a copy');
      return 'failed' as const;
    },
  );
  await change(services, run, { discovery: outcome });
}
