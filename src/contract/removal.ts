import { z } from 'zod';
import { removalModes } from './capability.ts';
import { Count, Flag, ObjectId, Text, Warning } from './common.ts';
import { AccountPlatform } from './platforms.ts';

export const RemovalMode = z.enum(removalModes).meta({
  id: 'RemovalMode',
  description: 'How an object is removed; `removal` of `GET /v1/platforms` lists the modes of each platform',
});

const shared = {
  mode: RemovalMode.default('delete').describe(
    '501 `unsupported_platform_operation` if the platform lacks the mode; it is never replaced by the other one',
  ),
  validateOnly: Flag.default(false).describe('Dry run: reads, counts and validates, removes nothing'),
};

const ofLevel = {
  platform: AccountPlatform,
  accountId: ObjectId.optional().describe(
    'The connected account to use; by default the one that it is recorded with, else each account of the platform is searched',
  ),
  confirm: Count.optional().describe(
    'The number of ads to remove: `affected.ads` of a dry run. Required unless `validateOnly` is true. 409 `affected_changed` if the platform has another number of ads',
  ),
  ...shared,
};

/** Runs even if other fields are invalid, whose values then have any type. */
function requireConfirm(
  { confirm, validateOnly }: { confirm?: number; validateOnly: boolean },
  check: z.core.$RefinementCtx,
): void {
  if (confirm !== undefined || validateOnly) return;
  const message = 'is required: the number of ads that will be removed, which a dry run with validateOnly returns';
  check.addIssue({ code: 'custom', path: ['confirm'], message, params: { code: 'missing_required_field' } });
}
const isAlwaysChecked = { when: () => true };

export const DeleteAdInput = z
  .strictObject({ adId: ObjectId, ...shared })
  .meta({ id: 'DeleteAdInput', description: 'Removes one ad at its platform' });
export type DeleteAdInput = z.output<typeof DeleteAdInput>;

export const DeleteAdSetInput = z
  .strictObject({ adSetId: Text.max(64).describe("The ad set's id at the platform"), ...ofLevel })
  .superRefine(requireConfirm, isAlwaysChecked)
  .meta({ id: 'DeleteAdSetInput', description: 'Removes an ad set with its ads at its platform' });
export type DeleteAdSetInput = z.output<typeof DeleteAdSetInput>;

export const DeleteCampaignInput = z
  .strictObject({ campaignId: Text.max(64).describe("The campaign's id at the platform"), ...ofLevel })
  .superRefine(requireConfirm, isAlwaysChecked)
  .meta({ id: 'DeleteCampaignInput', description: 'Removes a campaign with its ad sets and ads at its platform' });
export type DeleteCampaignInput = z.output<typeof DeleteCampaignInput>;

export const Affected = z
  .strictObject({
    adSets: z.int().describe('Number of ad sets, including the removed one'),
    ads: z.int().describe('Number of ads, including the removed one'),
  })
  .meta({
    id: 'AffectedObjects',
    description: 'How many objects are removed; 0 if an earlier call removed them',
  });
export type Affected = z.infer<typeof Affected>;

export const RemovalPayload = z
  .strictObject({
    success: z.literal(true).describe('Always true; failures are errors'),
    mode: RemovalMode.readonly().describe('How the object was removed, by this call or an earlier one'),
    affected: Affected,
    message: z.string().describe('Human-readable message'),
    warnings: z.array(Warning).optional().describe('What is adjusted, and why; absent if nothing is'),
  })
  .meta({ id: 'RemovalPayload', description: 'What was removed, or with `validateOnly` what would be removed' });
export type RemovalPayload = z.infer<typeof RemovalPayload>;
