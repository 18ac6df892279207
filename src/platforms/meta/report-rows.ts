import { z } from 'zod';
import type { Breakdown } from '../../contract/reporting/metrics.ts';
import { millionths } from '../decimal.ts';
import type { Figures, ReportQuery, ReportRow } from '../report.ts';
import { actionTypes, breakdownColumns, levelNames } from './report-columns.ts';

const Count = z.string().regex(/^\d+$/, 'must be a whole number').transform(BigInt);
const Amount = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/, 'must be a decimal number')
  .transform((text) => millionths(text) ?? 0n);
const Actions = z
  .array(z.object({ action_type: z.string(), value: Amount.optional() }))
  .default([])
  .transform((list) => new Map(list.map(({ action_type: type, value = 0n }) => [type, value])));
const Id = z.string().optional();
const Text = z.string().default('unknown');

export const InsightRow = z.object({
  account_id: Id,
  campaign_id: Id,
  adset_id: Id,
  ad_id: Id,
  date_start: z.string(),
  spend: Amount.optional(),
  impressions: Count.optional(),
  clicks: Count.optional(),
  inline_link_clicks: Count.optional(),
  inline_post_engagement: Count.optional(),
  reach: Count.optional(),
  frequency: Amount.optional(),
  actions: Actions,
  action_values: Actions,
  conversions: Actions,
  conversion_values: Actions,
  video_play_actions: Actions,
  video_p25_watched_actions: Actions,
  video_p50_watched_actions: Actions,
  video_p75_watched_actions: Actions,
  video_p100_watched_actions: Actions,
  age: Text,
  gender: Text,
  country: Text,
  publisher_platform: Text,
  platform_position: Text,
  impression_device: Text,
});
type InsightRow = z.infer<typeof InsightRow>;

export function toRow(row: InsightRow, query: ReportQuery): ReportRow {
  const { level, granularity, breakdowns } = query;
  return {
    platformId: level === 'account' ? query.adAccount.id : (row[`${levelNames[level]}_id`] ?? ''),
    ...((level === 'ad_set' || level === 'ad') && { campaignId: row.campaign_id }),
    ...(level === 'ad' && { adSetId: row.adset_id }),
    ...(granularity === 'day' && { date: row.date_start }),
    ...(breakdowns.length > 0 && { breakdown: breakdowns.map((name) => valueOf(row, name)) }),
    figures: figuresOf(row),
  };
}

/** An action that the platform does not list is zero. */
function figuresOf(row: InsightRow): Figures {
  const events = Object.fromEntries(
    Object.entries(actionTypes).map(([event, types]) => [
      event,
      {
        count: firstOf(types, row.actions, row.conversions) ?? 0n,
        value: firstOf(types, row.action_values, row.conversion_values) ?? 0n,
      },
    ]),
  ) as Required<Figures>['events'];
  return {
    ...defined({
      spend: row.spend,
      impressions: row.impressions,
      clicks: row.clicks,
      linkClicks: row.inline_link_clicks,
      engagement: row.inline_post_engagement,
      reach: row.reach,
      frequency: row.frequency,
    }),
    purchases: events.purchase?.count,
    purchaseValue: events.purchase?.value,
    leads: events.lead?.count,
    videoViews: wholeOf(row.actions),
    videoPlays: wholeOf(row.video_play_actions),
    videoP25: wholeOf(row.video_p25_watched_actions),
    videoP50: wholeOf(row.video_p50_watched_actions),
    videoP75: wholeOf(row.video_p75_watched_actions),
    videoP100: wholeOf(row.video_p100_watched_actions),
    events,
  };
}

const defined = (figures: Figures): Figures =>
  Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));

const firstOf = (types: string[], ...lists: Map<string, bigint>[]): bigint | undefined =>
  types.flatMap((type) => lists.map((list) => list.get(type))).find((value) => value !== undefined);

/** Lists about videos have the one type `video_view`, and its counts are whole numbers. */
const wholeOf = (list: Map<string, bigint>): bigint => (list.get('video_view') ?? 0n) / 1_000_000n;

function valueOf(row: InsightRow, breakdown: Breakdown): { value: string; label: string } {
  const values = breakdownColumns[breakdown].map((column) => String(row[column as keyof InsightRow]));
  const isUnknown = values.every((value) => value.toLowerCase() === 'unknown');
  const value = isUnknown ? 'unknown' : values.join('/');
  return { value, label: breakdown === 'device' ? (devices[value] ?? value) : value.replaceAll('_', ' ') };
}

const devices: Record<string, string> = {
  desktop: 'desktop',
  iphone: 'mobile',
  ipod: 'mobile',
  android_smartphone: 'mobile',
  ipad: 'tablet',
  android_tablet: 'tablet',
};
