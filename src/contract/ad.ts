import { z } from 'zod';
import { checkShape } from './ad-shape.ts';
import { bidStrategies, callsToAction, goals, type RequestShape } from './capability.ts';
import { HttpUrl, Instant, InstantOut, Limit, ObjectId, Page, Pagination, RemoteId, Text, Warning } from './common.ts';
import { CountryCode } from './country-codes.ts';
import { Budget, BudgetType, Currency } from './money.ts';
import { AccountPlatform } from './platforms.ts';

export const Goal = z
  .enum(goals)
  .meta({ id: 'Goal', description: 'What the ad is to achieve; which goals there are depends on the platform' });
export type Goal = z.infer<typeof Goal>;

export const CallToAction = z
  .enum(callsToAction)
  .meta({ id: 'CallToAction', description: 'The text of the button; each platform takes some of them' });

export const BidStrategy = z.enum(bidStrategies).meta({
  id: 'BidStrategy',
  description:
    'How the platform bids: without a cap (default), with a bid cap or a cost cap (bidAmount), or for a minimum return (roasAverageFloor)',
});

export const Gender = z.enum(['all', 'male', 'female']).meta({ id: 'Gender', description: 'Who sees the ad' });
export const IdentityType = z
  .enum(['NETWORK_C_USER', 'CUSTOMIZED_USER'])
  .meta({ id: 'IdentityType', description: 'Who the ad speaks as on platform D' });
export const CampaignType = z
  .enum(['display', 'search'])
  .meta({ id: 'CampaignType', description: 'Kind of campaign on platform B' });
export const RequestedStatus = z
  .enum(['ACTIVE', 'PAUSED'])
  .meta({ id: 'RequestedStatus', description: 'Initial status.' });

export const AdVideo = z
  .strictObject({
    url: HttpUrl.describe('Address of the video file'),
    thumbnailUrl: HttpUrl.optional().describe('Address of the picture shown before it plays; platform A needs it'),
  })
  .meta({ id: 'AdVideo', description: 'A video and its picture' });

export const AdImages = z
  .strictObject({
    landscape: HttpUrl.optional().describe('Address of an image of ratio 1.91:1; imageUrl may stand for it'),
    square: HttpUrl.optional().describe('Address of an image of ratio 1:1'),
  })
  .meta({ id: 'AdImages', description: 'The two marketing images of a responsive display ad' });

// More than any platform allows; the rules of each platform are stricter.
const AdText = Text.max(5000);

export const AdCreative = z
  .strictObject({
    headline: Text.max(255).describe('At most 255 characters'),
    body: AdText.describe('Text of the ad'),
    linkUrl: HttpUrl.describe('Where the ad leads'),
    callToAction: z
      .enum(callsToAction.slice(0, 10) as ['LEARN_MORE'])
      .meta({ id: 'CreativeCallToAction', description: 'The text of the button on platform A' }),
    imageUrl: HttpUrl.optional().describe('Address of the image; exactly one of imageUrl and video'),
    video: AdVideo.optional().describe('The video; exactly one of imageUrl and video'),
  })
  .meta({ id: 'AdCreative', description: 'One ad of a multi-creative request' });

/** A list of at most `max` entries. Not `.max()`: zod would then skip every rule of the object around it. */
const listOf = <T extends z.ZodType>(entry: T, max: number, min = 1) =>
  z
    .array(entry)
    .min(min)
    .refine((entries) => entries.length <= max, `must have at most ${max} entries`)
    .meta({ maxItems: max });

const Amount = z.number().positive().max(1e9);
const Keyword = Text.max(80).refine((text) => text.split(/\s+/).length <= 10, 'must have at most 10 words');
const Place = CountryCode.optional().describe('The country, from targeting search; the EU rule reads it');

export const CityTarget = z
  .strictObject({
    key: RemoteId.describe("The platform's city key, from targeting search"),
    radius: z.number().positive().optional().describe('10 to 50 miles or 17 to 80 kilometers around it'),
    distance_unit: z
      .enum(['mile', 'kilometer'])
      .meta({ id: 'DistanceUnit', description: 'Unit of a radius' })
      .optional()
      .describe('Goes with radius'),
    countryCode: Place,
  })
  .meta({ id: 'CityTarget', description: 'A city to target' });

export const RegionTarget = z
  .strictObject({
    key: RemoteId.describe("The platform's region key, from targeting search"),
    countryCode: Place,
  })
  .meta({ id: 'RegionTarget', description: 'A state or province to target' });

export const AdInterest = z
  .strictObject({
    id: RemoteId.describe('From the interest search'),
    name: Text.max(255).describe('From the interest search'),
  })
  .meta({ id: 'AdInterest', description: 'An interest to target' });

export const PromotedObject = z
  .strictObject({
    pixelId: RemoteId.optional().describe('The pixel or tag that counts conversions'),
    customEventType: z
      .string()
      .max(64)
      .regex(/^[A-Z][A-Z0-9_]*$/, 'must be an upper-case event name such as PURCHASE')
      .optional()
      .describe('The event to optimise for, such as PURCHASE or LEAD'),
    pageId: RemoteId.optional().describe('The page; defaults to the connected page where one is required'),
    applicationId: RemoteId.optional().describe('The app'),
    objectStoreUrl: HttpUrl.optional().describe('Address of the app in its store'),
    customConversionId: RemoteId.optional().describe('The custom conversion; conversions on F need it'),
    productCatalogId: RemoteId.optional().describe('The product catalogue'),
    productSetId: RemoteId.optional().describe('The set within the catalogue'),
    leadFormId: RemoteId.optional().describe('The lead form'),
  })
  .meta({
    id: 'PromotedObject',
    description: 'What the ad optimises for; which members are needed depends on platform and goal',
  });

export const AttributionWindow = z
  .strictObject({
    eventType: z
      .enum(['CLICK_THROUGH', 'VIEW_THROUGH', 'ENGAGED_VIDEO_VIEW'])
      .meta({ id: 'AttributionEvent', description: 'What counts towards a conversion' }),
    windowDays: z.literal([1, 7, 28], { error: 'must be 1, 7 or 28' }).describe('1, 7 or 28 days; only 1 for views'),
  })
  .meta({ id: 'AttributionWindow', description: 'How long after an event a conversion still counts' });

export const BrandIdentity = z
  .strictObject({
    displayName: Text.max(40).describe('1 to 40 characters'),
    imageUrl: HttpUrl.describe('Address of its picture'),
  })
  .meta({ id: 'BrandIdentity', description: 'The custom identity that an ad on platform D speaks as' });

const CreateAdFields = z.strictObject({
  accountId: ObjectId.describe('The connected account that pays and speaks'),
  adAccountId: RemoteId.max(64).describe("The platform's ad account, with or without a prefix"),
  name: Text.max(255).describe('1 to 255 characters; objects at the platform are named after it'),
  goal: Goal.optional().describe('Needed unless adSetId is given, then inherited'),
  budgetAmount: Amount.optional().describe(
    "In whole units of the ad account's currency, not cents; needed unless adSetId is given",
  ),
  budgetType: BudgetType.optional().describe('Needed unless adSetId is given'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
    .optional()
    .describe("The ad account's own; another one is refused"),
  headline: AdText.optional().describe(
    'Required on A, B, C and F; at most 255 characters on A, 30 on B, 100 on C, 200 on F',
  ),
  longHeadline: AdText.optional().describe(
    'At most 90 characters. B display: defaults to headline. F: second description of link ads',
  ),
  body: AdText.optional().describe(
    'Text of the ad; at most 90 characters on B, 800 on C, 100 on D, 280 with the link on E, 3 000 on F',
  ),
  callToAction: CallToAction.optional().describe('Needed on A; F defaults to LEARN_MORE with a linkUrl'),
  linkUrl: HttpUrl.optional().describe('Where the ad leads'),
  imageUrl: HttpUrl.optional().describe('Address of the image; not beside video'),
  images: AdImages.optional().describe('B display: landscape and square'),
  video: AdVideo.optional().describe('A, D and F; not beside imageUrl'),
  creatives: listOf(AdCreative, 50)
    .optional()
    .describe('A: 1 to 50 ads in one campaign and ad set; not beside adSetId'),
  adSetId: RemoteId.max(64)
    .optional()
    .describe('A: adds one ad to this ad set; budget, targeting, goal, schedule and bid are inherited'),
  businessName: AdText.optional().describe("B display: at most 25 characters; defaults to the account's name"),
  boardId: RemoteId.optional().describe('C: created if omitted'),
  organizationId: z
    .string()
    .max(64)
    .regex(/^(\d+|urn:li:organization:\d+)$/, 'must be a number or a full organization URN')
    .optional()
    .describe('F: the company page that speaks'),
  countries: listOf(CountryCode, 250).optional().describe('ISO 3166-1 alpha-2; [US] without cities and regions'),
  cities: listOf(CityTarget, 250).optional().describe('A: cities to target'),
  regions: listOf(RegionTarget, 200).optional().describe('A: states or provinces to target'),
  ageMin: z.int().min(13).max(65).optional().describe('13 to 65'),
  ageMax: z.int().min(13).max(65).optional().describe('13 to 65, 65 means 65 and older'),
  interests: listOf(AdInterest, 200).optional().describe('Interests to target'),
  endDate: Instant.optional().describe('When the ad stops; needed for lifetime budgets, in the future'),
  audienceId: RemoteId.optional().describe('A custom audience of the platform'),
  campaignType: CampaignType.optional().describe('B: display by default'),
  keywords: listOf(Keyword, 200).optional().describe('Platform B, search ads: phrase match.'),
  additionalHeadlines: listOf(AdText, 14, 0)
    .optional()
    .describe('B search: at most 14 of 30 characters; 3 headlines are needed in all'),
  additionalDescriptions: listOf(AdText, 3, 0)
    .optional()
    .describe('B search: at most 3 of 90 characters; 2 descriptions are needed in all'),
  advantageAudience: z
    .int()
    .min(0)
    .max(1)
    .optional()
    .describe('A: 1 lets the platform widen the audience; 0 by default'),
  attributionSpec: listOf(AttributionWindow, 3)
    .optional()
    .describe('A: counts for conversions, lead_generation and app_promotion'),
  gender: Gender.optional().describe('A: all by default'),
  bidStrategy: BidStrategy.optional().describe('LOWEST_COST_WITHOUT_CAP by default'),
  bidAmount: Amount.optional().describe('In whole currency units; needed with a bid cap or a cost cap'),
  roasAverageFloor: z
    .number()
    .min(0.01)
    .max(1000)
    .optional()
    .describe('0.01 to 1 000; 2.0 asks for twice the spend back'),
  dsaBeneficiary: Text.max(100)
    .optional()
    .describe('A: who benefits; needed when the targeting meets an EU member state'),
  dsaPayor: Text.max(100).optional().describe('A: who pays; needed when the targeting meets an EU member state'),
  brandIdentity: BrandIdentity.optional().describe('D: needed with the first ad of a custom identity'),
  identityType: IdentityType.optional().describe(
    'D: the posting account where one is connected, else a custom identity',
  ),
  promotedObject: PromotedObject.optional().describe('What the ad optimises for'),
  status: RequestedStatus.default('ACTIVE').describe('Initial status.'),
  validateOnly: z.boolean().default(false).describe('All checks, nothing created; the answer shows what would be sent'),
});

export const CreateAdInput = CreateAdFields.superRefine(checkShape, { when: () => true }).meta({
  id: 'CreateAdInput',
  description:
    'A paid ad in one of three shapes: one ad in a campaign of its own, several with `creatives`, one more in an ad set with `adSetId`',
});
export type CreateAdInput = z.output<typeof CreateAdInput>;

export const requestShape = ({ adSetId, creatives }: Pick<CreateAdInput, 'adSetId' | 'creatives'>): RequestShape =>
  adSetId ? 'attach' : creatives ? 'multiCreative' : 'legacy';

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
    description: 'Status of an ad. `unconfirmed`: the platform did not answer, and it is being looked for',
  });
export type AdStatus = z.infer<typeof AdStatus>;

export const Schedule = z
  .strictObject({ startDate: InstantOut.nullable(), endDate: InstantOut.nullable() })
  .meta({ id: 'Schedule', description: 'When an ad runs' });

const Free = z.record(z.string(), z.unknown());

export const Ad = z
  .strictObject({
    _id: ObjectId,
    name: z.string().describe('As it was given; the name at the platform has a suffix'),
    platform: AccountPlatform,
    status: AdStatus,
    adType: z.enum(['standalone', 'boost']).meta({ id: 'AdType', description: 'An ad of its own, or a boosted post' }),
    goal: Goal.nullable(),
    isExternal: z.boolean().describe('True for what was not made here'),
    budget: Budget.nullable(),
    currency: Currency,
    metrics: Free.nullable().describe(
      'Spend with its currency, impressions and clicks, as last reported by the platform',
    ),
    accountId: ObjectId,
    profileId: ObjectId,
    platformAdId: z.string().nullable().describe('Its id at the platform'),
    platformAdAccountId: z.string().describe('The ad account that pays'),
    platformCampaignId: z.string().nullable().describe('The campaign that it is in'),
    platformAdSetId: z.string().nullable().describe('The ad set that it is in'),
    campaignName: z.string().nullable().describe('Its name at the platform'),
    adSetName: z.string().nullable().describe('Its name at the platform'),
    bidStrategy: BidStrategy.nullable(),
    bidAmount: z.number().nullable().describe('In whole units of `currency`'),
    roasAverageFloor: z.number().nullable().describe('The least return on spend that is bid for'),
    promotedObject: Free.nullable().describe('What it optimises for'),
    creative: Free.nullable().describe('Texts, media and link'),
    targeting: Free.nullable().describe('Who sees it'),
    schedule: Schedule,
    rejectionReason: z.string().nullable().describe('Why the platform refused it'),
    createdAt: InstantOut,
    updatedAt: InstantOut,
  })
  .meta({ id: 'Ad', description: 'An ad, as far as it is known here' });
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
  .meta({ id: 'CreateAdPayload', description: 'What was made, or with validateOnly what would be sent' });
export type CreateAdPayload = z.infer<typeof CreateAdPayload>;

export const ListAdsInput = z
  .strictObject({
    page: Page,
    limit: Limit,
    platform: AccountPlatform.optional().describe('Only ads of accounts of this platform'),
    status: AdStatus.optional().describe('Filter by status.'),
    accountId: ObjectId.optional().describe('Only ads of this account'),
    profileId: ObjectId.optional().describe('Only ads of this profile'),
    adAccountId: z.string().max(255).optional().describe("Only ads of this ad account, by the platform's id"),
  })
  .meta({ id: 'ListAdsInput' });
export type ListAdsInput = z.output<typeof ListAdsInput>;

export const ListAdsResult = z.strictObject({ ads: z.array(Ad), pagination: Pagination }).meta({ id: 'ListAdsResult' });
export type ListAdsResult = z.infer<typeof ListAdsResult>;

export const AdIdInput = z.strictObject({ adId: ObjectId }).meta({ id: 'AdIdInput' });
export type AdIdInput = z.output<typeof AdIdInput>;

export const AdResult = z.strictObject({ ad: Ad }).meta({ id: 'AdResult' });
export type AdResult = z.infer<typeof AdResult>;
