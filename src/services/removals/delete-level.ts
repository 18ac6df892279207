import type { DeleteAdSetInput, DeleteCampaignInput, RemovalPayload } from '../../contract/removal.ts';
import { adPlatformOf, type AccountPlatform } from '../../contract/platforms.ts';
import type { RemovalMode } from '../../contract/capability.ts';
import { requireAdsAccess } from '../access.ts';
import { findLevel } from '../ads/find-level.ts';
import { recordsOf } from '../ads/level-subject.ts';
import type { Ctx } from '../context.ts';
import { removeObject, requireMode } from './remove-object.ts';

/** Deletes or archives a campaign with its ad sets and ads at its platform. Their figures stay. */
export async function deleteCampaign(ctx: Ctx, input: DeleteCampaignInput): Promise<RemovalPayload> {
  const { platform, accountId, campaignId, ...request } = input;
  requireModeOf(ctx, platform, request.mode);
  const { target, ref } = await findLevel(ctx, { platform, accountId, campaignId });
  const recordId = recordsOf({ target, ref }).campaignRef;
  return removeObject(ctx, { kind: 'campaign', target, ref, recordId }, request);
}

/** The same for an ad set. */
export async function deleteAdSet(ctx: Ctx, input: DeleteAdSetInput): Promise<RemovalPayload> {
  const { platform, accountId, adSetId, ...request } = input;
  requireModeOf(ctx, platform, request.mode);
  const { target, ref } = await findLevel(ctx, { platform, accountId, adSetId });
  const recordId = recordsOf({ target, ref }).adSetRef ?? '';
  return removeObject(ctx, { kind: 'ad_set', target, ref, recordId }, request);
}

/** Before the object is searched at the platform. */
function requireModeOf(ctx: Ctx, platform: AccountPlatform, mode: RemovalMode): void {
  requireAdsAccess(ctx);
  const adPlatform = adPlatformOf(platform);
  if (adPlatform) requireMode(adPlatform, mode);
}
