import { segment } from '../../lib/segment.ts';
import { z } from 'zod';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { UrlParameter } from '../../contract/url-parameters.ts';
import type { Fields } from '../fields.ts';
import type { Access, AdOrder } from '../platform.ts';
import { pendingStart } from '../start.ts';
import { categoryFields, regulationFields } from './declarations.ts';
import type { GoalPlan } from './goals.ts';
import { toMinor } from './money.ts';
import { targetingOf } from './targeting.ts';
import { urlTagsOf } from './url-tags.ts';

export type { Fields } from '../fields.ts';

export const Created = z.object({ id: z.string() });
export const Validated = z.object({ success: z.literal(true) });
export const Changed = z
  .object({ success: z.literal(true) })
  .or(z.object({ id: z.string(), success: z.literal(true).optional() }));
export const Found = z.object({ id: z.string(), name: z.string().default(''), created_time: z.string().optional() });
export type Found = z.infer<typeof Found>;

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item),
    paging: z.object({ cursors: z.object({ after: z.string() }).optional(), next: z.string().optional() }).optional(),
  });

export const AdAccountWire = z.object({
  account_id: z.string(),
  name: z.string().default(''),
  currency: z.string(),
  timezone_name: z.string().optional(),
  account_status: z.number().optional(),
  /** In the currency's smallest unit. */
  min_daily_budget: z.coerce.number().positive().optional().catch(undefined),
  disable_reason: z.number().optional(),
  default_dsa_beneficiary: z.string().optional().nullable().catch(undefined),
  default_dsa_payor: z.string().optional().nullable().catch(undefined),
});

export const AdStatusWire = z.object({
  id: z.string(),
  effective_status: z.string(),
  ad_review_feedback: z.unknown().optional(),
});

export type AdStatusWire = z.infer<typeof AdStatusWire>;

export const VideoWire = z.object({ status: z.object({ video_status: z.string() }) });

/** Form values are text: objects are sent as JSON. */
export const toForm = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
  );

export const campaignFields = (order: AdOrder, { objective }: GoalPlan): Fields => ({
  name: order.names.campaign,
  objective,
  status: 'PAUSED',
  buying_type: 'AUCTION',
  ...categoryFields(order.input),
  // Without a strategy the ad account's default applies, which may need an amount.
  ...(order.budgetLevel === 'campaign'
    ? { ...budgetFields(order), bid_strategy: order.input.bidStrategy ?? freeStrategy }
    : { is_adset_budget_sharing_enabled: false }),
});

const freeStrategy = 'LOWEST_COST_WITHOUT_CAP';

const budgetFields = ({ input, adAccount }: AdOrder): Fields => ({
  [input.budgetType === 'lifetime' ? 'lifetime_budget' : 'daily_budget']: toMinor(
    input.budgetAmount ?? 0,
    adAccount.currency,
  ),
});

export function adSetFieldsOf(
  order: AdOrder,
  plan: GoalPlan,
  { campaignId, access, locales }: { campaignId: string; access: Access; locales?: number[] },
): Fields {
  const { input, adAccount, names } = order;
  return {
    name: names.adSet,
    campaign_id: campaignId,
    status: 'ACTIVE',
    ...(order.budgetLevel === 'ad_set' && budgetFields(order)),
    start_time: pendingStart(order, access.clock.now())?.toISOString(),
    end_time: input.endDate,
    billing_event: 'IMPRESSIONS',
    optimization_goal: plan.optimizationGoal,
    destination_type: plan.destinationType,
    promoted_object: plan.promotedObject,
    targeting: targetingOf(input, access.accountPlatform, locales),
    attribution_spec: attributionOf(input),
    dsa_beneficiary: input.dsaBeneficiary,
    dsa_payor: input.dsaPayor,
    ...regulationFields(input),
    ...(order.budgetLevel === 'ad_set' && { bid_strategy: input.bidStrategy ?? freeStrategy }),
    ...bidOf(input, adAccount.currency),
  };
}

function bidOf({ bidAmount, roasAverageFloor }: CreateAdInput, currency: string): Fields {
  return {
    ...(bidAmount !== undefined && { bid_amount: toMinor(bidAmount, currency) }),
    // The platform multiplies by 10000: 2.0 here is 20000 there.
    ...(roasAverageFloor !== undefined && {
      bid_constraints: { roas_average_floor: Math.round(roasAverageFloor * 10_000) },
    }),
  };
}

const attributedGoals = new Set(['conversions', 'lead_generation', 'app_promotion']);

const attributionOf = ({ goal, attributionSpec }: CreateAdInput): Fields[] | undefined =>
  attributedGoals.has(goal ?? '')
    ? attributionSpec?.map(({ eventType, windowDays }) => ({ event_type: eventType, window_days: windowDays }))
    : undefined;

export interface CreativeParts {
  headline?: string;
  body?: string;
  linkUrl?: string;
  callToAction?: string;
  imageUrl?: string;
  video?: { url: string; thumbnailUrl?: string };
  urlParameters?: UrlParameter[];
}

/** The entries that become ads: the creatives of a multi-creative order, else the order's own fields. */
export const creativesOf = (input: CreateAdInput): CreativeParts[] => input.creatives ?? [input];

export function creativeFields(
  name: string,
  parts: CreativeParts,
  { access, videoId, input }: { access: Access; videoId?: string; input: CreateAdInput },
): Fields {
  const button = { type: parts.callToAction, value: buttonValue(parts, input) };
  const data = videoId
    ? {
        video_data: {
          video_id: videoId,
          title: parts.headline,
          message: parts.body,
          image_url: parts.video?.thumbnailUrl,
          call_to_action: button,
        },
      }
    : {
        link_data: {
          link: linkOf(parts, input),
          name: parts.headline,
          message: parts.body,
          picture: parts.imageUrl,
          call_to_action: button,
        },
      };
  return {
    name,
    object_story_spec: {
      page_id: input.promotedObject?.pageId ?? access.pageId,
      ...(access.photoAccountId && { instagram_user_id: access.photoAccountId }),
      ...data,
    },
    url_tags: urlTagsOf(parts.urlParameters ?? input.urlParameters),
  };
}

const linkOf = ({ linkUrl }: CreativeParts, { promotedObject }: CreateAdInput): string | undefined =>
  promotedObject?.objectStoreUrl ?? linkUrl;

function buttonValue(parts: CreativeParts, { promotedObject }: CreateAdInput): Fields {
  if (promotedObject?.leadFormId) return { lead_gen_form_id: promotedObject.leadFormId };
  const { applicationId, objectStoreUrl } = promotedObject ?? {};
  if (applicationId) return { link: objectStoreUrl, application: applicationId };
  return { link: parts.linkUrl };
}

export const adFields = (
  name: string,
  { adSetId, creativeId, status }: { adSetId: string; creativeId: string; status: string },
): Fields => ({
  name,
  adset_id: adSetId,
  creative: { creative_id: creativeId },
  status,
});

/** Accepts `act_123` and `123`; the path requires the former. */
export const actOf = (adAccountId: string): string => `act_${segment(adAccountId.replace(/^act_/, ''))}`;
