import type { RemovalMode } from '../../contract/capability.ts';
import { AppError } from '../../contract/error.ts';
import type { AdPlatform } from '../../contract/platforms.ts';
import { capabilityOf } from '../../contract/platforms.ts';
import type { Affected, RemovalPayload } from '../../contract/removal.ts';
import type { RemovalDoc } from '../../models/removal.ts';
import type { Removable } from '../../platforms/platform.ts';
import { PlatformError, type PlatformFault } from '../../platforms/error.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import { withCampaignLock } from '../ads/campaign-lock.ts';
import { notFound } from '../ads/write-level.ts';
import type { Ctx } from '../context.ts';
import { appErrorFromPlatform } from '../platform-error.ts';
import { carryOut, faultOf, isRemoved } from './carry-out.ts';
import { recordRemoval } from './record-removal.ts';
import { requireNoOpenOrder } from './open-order.ts';
import { beginRemoval, closeRemoval, deferRemoval, resumeRemoval, type RemovalSubject } from './removal-store.ts';

export interface RemovalRequest {
  mode: RemovalMode;
  /** The number of ads that will be removed; an ad needs none. */
  confirm?: number;
  validateOnly: boolean;
}

/** Throws if the platform does not have the mode, naming the other one. */
export function requireMode(platform: AdPlatform, mode: RemovalMode): void {
  const { removal } = capabilityOf(platform);
  if (removal.includes(mode)) return;
  const message = `Platform ${platform} cannot ${mode} objects through its API; use mode ${removal.join(' or ')}`;
  throw new AppError('unsupported_platform_operation', message, { param: 'mode', platform });
}

/** Removes an object at its platform, then here. What was left open by a lost response is completed first. */
export function removeObject(ctx: Ctx, subject: RemovalSubject, request: RemovalRequest): Promise<RemovalPayload> {
  const { target, ref } = subject;
  requireMode(target.adapter.platform, request.mode);
  return withCampaignLock(ctx, { platform: target.adapter.platform, campaignId: ref.campaignId }, async () => {
    const open = request.validateOnly ? null : await resumeRemoval(ctx, subject);
    const removable = await callPlatform(ctx, target.account, (access) => target.adapter.readRemovable(access, ref));
    if (open) {
      await complete(ctx, subject, { removal: open, removable });
      if (open.mode === request.mode) return done(subject, open.mode, open.affected);
      return removeLive(ctx, subject, { request, removable: await stillThere(ctx, subject) });
    }
    return removeLive(ctx, subject, { request, removable });
  });
}

const stillThere = (ctx: Ctx, { target, ref }: RemovalSubject): Promise<Removable | undefined> =>
  callPlatform(ctx, target.account, (access) => target.adapter.readRemovable(access, ref));

interface Live {
  request: RemovalRequest;
  removable: Removable | undefined;
}

async function removeLive(
  ctx: Ctx,
  subject: RemovalSubject,
  { request: { mode, confirm, validateOnly }, removable }: Live,
): Promise<RemovalPayload> {
  const earlier = await recordedRemoval(ctx, subject);
  if (earlier && (removable === undefined || isRemoved(mode, removable))) return done(subject, earlier, nothing);
  if (!removable)
    throw new AppError(notFound[subject.kind], `There is no ${named(subject)}: it is not at the platform`);
  const affected = { adSets: removable.adSetIds.length, ads: removable.adIds.length };
  if (subject.kind !== 'ad' && confirm !== undefined && confirm !== affected.ads) throw changed(affected, confirm);
  if (validateOnly) {
    await requireNoOpenOrder(ctx, subject, removable);
    return { success: true, mode, affected, message: `Valid: the ${words[subject.kind]} was not removed` };
  }
  const removal = await beginRemoval(ctx, subject, { mode, removable });
  // An order that begins from now on finds the intent; one that began before is found here.
  await requireNoOpenOrder(ctx, subject, removable).catch(async (error: unknown) => {
    await closeRemoval(ctx, removal);
    throw error;
  });
  await complete(ctx, subject, { removal, removable });
  return done(subject, mode, affected);
}

const nothing: Affected = { adSets: 0, ads: 0 };
const words = { ad: 'ad', ad_set: 'ad set', campaign: 'campaign' };
const pastOf = { delete: 'deleted', archive: 'archived' };

const named = ({ kind, ref }: RemovalSubject): string => `${words[kind]} ${ref.adId ?? ref.adSetId ?? ref.campaignId}`;

function done({ kind }: RemovalSubject, mode: RemovalMode, affected: Affected): RemovalPayload {
  const was = affected === nothing ? ' before' : '';
  const message = `The ${words[kind]} was ${pastOf[mode]}${was}`;
  return { success: true, mode, affected, message };
}

const changed = (affected: Affected, confirm: number): AppError =>
  new AppError('affected_changed', `${affected.ads} ads would be removed, not ${confirm}: read them, then decide`, {
    param: 'confirm',
    details: { affected },
  });

/** How the object was removed before, as its record says. */
async function recordedRemoval({ db }: Ctx, { kind, recordId: _id }: RemovalSubject): Promise<RemovalMode | undefined> {
  const fields = { removal: 1 } as const;
  const record = await {
    ad: () => db.ads.findOne({ _id }, fields).lean(),
    ad_set: () => db.adSets.findOne({ _id }, fields).lean(),
    campaign: () => db.campaigns.findOne({ _id }, fields).lean(),
  }[kind]();
  if (!record?.removal) return undefined;
  return record.removal === 'deleted' ? 'delete' : 'archive';
}

interface Begun {
  removal: RemovalDoc;
  removable: Removable | undefined;
}

/** Carries out and records a removal. A certain failure ends it, an unknown outcome is reconciled. */
async function complete(ctx: Ctx, { kind, target }: RemovalSubject, { removal, removable }: Begun): Promise<void> {
  const parts: string[] = [];
  try {
    await carryOut(ctx, removal, { target, removable, parts });
  } catch (error) {
    const known = error instanceof PlatformError ? appErrorFromPlatform(error, notFound[kind]) : error;
    // After any other error the lease expires, and the reconciler goes on.
    if (!(known instanceof AppError)) throw error;
    if (parts.length > 0) known.extras.details = { ...known.extras.details, done: parts };
    if (isCertain(removal, faultOf(error))) {
      await closeRemoval(ctx, removal);
      throw known;
    }
    await deferRemoval(ctx, removal);
    throw unconfirmed(known, kind);
  }
  await recordRemoval(ctx, removal);
}

/** An earlier attempt whose response was lost may have been executed, unless the platform rejects the removal as such. */
const isCertain = ({ isUncertain }: RemovalDoc, fault: PlatformFault | undefined): boolean =>
  fault !== 'unknown_outcome' && (!isUncertain || fault === 'rejected' || fault === 'unsupported');

function unconfirmed({ code, message, extras, cause }: AppError, kind: RemovalSubject['kind']): AppError {
  const fate = `The ${words[kind]} may or may not be removed; the removal is completed automatically`;
  return new AppError(code, `${message}. ${fate}`, { ...extras, holdsKey: true }, { cause });
}
