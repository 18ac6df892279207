import { z } from 'zod';
import {
  BidStrategy,
  BudgetLevel,
  CallToAction,
  CampaignType,
  Gender,
  Goal,
  IdentityType,
  RequestedStatus,
} from './ad-enums.ts';
import { declarationFields } from './ad-declarations.ts';
import { exclusionFields } from './ad-exclusions.ts';
import { field, fieldsWhere, limitsOn, type AdLevel } from './ad-fields.ts';
import {
  AdCreativeInput,
  AdImagesInput,
  AdText,
  AdVideoInput,
  AttributionWindowInput,
  BrandIdentityInput,
  PromotedObjectInput,
  startLimits,
} from './ad-input-parts.ts';
import { Keywords } from './ad-keywords.ts';
import { checkShape } from './ad-shape.ts';
import { targetingFields } from './ad-targeting-input.ts';
import type { RequestShape, Rule } from './capability.ts';
import { HttpUrl, Instant, listOf, ObjectId, RemoteId, Text } from './common.ts';
import { BudgetType } from './money.ts';
import type { AdPlatform } from './platforms.ts';
import { UrlParametersInput } from './url-parameters.ts';

const Amount = z.number().positive().max(1e9);

/** Wide characters count as two. */
const columns = (max: number) => ({ max, counted: 'displayWidth' as const });

export const CreateAdFields = z.strictObject({
  accountId: ObjectId.describe('The connected account that pays for and publishes the ad'),
  adAccountId: RemoteId.max(64).describe("The platform's ad account, with or without a prefix"),
  name: field(Text.max(255), {}, 'Objects at the platform are named after it'),
  goal: field(Goal.optional(), { level: 'campaign' }, 'Needed unless adSetId is given, then inherited'),
  budgetAmount: field(
    Amount.optional(),
    { level: 'ad_set' },
    "In whole units of the ad account's currency, not cents; needed unless adSetId is given",
  ),
  budgetType: field(BudgetType.optional(), { level: 'ad_set' }, 'Needed unless adSetId is given'),
  budgetLevel: field(
    BudgetLevel.optional(),
    { level: 'campaign' },
    'The object that carries the budget; each platform has a default and may support only one',
  ),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
    .optional()
    .describe("The ad account's own; another one is refused"),
  headline: field(
    AdText.optional(),
    { level: 'creative', limits: { A: { max: 255 }, B: columns(30), C: { max: 100 }, F: { max: 200 } } },
    'Required on A, B, C and F',
  ),
  longHeadline: field(
    AdText.optional(),
    { level: 'creative', platforms: 'BF', campaignType: 'display', limits: { B: columns(90), F: { max: 90 } } },
    'B display: defaults to headline. F: second description of link ads',
  ),
  body: field(
    AdText.optional(),
    {
      level: 'creative',
      limits: {
        B: columns(90),
        C: { max: 800 },
        D: columns(100),
        E: { max: 280, counted: 'platformWeight', taken: { by: 'linkUrl', characters: 24 } },
        F: { max: 3000 },
      },
    },
    'Text of the ad',
  ),
  callToAction: field(
    CallToAction.optional(),
    { level: 'creative' },
    'Needed on A; F defaults to LEARN_MORE with a linkUrl',
  ),
  linkUrl: field(HttpUrl.optional(), { level: 'creative' }, 'Destination of the ad'),
  urlParameters: field(
    UrlParametersInput.optional(),
    {},
    'Added to linkUrl; entries of creatives may have their own instead',
  ),
  imageUrl: field(HttpUrl.optional(), { level: 'creative' }, 'Address of the image; not beside video'),
  images: field(
    AdImagesInput.optional(),
    { level: 'creative', platforms: 'B', campaignType: 'display' },
    'B display: landscape and square',
  ),
  video: field(AdVideoInput.optional(), { level: 'creative', platforms: 'ADF' }, 'A, D and F; not beside imageUrl'),
  creatives: field(
    listOf(AdCreativeInput, 50).optional(),
    { platforms: 'A' },
    'A: the ads of one campaign and ad set; not beside adSetId',
  ),
  adSetId: field(
    RemoteId.max(64).optional(),
    { platforms: 'A' },
    'A: adds one ad to this ad set; budget, targeting, goal, schedule and bid are inherited',
  ),
  businessName: field(
    AdText.optional(),
    { level: 'creative', platforms: 'B', campaignType: 'display', limits: { B: columns(25) } },
    "B display: defaults to the account's name",
  ),
  boardId: field(RemoteId.optional(), { level: 'identity', platforms: 'C' }, 'C: created if omitted'),
  organizationId: field(
    z
      .string()
      .max(64)
      .regex(/^(\d+|urn:li:organization:\d+)$/, 'must be a number or a full organization URN')
      .optional(),
    { level: 'identity', platforms: 'F' },
    'F: the company page that publishes the ad',
  ),
  ...targetingFields,
  startDate: field(
    Instant.optional(),
    { level: 'ad_set' },
    `When the ad starts, at most ${startLimits.daysAhead} days ahead; as soon as possible if omitted or within ${startLimits.minutesOfNow} minutes of now. B: moved to the next start of a day of the ad account`,
  ),
  endDate: field(
    Instant.optional(),
    { level: 'ad_set' },
    'When the ad stops; needed for lifetime budgets, in the future',
  ),
  audienceId: field(RemoteId.optional(), { level: 'targeting' }, 'A custom audience of the platform'),
  campaignType: field(CampaignType.optional(), { level: 'campaign', platforms: 'B' }, 'B: display by default'),
  keywords: field(
    Keywords.optional(),
    { level: 'targeting', platforms: 'B', campaignType: 'search' },
    'B search: texts, which match as phrases, or objects with text and matchType',
  ),
  ...exclusionFields,
  additionalHeadlines: field(
    listOf(AdText, 14, 0).optional(),
    { level: 'creative', platforms: 'B', campaignType: 'search', limits: { B: columns(30) } },
    'B search: 3 headlines are needed in all',
  ),
  additionalDescriptions: field(
    listOf(AdText, 3, 0).optional(),
    { level: 'creative', platforms: 'B', campaignType: 'search', limits: { B: columns(90) } },
    'B search: 2 descriptions are needed in all',
  ),
  advantageAudience: field(
    z.int().min(0).max(1).optional(),
    { level: 'targeting', platforms: 'A' },
    'A: 1 lets the platform widen the audience; 0 by default',
  ),
  attributionSpec: field(
    listOf(AttributionWindowInput, 3).optional(),
    { level: 'ad_set', platforms: 'A' },
    'A: counts for conversions, lead_generation and app_promotion',
  ),
  gender: field(Gender.optional(), { level: 'targeting', platforms: 'A' }, 'A: all by default'),
  bidStrategy: field(BidStrategy.optional(), { level: 'ad_set' }, 'LOWEST_COST_WITHOUT_CAP by default'),
  bidAmount: field(
    Amount.optional(),
    { level: 'ad_set' },
    'In whole currency units; needed with a bid cap or a cost cap',
  ),
  roasAverageFloor: field(
    z.number().min(0.01).max(1000).optional(),
    { level: 'ad_set' },
    '2.0 asks for twice the spend back',
  ),
  ...declarationFields,
  brandIdentity: field(
    BrandIdentityInput.optional(),
    { level: 'identity', platforms: 'D' },
    'D: needed with the first ad of a custom identity',
  ),
  identityType: field(
    IdentityType.optional(),
    { level: 'identity', platforms: 'D' },
    'D: the posting account where one is connected, else a custom identity',
  ),
  promotedObject: field(PromotedObjectInput.optional(), { platforms: 'ACDEF' }, 'What the ad optimises for'),
  status: RequestedStatus.default('ACTIVE').describe('Initial status.'),
  validateOnly: z
    .boolean()
    .default(false)
    .describe('Dry run: validates and returns what would be sent; creates nothing'),
});

/** Fields that an ad in an existing ad set inherits. */
const inheritedFields = (object: z.ZodObject): string[] =>
  fieldsWhere(
    object,
    ({ level, platforms = 'A', isDeclaration = false }) =>
      isDeclaration || (platforms.includes('A') && ['campaign', 'ad_set', 'targeting'].includes(level ?? '')),
  );

export const CreateAdInput = CreateAdFields.superRefine(
  checkShape(inheritedFields(CreateAdFields), inheritedFields(PromotedObjectInput)),
  { when: () => true },
).meta({
  id: 'CreateAdInput',
  description:
    'A paid ad in one of three shapes: one ad in its own campaign, several with `creatives`, one more in an ad set with `adSetId`',
});
export type CreateAdInput = z.output<typeof CreateAdInput>;

export const requestShape = ({ adSetId, creatives }: Pick<CreateAdInput, 'adSetId' | 'creatives'>): RequestShape =>
  adSetId ? 'attach' : creatives ? 'multiCreative' : 'legacy';

/** Fields that only this platform and others that list them have. */
export const ownFields = (platform: AdPlatform): string[] =>
  fieldsWhere(CreateAdFields, ({ platforms }) => platforms?.includes(platform) === true);

export const fieldsOf = (level: AdLevel): (keyof CreateAdInput)[] =>
  fieldsWhere(CreateAdFields, (facts) => facts.level === level) as (keyof CreateAdInput)[];

/** The fields that declare something to this platform. */
export const declarationsOn = (platform: AdPlatform): string[] =>
  fieldsWhere(
    CreateAdFields,
    ({ platforms = '', isDeclaration = false }) => isDeclaration && platforms.includes(platform),
  );

export const textLimits = (platform: AdPlatform): Rule[] => limitsOn(CreateAdFields, platform);
