import { z } from 'zod';
import { BidStrategy, BudgetLevel, CallToAction, Device, Goal } from './ad-enums.ts';
import { KeywordMatchType } from './ad-keywords.ts';
import { BudgetLimits } from './budget-limits.ts';
import { budgetLevels, requestShapes, startPrecisions } from './capability.ts';
import { Flag, Limit, ObjectId, Text } from './common.ts';
import { CountryCode } from './country-codes.ts';
import { PlatformReporting } from './platform-reporting.ts';
import { AccountPlatform, AdPlatform } from './platforms.ts';
import { RemovalMode } from './removal.ts';

const OnAccount = ObjectId.optional().describe(
  'The connected account whose platform is queried; by default the first accessible account of platform A',
);
const Query = Text.max(200).describe('Search text');
const AdAccountId = Text.max(64)
  .optional()
  .describe("One of the connection's ad accounts, for platforms whose look-ups require one; the first by default");

/** The platform that lookups use if no account is named. */
export const lookupPlatform = 'A';

export const TargetingType = z
  .enum(['country', 'region', 'city', 'zip', 'language'])
  .meta({ id: 'TargetingType', description: 'What to target by; which types there are depends on the platform' });
export type TargetingType = z.infer<typeof TargetingType>;

export const TargetingSearchInput = z
  .strictObject({
    accountId: OnAccount,
    type: TargetingType,
    q: Query,
    countryCode: CountryCode.optional().describe('Only places in this country; ISO 3166-1 alpha-2'),
    country_code: CountryCode.optional().describe('The same as countryCode'),
    adAccountId: AdAccountId,
    limit: Limit,
  })
  .superRefine(({ countryCode, country_code: snake }, check) => {
    if (!countryCode || !snake || countryCode === snake) return;
    const message = 'must name the same country as countryCode; send one of the two';
    check.addIssue({ code: 'custom', path: ['country_code'], message });
  })
  .meta({ id: 'TargetingSearchInput' });
export type TargetingSearchInput = z.output<typeof TargetingSearchInput>;

export const TargetingOption = z
  .strictObject({
    key: z
      .string()
      .describe(
        'What createAd takes: an ISO code for countries, else the key of the platform. For a language createAd takes the ISO 639-1 code instead',
      ),
    name: z.string().describe('In words'),
    type: TargetingType,
    countryCode: z.string().nullable().describe('ISO 3166-1 alpha-2; send it along in cities and regions'),
    countryName: z.string().nullable().describe('In words'),
    region: z.string().nullable().describe('The state or province that a city is in'),
  })
  .meta({ id: 'TargetingOption', description: 'A place or language to target' });

export const TargetingSearchResult = z
  .strictObject({ results: z.array(TargetingOption) })
  .meta({ id: 'TargetingSearchResult' });
export type TargetingSearchResult = z.infer<typeof TargetingSearchResult>;

export const InterestsInput = z
  .strictObject({ accountId: OnAccount, q: Query, adAccountId: AdAccountId, limit: Limit })
  .meta({ id: 'InterestsInput' });
export type InterestsInput = z.output<typeof InterestsInput>;

export const Interest = z
  .strictObject({
    id: z.string().describe('Value for `interests` of createAd'),
    name: z.string().describe('In words'),
    audienceSizeMin: z.number().nullable().describe('People, at least'),
    audienceSizeMax: z.number().nullable().describe('People, at most'),
    path: z.array(z.string()).nullable().describe("Its path in the platform's interests"),
  })
  .meta({ id: 'Interest', description: 'An interest to target' });

export const InterestsResult = z.strictObject({ interests: z.array(Interest) }).meta({ id: 'InterestsResult' });
export type InterestsResult = z.infer<typeof InterestsResult>;

export const AdAccountsInput = z
  .strictObject({
    accountId: ObjectId.describe('A connected account of an ad platform'),
    refresh: Flag.default(false).describe(
      'Reads the list from the platform now; otherwise it may be up to an hour old',
    ),
  })
  .meta({ id: 'AdAccountsInput' });
export type AdAccountsInput = z.output<typeof AdAccountsInput>;

export const AdAccount = z
  .strictObject({
    id: z.string().describe('Value for adAccountId of createAd'),
    accountId: ObjectId.describe('The connected account that can access it'),
    name: z.string().describe('As the platform has it'),
    currency: z.string().describe('ISO 4217; budgets are in whole units of it'),
    timeZone: z.string().nullable().describe('IANA name, if the platform reports it'),
    isActive: z.boolean().describe('False if the platform currently accepts no ads for it'),
    status: z.string().nullable().describe('Status as the platform reports it; null if it reports none'),
    statusReason: z.string().nullable().describe('Reason for a restriction, as the platform reports it'),
    budgetLimits: BudgetLimits.nullable().describe(
      'The highest budgets in it, set by `setBudgetLimits`; null without limits',
    ),
  })
  .meta({ id: 'AdAccount', description: 'An ad account accessible to the connection' });

export type AdAccount = z.infer<typeof AdAccount>;

export const SetBudgetLimitsPayload = z
  .strictObject({ adAccount: AdAccount })
  .meta({ id: 'SetBudgetLimitsPayload', description: 'The ad account after the change' });
export type SetBudgetLimitsPayload = z.infer<typeof SetBudgetLimitsPayload>;

export const AdAccountsResult = z.strictObject({ accounts: z.array(AdAccount) }).meta({ id: 'AdAccountsResult' });
export type AdAccountsResult = z.infer<typeof AdAccountsResult>;

export const PlatformRule = z
  .strictObject({
    param: z.string().describe('The field that the rule is about'),
    text: z.string().describe('The rule in words'),
  })
  .meta({ id: 'PlatformRule', description: 'A rule that createAd checks before anything is sent' });

export type PlatformRule = z.infer<typeof PlatformRule>;

export const PlatformDeclaration = z
  .strictObject({
    param: z.string().describe('The field of createAd'),
    values: z.array(z.string()).nullable().describe('The values that the platform knows; null if it knows all'),
    text: z.string().describe('The default and the rules'),
  })
  .meta({ id: 'PlatformDeclaration', description: 'Something that ads declare to the platform' });

export const PlatformInfo = z
  .strictObject({
    platform: AdPlatform,
    label: z.string().describe('What it is, in words'),
    accounts: z.array(AccountPlatform).describe('Kinds of connected accounts that advertise on it'),
    shapes: z
      .array(z.enum(requestShapes).meta({ id: 'RequestShape', description: 'One of the three shapes of createAd' }))
      .describe('Supported shapes of createAd'),
    goals: z.array(Goal).describe('Supported goals'),
    callsToAction: z.array(CallToAction).describe('Supported buttons'),
    bidStrategies: z.array(BidStrategy).describe('Supported bid strategies'),
    ownFields: z.array(z.string()).describe('Fields of createAd that other platforms may not support'),
    budgetMinimum: z
      .number()
      .describe(
        "Per day, in whole units of the ad account's currency; a lifetime budget must have this amount for each day of the run. A minimum that the platform reports for the ad account takes precedence",
      ),
    exclusions: z.array(z.string()).describe('Fields of createAd that exclude places, audiences or searches'),
    keywordMatchTypes: z.array(KeywordMatchType).describe('Match types of `keywords`; empty without keywords'),
    startPrecision: z.enum(startPrecisions).meta({
      id: 'StartPrecision',
      description: 'At `day`, `startDate` moves to the next start of a day of the ad account',
    }),
    budgetMinimumOfCampaign: z.number().describe('`budgetMinimum` of a campaign that carries the budget'),
    budgetLevels: z.array(BudgetLevel).describe('Values of `budgetLevel` of createAd'),
    defaultBudgetLevel: BudgetLevel,
    changeableBudgets: z
      .array(BudgetLevel)
      .describe('Levels that can carry a budget, also in campaigns made elsewhere; it is changed where it is'),
    endLevel: z
      .enum([...budgetLevels, 'both'])
      .meta({ id: 'EndLevel', description: 'The object that carries the end date, or both' }),
    removal: z.array(RemovalMode).describe('Modes of deleteAd, deleteAdSet and deleteCampaign'),
    canRemoveEnd: z.boolean().describe('Whether updateAd can remove the end date with `endDate: null`'),
    devices: z.array(Device).describe('Values of `devices` of createAd'),
    urlMacros: z.array(z.string()).describe('Names in braces that it replaces in values of `urlParameters`'),
    canChangeUrlParameters: z.boolean().describe('Whether updateAd changes `urlParameters` on it'),
    canDuplicate: z.boolean().describe('Whether duplicateCampaign copies on it'),
    declarations: z.array(PlatformDeclaration).describe('What ads declare to the platform; empty if nothing'),
    reporting: PlatformReporting,
    rules: z.array(PlatformRule).describe('What is checked before anything is sent'),
    ignored: z.array(PlatformRule).describe('Fields that are ignored, with a warning'),
  })
  .meta({ id: 'PlatformInfo', description: 'Capabilities of an ad platform, from the table that also validates' });
export type PlatformInfo = z.infer<typeof PlatformInfo>;

export const PlatformsInput = z.strictObject({}).meta({ id: 'PlatformsInput' });
export const PlatformsResult = z
  .strictObject({
    platforms: z.array(PlatformInfo),
    rateWeights: z
      .record(z.string(), z.int())
      .describe('Units of the rate limit that operations count, by name; all others count 1'),
  })
  .meta({ id: 'PlatformsResult' });
export type PlatformsResult = z.infer<typeof PlatformsResult>;
