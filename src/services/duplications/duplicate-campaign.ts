import type { DuplicateCampaignInput, DuplicateCampaignPayload } from '../../contract/duplication.ts';
import type { Warning } from '../../contract/common.ts';
import { AppError, invalidField } from '../../contract/error.ts';
import { sha256 } from '../../lib/hash.ts';
import { newId } from '../../lib/id.ts';
import type { DuplicationDoc, StoredCopyOptions } from '../../models/duplication.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { CopyAdapter, CopyOrder, CopyTree } from '../../platforms/platform.ts';
import { requireAccount, requireAdsAccess } from '../access.ts';
import { authorOf } from '../activity/author.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import { releaseCopy, requireCopyWithinLimits, reserveCopy } from '../budget-limits/copy-limits.ts';
import { budgetKeyOf } from '../budget-limits/parties.ts';
import { requireNotRestored } from '../backup/close-restored.ts';
import { requireNoForgottenCopy } from '../backup/forgotten-copies.ts';
import type { Ctx } from '../context.ts';
import { LeaseLostError } from '../durable/lease.ts';
import { isDeferred } from '../encryption/deferring-encrypter.ts';
import { appErrorFromPlatform } from '../platform-error.ts';
import {
  insertDuplication,
  claimDuplication,
  reopenDuplication,
  withDuplicationLease,
  finish as closeRun,
  type DuplicationRun,
} from './duplication-store.ts';
import { requireNotMarked } from '../stops/require-not-stopped.ts';
import { findSource, noCampaign, type CopySourceTarget } from './find-source.ts';
import { handleFailure, isUncertain } from './handle-failure.ts';
import { resume, copyOrderOf } from './run-duplication.ts';

/**
 * Copies a campaign within its ad account and answers as soon as the campaign itself is there; a larger tree goes on in the
 * background. `duplicationId` is the same on every repetition under one Idempotency-Key.
 */
export async function duplicateCampaign(
  ctx: Ctx,
  input: DuplicateCampaignInput,
  duplicationId: string = newId(),
): Promise<DuplicateCampaignPayload> {
  const { options, warnings } = optionsOf(ctx, input);
  const earlier = await ctx.db.duplications.findOne({ _id: duplicationId, userId: ctx.caller.userId }).lean();
  const doc = earlier ? await goOn(ctx, earlier) : await begin(ctx, { duplicationId, input, options });
  return toResult(doc, warnings);
}

interface Beginning {
  duplicationId: string;
  input: DuplicateCampaignInput;
  options: StoredCopyOptions;
}

async function begin(ctx: Ctx, beginning: Beginning): Promise<DuplicationDoc> {
  requireAdsAccess(ctx);
  const { duplicationId: _id, input, options } = beginning;
  const planned = { _id, sourceCampaignId: input.campaignId, options };
  const target = await findSource(ctx, input, async (source) => {
    if (options.statusOption !== 'PAUSED') requireNotMarked(ctx, source);
    await requireCopyWithinLimits(ctx, source, planned);
  });
  if (options.statusOption !== 'PAUSED') requireNotMarked(ctx, target);
  const fresh = await newDuplication(ctx, beginning, target);
  await requireNoForgottenCopy(ctx, fresh);
  await reserveCopy(ctx, target, fresh);
  const run = await insertDuplication(ctx, fresh).catch(async (error: unknown) => {
    await releaseCopy(ctx, target, fresh);
    throw error;
  });
  return copyNow(ctx, run);
}

/** Reads the source before anything is stored: what cannot be copied leaves nothing behind. */
async function newDuplication(
  ctx: Ctx,
  { duplicationId, input, options }: Beginning,
  { account, adapter, copies, adAccount }: CopySourceTarget,
): Promise<Omit<DuplicationDoc, 'fencingToken' | 'lease' | 'runAt'>> {
  const now = ctx.clock.now();
  const order = { operationId: duplicationId, adAccount, campaignId: input.campaignId, options, placedAt: now };
  const tree = await callPlatform(ctx, account, (access) => copies.readTree(access, order), 'campaign_not_found');
  return {
    _id: duplicationId,
    userId: account.userId,
    profileId: account.profileId,
    accountId: account._id,
    platform: account.platform,
    adPlatform: adapter.platform,
    adAccount,
    sourceCampaignId: tree.campaign.id,
    options,
    author: authorOf(ctx),
    syncAfter: input.syncAfter,
    tree,
    status: 'running',
    copiedCampaignId: null,
    raw: null,
    copied: { adSets: 0, ads: 0 },
    discovery: null,
    error: null,
    conflictKey: conflictKey(copies, order, tree),
    budgetKeyId: budgetKeyOf(ctx.caller),
    attempts: 0,
    createdAt: now,
    updatedAt: now,
    finishedAt: null,
  };
}

const conflictKey = (copies: CopyAdapter, order: CopyOrder, tree: CopyTree): string =>
  sha256(`${order.adAccount.id} ${copies.conflictKey(order, tree)}`);

function likenessOf({ platforms }: Ctx, doc: DuplicationDoc): string {
  const copies = platforms[doc.adPlatform]?.copies;
  if (!copies) throw new Error(`Platform ${doc.adPlatform} has no copies`);
  return conflictKey(copies, copyOrderOf(doc), doc.tree);
}

/** Handles a repeated call: returns a finished copy and resumes any other. */
async function goOn(ctx: Ctx, seen: DuplicationDoc): Promise<DuplicationDoc> {
  if (seen.status === 'completed' || (seen.status === 'running' && seen.copiedCampaignId !== null)) return seen;
  requireAdsAccess(ctx);
  requireNotRestored(seen);
  const run =
    seen.status === 'failed'
      ? await reopenDuplication(ctx, seen, likenessOf(ctx, seen))
      : await claimDuplication(ctx, seen._id);
  if (!run) throw takenOver();
  if (seen.status === 'failed') await reserveAgain(ctx, run);
  return copyNow(ctx, run);
}

/** A limit may have been reached since the copy failed: it then stays failed. */
async function reserveAgain(ctx: Ctx, run: DuplicationRun): Promise<void> {
  const { accountId, adAccount } = run.doc;
  try {
    await reserveCopy(ctx, { account: await requireAccount(ctx, accountId), adAccount }, run.doc);
  } catch (error) {
    await closeRun(ctx, run, { status: 'failed', error: (error as Error).message });
    throw error;
  }
}

const takenOver = (): AppError =>
  new AppError('idempotency_in_progress', 'This duplication is already in progress; retry in a moment', {
    holdsKey: true,
    retryAfterSeconds: 5,
  });

async function copyNow(ctx: Ctx, run: DuplicationRun): Promise<DuplicationDoc> {
  await withDuplicationLease(ctx, run, async (requireHeld) => {
    try {
      await resume(ctx, run, { requireHeld, untilCampaign: true });
    } catch (error) {
      if (run.doc.copiedCampaignId === null) throw await refusal(ctx, run, error);
      // The campaign is there: what stopped the rest is the worker's to mend, or its record says why it failed.
      await handleFailure(ctx, run, error);
    }
  });
  return run.doc;
}

/** Without its campaign there is nothing to wait for, unless the outcome of creating it is unknown. */
async function refusal(ctx: Ctx, run: DuplicationRun, error: unknown): Promise<unknown> {
  if (error instanceof LeaseLostError) return takenOver();
  if (!(error instanceof PlatformError)) {
    await handleFailure(ctx, run, error);
    return isDeferred(error) ? goesOn(run, error) : error;
  }
  const isUnknown = error.fault === 'unknown_outcome' || (await isUncertain(ctx, run));
  const { platform, fault, message, upstream } = error;
  // A caller is there to try again, so nothing else waits for the platform.
  await handleFailure(
    ctx,
    run,
    isUnknown ? error : new PlatformError(platform, 'rejected', message, upstream, { cause: error }),
  );
  const known = appErrorFromPlatform(new PlatformError(platform, fault, message, upstream), 'campaign_not_found');
  const fate = 'The copy may or may not exist on the platform; it will be reconciled and resumed automatically';
  return new AppError(
    known.code,
    isUnknown ? `${known.message}. ${fate}` : known.message,
    {
      ...known.extras,
      details: { duplicationId: run.doc._id, ...known.extras.details },
      // A call that came too early can be repeated under its key and then resumes the same duplication.
      holdsKey: isUnknown || known.status >= 500 || known.status === 429 || known.status === 401,
    },
    { cause: error },
  );
}

/** A repeated call with the same Idempotency-Key continues the same duplication. */
const goesOn = ({ doc }: DuplicationRun, { code, message, extras, cause }: AppError): AppError =>
  new AppError(code, message, { ...extras, details: { duplicationId: doc._id }, holdsKey: true }, { cause });

function optionsOf(
  ctx: Ctx,
  { deepCopy, statusOption, startTime, endTime, renameStrategy, renamePrefix, renameSuffix }: DuplicateCampaignInput,
): { options: StoredCopyOptions; warnings: Warning[] } {
  const start = startTime ? new Date(startTime) : ctx.clock.now();
  if (endTime && new Date(endTime) <= start) {
    const message = startTime ? 'must be after startTime' : 'must be in the future';
    throw invalidField('endTime', message);
  }
  if (endTime && new Date(endTime) <= ctx.clock.now()) {
    throw invalidField('endTime', 'must be in the future');
  }
  const hasAffix = renamePrefix !== undefined || renameSuffix !== undefined;
  const strategy = renameStrategy ?? (hasAffix ? 'ONLY_TOP_LEVEL_RENAME' : 'NO_RENAME');
  const isIdle = strategy === 'NO_RENAME' && hasAffix;
  const param = renamePrefix === undefined ? 'renameSuffix' : 'renamePrefix';
  return {
    options: {
      deepCopy,
      statusOption,
      renameStrategy: strategy,
      ...(startTime && { startTime }),
      ...(endTime && { endTime }),
      ...(!isIdle && renamePrefix !== undefined && { renamePrefix }),
      ...(!isIdle && renameSuffix !== undefined && { renameSuffix }),
    },
    warnings: isIdle ? [{ param, message: 'Not applied: renameStrategy is NO_RENAME' }] : [],
  };
}

function toResult(doc: DuplicationDoc, warnings: Warning[]): DuplicateCampaignPayload {
  const { copiedCampaignId, discovery, raw } = doc;
  if (copiedCampaignId === null)
    throw noCampaign({ campaignId: doc.sourceCampaignId, platform: doc.platform } as never);
  return {
    copiedCampaignId,
    discovery: discovery ?? 'failed',
    raw: raw ?? {},
    duplicationId: doc._id,
    ...(warnings.length > 0 && { warnings }),
  };
}
