import { z } from 'zod';
import { GrantedScopes } from '../token-errors.ts';
import type { AdAccount } from '../platform.ts';

/** One operation of a mutate and the caller's field it carries, to map a rejection to it. */
export interface Operation {
  body: Record<string, unknown>;
  field?: string;
}

/** A customer and the manager account used to access it. */
export type Customer = Pick<AdAccount, 'id' | 'managerId'>;

/** Ids are displayed with hyphens and sent without. */
export const withoutHyphens = (id: string): string => id.replace(/\D/g, '');

const named = (kind: string) => (customerId: string, id: string) =>
  `customers/${withoutHyphens(customerId)}/${kind}/${id}`;
export const budgetName = named('campaignBudgets');
export const campaignName = named('campaigns');
export const adGroupName = named('adGroups');
export const adName = named('adGroupAds');
export const adOnlyName = named('ads');
export const assetName = named('assets');

/** The id at the end of a resource name, such as `customers/1/adGroupAds/88~999`. */
export const idIn = (resourceName: string): string => resourceName.split('/').at(-1) ?? '';

type Switched = 'campaignOperation' | 'adGroupOperation' | 'adGroupAdOperation';

export const statusChange = (resourceName: string, kind: Switched, status: string): Operation => ({
  body: { [kind]: { update: { resourceName, status }, updateMask: 'status' } },
});

/** 64-bit integers are strings; small ones are numbers in some versions. */
const Int = z.union([z.string().regex(/^-?\d+$/), z.int()]).transform(String);
const Made = z.object({ resourceName: z.string() }).optional();

export const Mutated = z.object({
  mutateOperationResponses: z
    .array(z.object({ campaignResult: Made, adGroupResult: Made, adGroupAdResult: Made }))
    .default([]),
});

export const pageOf = <T extends z.ZodType>(row: T) =>
  z.object({ results: z.array(row).default([]), nextPageToken: z.string().optional() });

export const Accessible = z.object({ resourceNames: z.array(z.string()).default([]) });

const customerFields = {
  id: Int,
  descriptiveName: z.string().default(''),
  currencyCode: z.string().default(''),
  timeZone: z.string().optional(),
  manager: z.boolean().default(false),
  status: z.string().default('ENABLED'),
};
export const CustomerWire = z.object(customerFields);
export type CustomerWire = z.infer<typeof CustomerWire>;
export const CustomerRow = z.object({ customer: CustomerWire });
export const ClientRow = z.object({ customerClient: CustomerWire });

const budget = z
  .object({
    amountMicros: Int.optional(),
    totalAmountMicros: Int.optional(),
    period: z.string().optional(),
    explicitlyShared: z.boolean().optional(),
  })
  .optional();
const status = z.string().default('UNKNOWN');

export const CampaignWire = z.object({
  id: Int,
  name: z.string().default(''),
  status,
  advertisingChannelType: z.string().optional(),
  biddingStrategyType: z.string().optional(),
  containsEuPoliticalAdvertising: z.string().optional(),
  endDateTime: z.string().optional(),
  startDateTime: z.string().optional(),
  campaignBudget: z.string().optional(),
  targetSpend: z.object({ cpcBidCeilingMicros: Int.optional() }).optional(),
  maximizeConversions: z.object({ targetCpaMicros: Int.optional() }).optional(),
  targetImpressionShare: z.object({ cpcBidCeilingMicros: Int.optional() }).optional(),
});
export type CampaignWire = z.infer<typeof CampaignWire>;
export const AdGroupWire = z.object({
  id: Int,
  name: z.string().default(''),
  status,
  cpmBidMicros: Int.optional(),
});
export const AdWire = z.object({
  status,
  ad: z.object({ id: Int, finalUrlSuffix: z.string().optional() }),
  policySummary: z
    .object({
      approvalStatus: z.string().optional(),
      reviewStatus: z.string().optional(),
      policyTopicEntries: z.array(z.object({ topic: z.string().default('') })).optional(),
    })
    .optional(),
});
export type AdWire = z.infer<typeof AdWire>;
const metrics = z
  .object({ costMicros: Int.optional(), impressions: Int.optional(), clicks: Int.optional() })
  .optional();

export type MetricsWire = z.infer<typeof metrics>;

export const CampaignRow = z.object({ campaign: CampaignWire, campaignBudget: budget, metrics });
export type CampaignRow = z.infer<typeof CampaignRow>;
export const AdGroupRow = z.object({ campaign: CampaignWire, adGroup: AdGroupWire, metrics });
export type AdGroupRow = z.infer<typeof AdGroupRow>;
export const AdRow = z.object({ campaign: CampaignWire, adGroup: AdGroupWire, adGroupAd: AdWire, metrics });
export type AdRow = z.infer<typeof AdRow>;
export const NamedRow = z.object({ campaign: z.object({ id: Int, name: z.string() }) });

export const Suggested = z.object({
  geoTargetConstantSuggestions: z
    .array(
      z.object({
        geoTargetConstant: z.object({
          id: Int,
          name: z.string(),
          countryCode: z.string().optional(),
          targetType: z.string().default(''),
          status: z.string().default('ENABLED'),
          canonicalName: z.string().optional(),
        }),
      }),
    )
    .default([]),
});
export const LanguageRow = z.object({
  languageConstant: z.object({ id: Int, name: z.string().default(''), code: z.string().optional() }),
});
export const InterestRow = z.object({
  userInterest: z.object({ userInterestId: Int, name: z.string(), taxonomyType: z.string().optional() }),
});

export const Token = z.object({
  scope: GrantedScopes,
  access_token: z.string().min(1),
  expires_in: z.number().optional(),
  refresh_token: z.string().optional(),
});
