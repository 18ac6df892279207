import { z } from 'zod';
import { Ad } from './ad.ts';
import { RequestedStatus } from './ad-enums.ts';
import { Instant, ObjectId, Text, Warning } from './common.ts';
import { AccountPlatform } from './platforms.ts';
import { withLimits } from './limits.ts';
import { UrlParametersInput } from './url-parameters.ts';

export const ChangedAmount = z.number().positive().max(1e9).optional();
export const changeNotes = {
  message: z.string().describe('Human-readable message'),
  warnings: z.array(Warning).optional().describe('What is adjusted, and why; absent if nothing is'),
};

export const UpdateAdInput = z
  .strictObject({
    adId: ObjectId,
    name: withLimits(Text.max(255).optional(), 'The name at the platform keeps its suffix'),
    budgetAmount: ChangedAmount.describe(
      "In whole units of the ad account's currency. It is the budget of the ad set, so its other ads share it; 409 `budget_level_mismatch` where the campaign carries the budget of several ad sets",
    ),
    endDate: Instant.nullable()
      .optional()
      .describe('When the ad set ends, in the future; null removes the end date if the platform supports it'),
    urlParameters: withLimits(
      UrlParametersInput.optional(),
      'Platforms B and F: replaces all URL parameters of the ad; on F, of all ads of its ad set',
    ),
  })
  .meta({ id: 'UpdateAdInput', description: 'Changes the given fields at the platform and here' });
export type UpdateAdInput = z.output<typeof UpdateAdInput>;

export const SetAdStatusInput = z
  .strictObject({ adId: ObjectId, status: RequestedStatus })
  .meta({ id: 'SetAdStatusInput', description: 'Activates or pauses one ad' });
export type SetAdStatusInput = z.output<typeof SetAdStatusInput>;

export const UpdateAdPayload = z
  .strictObject({
    ad: Ad,
    ...changeNotes,
  })
  .meta({ id: 'UpdateAdPayload', description: 'The ad after the change' });
export type UpdateAdPayload = z.infer<typeof UpdateAdPayload>;

export const SetCampaignStatusInput = z
  .strictObject({
    campaignId: Text.max(64).describe("The campaign's id at the platform"),
    platform: AccountPlatform,
    status: RequestedStatus,
  })
  .meta({ id: 'SetCampaignStatusInput', description: 'Activates or pauses a whole campaign' });
export type SetCampaignStatusInput = z.output<typeof SetCampaignStatusInput>;

export const SetCampaignStatusPayload = z
  .strictObject({
    success: z.literal(true).describe('Always true; failures are errors'),
    campaignId: z.string().describe('As it was given'),
    accountId: ObjectId.describe('The connected account that was used'),
    status: RequestedStatus,
    message: z.string().describe('Human-readable message'),
  })
  .meta({ id: 'SetCampaignStatusPayload', description: 'The campaign after the change' });
export type SetCampaignStatusPayload = z.infer<typeof SetCampaignStatusPayload>;
