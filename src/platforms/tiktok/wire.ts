import { z } from 'zod';
import { endOfWidth } from '../display-width.ts';
import { Figure, PlatformId } from '../tolerant.ts';

/** A few responses contain ids as numbers; requests always use strings. */
const Id = PlatformId;

export const Nothing = z.unknown();
export const CreatedCampaign = z.object({ campaign_id: Id });
export const CreatedAdGroup = z.object({ adgroup_id: Id });
export const CreatedIdentity = z.object({ identity_id: Id });
/** Some responses list the ids, some echo the ads. */
export const AdIds = z
  .object({ ad_ids: z.array(Id).optional(), creatives: z.array(z.object({ ad_id: Id })).optional() })
  .transform(({ ad_ids: ids, creatives = [] }) => ids ?? creatives.map((creative) => creative.ad_id))
  .pipe(z.array(z.string()).min(1));
/** Video uploads return a list, image uploads an object. */
export const VideoUploaded = z.array(z.object({ video_id: Id })).min(1);
export const ImageUploaded = z.object({ image_id: Id });
export const VideoInfo = z.object({
  list: z.array(z.object({ video_id: Id, video_cover_url: z.string().optional() })),
});

const PageInfo = z.object({ total_page: z.number(), total_number: z.number().default(0) });
type PageInfo = z.infer<typeof PageInfo>;

export const listOf = <T extends z.ZodType>(item: T, member: string) =>
  z
    .object({
      [member]: z.array(item),
      // Without it a page could be mistaken for the whole list.
      page_info: PageInfo,
    })
    .transform((data) => ({
      items: data[member] as z.output<T>[],
      totalPages: (data['page_info'] as PageInfo).total_page,
      total: (data['page_info'] as PageInfo).total_number,
    }));

export const Advertiser = z.object({ advertiser_id: Id });
export const AdvertiserInfo = z.object({
  advertiser_id: Id,
  name: z.string().default(''),
  currency: z.string(),
  timezone: z.string().optional(),
  status: z.string().optional(),
  rejection_reason: z.string().optional().nullable(),
});
export type AdvertiserInfo = z.infer<typeof AdvertiserInfo>;

export const Identity = z.object({
  identity_id: Id,
  identity_type: z.string(),
  display_name: z.string().optional(),
  available_status: z.string().optional(),
});

const text = z.string().optional().nullable();
const state = { operation_status: text, secondary_status: text, create_time: text };
export const Campaign = z.object({
  campaign_id: Id,
  campaign_name: z.string().default(''),
  objective_type: text,
  budget: z.number().optional().nullable(),
  budget_mode: text,
  budget_optimize_on: z.boolean().optional().nullable(),
  special_industries: z.array(z.string()).optional().nullable(),
  is_smart_performance_campaign: z.boolean().optional().nullable().catch(undefined),
  campaign_automation_type: text.catch(undefined),
  ...state,
});
const Ids = z.array(Id).optional().nullable();
export const AdGroup = z.object({
  adgroup_id: Id,
  campaign_id: Id,
  adgroup_name: z.string().default(''),
  optimization_goal: text,
  budget: z.number().optional().nullable(),
  budget_mode: text,
  schedule_type: text,
  schedule_start_time: text,
  schedule_end_time: text,
  bid_type: text,
  bid_price: z.number().optional().nullable(),
  conversion_bid_price: z.number().optional().nullable(),
  deep_bid_type: text,
  audience_ids: Ids,
  excluded_audience_ids: Ids,
  ...state,
});
export const Ad = z.object({
  ad_id: Id,
  adgroup_id: Id,
  /** Missing for ads of Smart+ campaigns. */
  campaign_id: Id.optional().nullable(),
  ad_name: z.string().default(''),
  ad_text: text,
  landing_page_url: text,
  call_to_action: text,
  ...state,
});
export type Campaign = z.infer<typeof Campaign>;
/** Campaigns of both generations of Smart+ have endpoints of their own; only the older ones have the flag. */
export const isAutomatic = ({
  is_smart_performance_campaign: isOlder,
  campaign_automation_type: type,
}: {
  is_smart_performance_campaign?: unknown;
  campaign_automation_type?: unknown;
}): boolean => isOlder === true || (typeof type === 'string' && type.includes('SMART_PLUS'));
export type AdGroup = z.infer<typeof AdGroup>;
export type Ad = z.infer<typeof Ad>;

export const Region = z.object({
  location_id: Id,
  name: z.string(),
  region_code: text,
  country_code: text,
  parent_id: Id.optional(),
  level: z.string(),
  support_below_18: z.boolean().optional().nullable().catch(undefined),
});
export type Region = z.infer<typeof Region>;
export const Regions = z.object({ region_info: z.array(Region) });

export const InterestCategory = z.object({
  interest_category_id: Id,
  interest_category_name: z.string(),
  level: z.number().optional(),
});
export const Language = z.object({ code: z.string(), name: z.string() });
export const Languages = z.object({ languages: z.array(Language) });

export const reportOf = (dimension: string) =>
  z.object({
    dimensions: z.object({ [dimension]: Id }),
    metrics: z.object({ spend: Figure, impressions: Figure, clicks: Figure }),
  });

const emoji = /[\p{Extended_Pictographic}\p{Emoji_Presentation}]|\u{200d}|\u{fe0f}/gu;

/** Emoji are rejected, and East Asian characters count twice. */
const plain = (text: string): string => text.replaceAll(emoji, '').trim();

export const hasEmoji = (text: string): boolean => /[\p{Emoji_Presentation}\u{fe0f}]/u.test(text);

export const plainName = (name: string): string => endOfWidth(plain(name), 512);

/** File names are unique on the platform, even if the response to an upload was lost. */
export const fileName = (name: string, what = ''): string => endOfWidth(plain(`${name}${what} ${Date.now()}`), 100);

/** Timestamps are UTC without a designator. */
export const toTime = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ');
export const fromTime = (time: string | null | undefined): Date | undefined => {
  const date = new Date(`${(time ?? '').replace(' ', 'T')}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
};
