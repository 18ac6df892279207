import { z } from 'zod';
import { BidStrategy, BudgetLevel, Goal } from './ad-enums.ts';
import { AdCreative, PromotedObject, Targeting } from './ad-content.ts';
import { AdDeclarations } from './ad-declarations.ts';
import { InstantOut, ObjectId, Warning } from './common.ts';
import { Metrics } from './metrics.ts';
import { Budget, Currency } from './money.ts';
import { AccountPlatform } from './platforms.ts';
import { UrlParameter } from './url-parameters.ts';

export const Removal = z.enum(['deleted', 'archived']).meta({
  id: 'Removal',
  description: 'How deleteAd, deleteAdSet or deleteCampaign removed an object',
});
export type Removal = z.infer<typeof Removal>;
/** Members of an object that can be removed. */
export const removed = {
  removal: Removal.nullable().describe('How it was removed through this API; null if it was not'),
  removedAt: InstantOut.nullable().describe('When it was removed through this API'),
};

export const AdStatus = z
  .enum([
    'creating',
    'active',
    'paused',
    'pending_review',
    'rejected',
    'completed',
    'cancelled',
    'error',
    'unconfirmed',
  ])
  .meta({
    id: 'AdStatus',
    description: 'Status of an ad. `unconfirmed`: the outcome at the platform is unknown and is being reconciled',
  });
export type AdStatus = z.infer<typeof AdStatus>;

export const Schedule = z
  .strictObject({ startDate: InstantOut.nullable(), endDate: InstantOut.nullable() })
  .meta({ id: 'Schedule', description: 'When an ad runs' });

const Free = z.record(z.string(), z.unknown());

export const RecordedLevel = BudgetLevel.nullable().describe(
  'The object that carries the budget; null until it is read',
);

export const Ad = z
  .strictObject({
    _id: ObjectId,
    name: z.string().describe('As it was given; the name at the platform has a suffix'),
    platform: AccountPlatform,
    status: AdStatus,
    adType: z.enum(['standalone', 'boost']).meta({ id: 'AdType', description: 'An ad of its own, or a boosted post' }),
    goal: Goal.nullable(),
    isExternal: z.boolean().describe('True if it was not created here'),
    budget: Budget.nullable().describe('The one that governs it, at the level that carries it'),
    budgetLevel: RecordedLevel,
    currency: Currency,
    metrics: Metrics.nullable().describe('Null until they are read, or if the platform reports none'),
    accountId: ObjectId,
    profileId: ObjectId,
    platformAdId: z.string().nullable().describe('Its id at the platform'),
    platformAdAccountId: z.string().describe('The ad account that pays'),
    platformCampaignId: z.string().nullable().describe('The campaign that it is in'),
    platformAdSetId: z.string().nullable().describe('The ad set that it is in'),
    campaignName: z.string().nullable().describe('Name of its campaign; for a campaign created here the name as given'),
    adSetName: z.string().nullable().describe('Name of its ad set; for an ad set created here the name as given'),
    bidStrategy: BidStrategy.nullable(),
    bidAmount: z.number().nullable().describe('In whole units of `currency`'),
    roasAverageFloor: z.number().nullable().describe('The least return on spend that is bid for'),
    promotedObject: PromotedObject.nullable(),
    creative: AdCreative.nullable().describe('Texts, media and link; null if the platform does not report them'),
    urlParameters: z
      .array(UrlParameter)
      .nullable()
      .describe('Added to the link; null if there are none, or if the platform reports them only within the link'),
    targeting: Targeting.nullable().describe(
      'Who sees it. For an ad that was not created here: what A, C, D and F report for its ad set; null on B and E',
    ),
    declarations: AdDeclarations.nullable().describe(
      'What it declares to its platform; null if the platform knows no declarations, or if they are not known yet',
    ),
    schedule: Schedule,
    rejectionReason: z.string().nullable().describe('Why the platform rejected it'),
    ...removed,
    createdAt: InstantOut,
    updatedAt: InstantOut,
  })
  .meta({ id: 'Ad', description: 'An ad' });
export type Ad = z.infer<typeof Ad>;

export const UpstreamCall = z
  .strictObject({
    method: z.string().describe('HTTP method'),
    url: z.string().describe('Address, without a token'),
    body: z
      .union([Free, z.array(Free)])
      .nullable()
      .describe('Fields as they are sent; some platforms take lists of them'),
  })
  .meta({ id: 'UpstreamCall', description: 'A request that would be sent to the platform, without secrets' });

export const CreateAdPayload = z
  .strictObject({
    ad: Ad.optional().describe('The ad; with `creatives` see ads'),
    ads: z.array(Ad).optional().describe('The ads of `creatives`, in their order'),
    platformCampaignId: z.string().optional().describe('With `creatives`'),
    platformAdSetId: z.string().optional().describe('With `creatives`'),
    message: z.string().optional().describe('Human-readable message'),
    warnings: z.array(Warning).optional().describe('Ignored fields and reasons.'),
    valid: z.boolean().optional().describe('With validateOnly'),
    requests: z.array(UpstreamCall).optional().describe('With validateOnly: what would be sent'),
  })
  .meta({ id: 'CreateAdPayload', description: 'What was created, or with validateOnly what would be sent' });
export type CreateAdPayload = z.infer<typeof CreateAdPayload>;
