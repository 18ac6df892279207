import type { Removal } from '../../contract/ad.ts';
import type { RemovalMode } from '../../contract/capability.ts';
import { AppError } from '../../contract/error.ts';
import { capabilityOf, type AdPlatform } from '../../contract/platforms.ts';
import type { Affected, RemovalPayload } from '../../contract/removal.ts';
import type { RemovalDoc } from '../../models/removal.ts';
import type { Removable } from '../../platforms/platform.ts';
import { PlatformError, type PlatformFault } from '../../platforms/error.ts';
import { authorOf } from '../activity/author.ts';
import { recordingFailure } from '../activity/record-failure.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import { withCampaignLock } from '../ads/campaign-lock.ts';
import { notFound } from '../ads/write-level.ts';
import type { Ctx } from '../context.ts';
import { appErrorFromPlatform, faultOf } from '../platform-error.ts';
import { carryOut, isRemoved } from './carry-out.ts';
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

/** Removes an object at its platform and records it. An earlier attempt of unknown outcome is completed first. */
export function removeObject(ctx: Ctx, subject: RemovalSubject, request: RemovalRequest): Promise<RemovalPayload> {
  const { account, adapter } = subject.target;
  const { platform } = adapter;
  requireMode(platform, request.mode);
  return withCampaignLock(ctx, { platform, campaignId: subject.ref.campaignId, account }, async () => {
    const open = request.validateOnly ? null : await resumeRemoval(ctx, subject);
    const removable = await readAtPlatform(ctx, subject).catch(async (error: unknown) => {
      if (open) await deferRemoval(ctx, open);
      throw error;
    });
    if (!open) return removeLive(ctx, subject, { request, removable });
    await complete(ctx, subject, { removal: open, removable });
    if (open.mode === request.mode) return removedNow(subject.kind, open.mode, open.affected);
    return removeLive(ctx, subject, { request, removable: await readAtPlatform(ctx, subject) });
  });
}

const readAtPlatform = (ctx: Ctx, { target, ref }: RemovalSubject): Promise<Removable | undefined> =>
  callPlatform(ctx, target.account, (access) => target.adapter.readRemovable(access, ref));

interface Attempt {
  request: RemovalRequest;
  removable: Removable | undefined;
}

async function removeLive(
  ctx: Ctx,
  subject: RemovalSubject,
  { request: { mode, confirm, validateOnly }, removable }: Attempt,
): Promise<RemovalPayload> {
  const earlier = await recordedRemoval(ctx, subject);
  if (earlier && isRemoved(mode, removable)) return removedBefore(subject.kind, earlier);
  if (!removable || removable.status === 'deleted')
    throw new AppError(notFound[subject.kind], `The platform has no ${named(subject)}`);
  const affected = { adSets: removable.adSetIds.length, ads: removable.adIds.length };
  if (subject.kind !== 'ad' && confirm !== undefined && confirm !== affected.ads) throw changed(affected, confirm);
  if (validateOnly) {
    await requireNoOpenOrder(ctx, subject, removable);
    return { success: true, mode, affected, message: `Valid: the ${words[subject.kind]} was not removed` };
  }
  const removal = await beginRemoval(ctx, subject, { mode, removable, author: authorOf(ctx) });
  // An order that begins from now on finds the intent; one that began before is found here.
  await requireNoOpenOrder(ctx, subject, removable).catch(async (error: unknown) => {
    await closeRemoval(ctx, removal);
    throw error;
  });
  await complete(ctx, subject, { removal, removable });
  return removedNow(subject.kind, mode, affected);
}

const words = { ad: 'ad', ad_set: 'ad set', campaign: 'campaign' };
const pastOf = { delete: 'deleted', archive: 'archived' };

const named = ({ kind, ref }: RemovalSubject): string => `${words[kind]} ${ref.adId ?? ref.adSetId ?? ref.campaignId}`;

type Kind = RemovalSubject['kind'];

const removedNow = (kind: Kind, mode: RemovalMode, affected: Affected): RemovalPayload => ({
  success: true,
  mode,
  affected,
  message: `The ${words[kind]} was ${pastOf[mode]}`,
});

/** A repetition succeeds and changes nothing. */
export const removedBefore = (kind: Kind, removal: Removal): RemovalPayload => ({
  success: true,
  mode: removal === 'deleted' ? 'delete' : 'archive',
  affected: { adSets: 0, ads: 0 },
  message: `The ${words[kind]} was already ${removal}`,
});

const changed = (affected: Affected, confirm: number): AppError =>
  new AppError(
    'affected_changed',
    `confirm is ${confirm}, but the number of ads to remove is ${affected.ads} at the platform; check them and confirm that number`,
    {
      param: 'confirm',
      details: { affected },
    },
  );

/** How an earlier call removed the object, by its record. */
async function recordedRemoval(
  { db }: Ctx,
  { kind, recordId: _id }: RemovalSubject,
): Promise<Removal | null | undefined> {
  const fields = { removal: 1 } as const;
  const record = await {
    ad: () => db.ads.findOne({ _id }, fields).lean(),
    ad_set: () => db.adSets.findOne({ _id }, fields).lean(),
    campaign: () => db.campaigns.findOne({ _id }, fields).lean(),
  }[kind]();
  return record?.removal;
}

interface OpenRemoval {
  removal: RemovalDoc;
  removable: Removable | undefined;
}

/** Carries out and records a removal. A certain failure deletes the intent; an unknown outcome is reconciled. */
async function complete(
  ctx: Ctx,
  { kind, target }: RemovalSubject,
  { removal, removable }: OpenRemoval,
): Promise<void> {
  const changes: string[] = [];
  try {
    const changed = { kind, recordId: removal._id, author: removal.author };
    await recordingFailure(ctx, changed, () => carryOut(ctx, removal, { target, removable, changes }));
  } catch (error) {
    const known = error instanceof PlatformError ? appErrorFromPlatform(error, notFound[kind]) : error;
    // After any other error the lease expires, and the reconciler goes on.
    if (!(known instanceof AppError)) throw error;
    if (changes.length > 0) known.extras.details = { ...known.extras.details, done: changes };
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

function unconfirmed({ code, message, extras, cause }: AppError, kind: Kind): AppError {
  const fate = `It is unknown whether the ${words[kind]} is removed; the removal is completed automatically`;
  return new AppError(code, `${message}. ${fate}`, { ...extras, holdsKey: true }, { cause });
}
