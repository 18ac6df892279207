import { z } from 'zod';
import { Ad, AdStatus, RecordedLevel, removed } from './ad.ts';
import { BidStrategy, Goal } from './ad-enums.ts';
import { Cursor, inOrder, Instant, InstantOut, Limit, ObjectId, Page, Pagination } from './common.ts';
import { Metrics } from './metrics.ts';
import { Budget, Currency } from './money.ts';
import { AccountPlatform } from './platforms.ts';

const Derived = AdStatus.readonly().describe(
  'The most active status of its ads: active, pending_review, creating, unconfirmed, paused, error, completed, cancelled, rejected',
);
const Totals = Metrics.nullable().describe(
  'Lifetime metrics that the platform reports at this level, including deleted and archived ads; null until they are read, or if the platform reports none',
);
const OwnStatus = AdStatus.nullable().describe('Its own status at the platform; null until read');

export const Campaign = z
  .strictObject({
    _id: ObjectId,
    platformCampaignId: z.string().describe('Its id at the platform'),
    name: z.string().describe('Its name at the platform'),
    platform: AccountPlatform,
    status: Derived,
    platformStatus: OwnStatus,
    goal: Goal.nullable(),
    currency: Currency,
    budget: Budget.nullable().describe('Set if the campaign has the budget; otherwise its ad sets do'),
    budgetLevel: RecordedLevel,
    spendLimit: Budget.nullable().describe('A limit of the campaign above the budgets of its ad sets'),
    endDate: InstantOut.nullable().describe('When it stops, if the platform has an end at this level'),
    metrics: Totals,
    isExternal: z.boolean().describe('True if it was not created here'),
    accountId: ObjectId,
    profileId: ObjectId,
    platformAdAccountId: z.string().describe('The ad account that pays'),
    adSetCount: z.int().describe('How many ad sets it has'),
    adCount: z.int().describe('How many ads it has'),
    ...removed,
    createdAt: InstantOut,
    updatedAt: InstantOut,
  })
  .meta({ id: 'Campaign', description: 'A campaign' });
export type Campaign = z.infer<typeof Campaign>;

export const AdSet = z
  .strictObject({
    _id: ObjectId,
    platformAdSetId: z.string().describe('Its id at the platform'),
    platformCampaignId: z.string().describe('The campaign that it is in'),
    accountId: ObjectId,
    platformAdAccountId: z.string().describe('The ad account that pays'),
    name: z.string().describe('Its name at the platform'),
    status: Derived,
    platformStatus: OwnStatus,
    goal: Goal.nullable(),
    currency: Currency,
    budget: Budget.nullable().describe('Set if the ad set has the budget; otherwise its campaign does'),
    budgetLevel: RecordedLevel,
    bidStrategy: BidStrategy.nullable(),
    bidAmount: z.number().nullable().describe('In whole units of `currency`'),
    startDate: InstantOut.nullable().describe('When it starts; null if the platform does not report it'),
    endDate: InstantOut.nullable().describe('When it stops'),
    metrics: Totals,
    adCount: z.int().describe('How many ads it has'),
    ...removed,
    createdAt: InstantOut,
    updatedAt: InstantOut,
  })
  .meta({ id: 'AdSet', description: 'An ad set of a campaign; platforms also say ad group or line item' });
export type AdSet = z.infer<typeof AdSet>;

export const TreeAdSet = AdSet.extend({
  ads: z.array(Ad).describe('Its newest ads, at most 100'),
  hasMoreAds: z.boolean().describe('True if it has more ads than are returned'),
}).meta({ id: 'TreeAdSet', description: 'An ad set with its ads' });

export const TreeCampaign = Campaign.extend({ adSets: z.array(TreeAdSet) }).meta({
  id: 'TreeCampaign',
  description: 'A campaign with its ad sets and their ads',
});
export type TreeCampaign = z.infer<typeof TreeCampaign>;

export const CampaignSource = z
  .enum(['all', 'own'])
  .meta({ id: 'CampaignSource', description: 'All campaigns, or only those created here' });
export const CampaignSort = z
  .enum(['newest', 'oldest', 'name'])
  .meta({ id: 'CampaignSort', description: 'By creation time or by name' });

export const ListCampaignsInput = z
  .strictObject({
    page: Page,
    cursor: Cursor,
    limit: Limit,
    platform: AccountPlatform.optional().describe('Only campaigns of accounts of this platform'),
    status: AdStatus.optional().describe('Only campaigns with this status'),
    accountId: ObjectId.optional().describe('Only campaigns of this account'),
    profileId: ObjectId.optional().describe('Only campaigns of this profile'),
    adAccountId: z.string().max(255).optional().describe("Only campaigns of this ad account, by the platform's id"),
    fromDate: Instant.optional().describe('Only campaigns created then or later'),
    toDate: Instant.optional().describe('Only campaigns created until then'),
    source: CampaignSource.default('all').describe('`own` excludes campaigns not created here'),
    sort: CampaignSort.default('newest').describe('Newest first by default'),
  })
  .superRefine(...inOrder('fromDate', 'toDate'))
  .meta({ id: 'ListCampaignsInput' });
export type ListCampaignsInput = z.output<typeof ListCampaignsInput>;

export const ListCampaignsResult = z
  .strictObject({ campaigns: z.array(Campaign), pagination: Pagination })
  .meta({ id: 'ListCampaignsResult' });
export type ListCampaignsResult = z.infer<typeof ListCampaignsResult>;

export const AdTreeResult = z
  .strictObject({ campaigns: z.array(TreeCampaign), pagination: Pagination })
  .meta({ id: 'AdTreeResult' });
export type AdTreeResult = z.infer<typeof AdTreeResult>;
