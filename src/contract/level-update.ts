import { z } from 'zod';
import { AdSet, Campaign } from './campaign.ts';
import { RequestedStatus } from './ad-enums.ts';
import { ChangedAmount, changeNotes } from './ad-update.ts';
import { Instant, ObjectId, Text } from './common.ts';
import { AccountPlatform } from './platforms.ts';
import { withLimits } from './limits.ts';

const changes = {
  platform: AccountPlatform,
  accountId: ObjectId.optional().describe(
    'The connected account to use; by default the one that it is recorded with, else each account of the platform is searched',
  ),
  name: withLimits(Text.max(255).optional(), 'An object that was created here keeps its suffix'),
  budgetAmount: ChangedAmount.describe(
    "The new budget, in whole units of the ad account's currency. Whether it is daily or lifetime never changes; 409 `budget_level_mismatch` if the other level carries it",
  ),
  endDate: Instant.nullable()
    .optional()
    .describe(
      'The new end, in the future; null removes it if the platform supports that; 409 `schedule_level_mismatch` if the other level carries it',
    ),
  status: RequestedStatus.optional().describe('Pausing is the first change of a request, activating the last'),
  expectedBudgetAmount: ChangedAmount.describe(
    'Compare and set: 409 `budget_changed` if the budget at the platform is another one, and nothing is changed',
  ),
  validateOnly: z.boolean().default(false).describe('Dry run: reads and validates, changes nothing'),
};

export const UpdateCampaignInput = z
  .strictObject({ campaignId: Text.max(64).describe("The campaign's id at the platform"), ...changes })
  .meta({ id: 'UpdateCampaignInput', description: 'Changes the given fields of a campaign at the platform and here' });
export type UpdateCampaignInput = z.output<typeof UpdateCampaignInput>;

export const UpdateCampaignPayload = z
  .strictObject({ campaign: Campaign, ...changeNotes })
  .meta({ id: 'UpdateCampaignPayload', description: 'The campaign after the change' });
export type UpdateCampaignPayload = z.infer<typeof UpdateCampaignPayload>;

export const UpdateAdSetInput = z
  .strictObject({ adSetId: Text.max(64).describe("The ad set's id at the platform"), ...changes })
  .meta({ id: 'UpdateAdSetInput', description: 'Changes the given fields of an ad set at the platform and here' });
export type UpdateAdSetInput = z.output<typeof UpdateAdSetInput>;

export const UpdateAdSetPayload = z
  .strictObject({ adSet: AdSet, ...changeNotes })
  .meta({ id: 'UpdateAdSetPayload', description: 'The ad set after the change' });
export type UpdateAdSetPayload = z.infer<typeof UpdateAdSetPayload>;
