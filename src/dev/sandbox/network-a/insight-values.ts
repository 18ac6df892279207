import type { Figures } from '../figures/figures.ts';
import { frequencyOf, reachOf } from '../figures/reach.ts';
import type { Body } from './checks.ts';
import { offsetOf } from './state.ts';

export interface Shown {
  figures: Readonly<Figures>;
  currency: string;
  /** The platform leaves out unique figures with some breakdowns. */
  hasReach: boolean;
}

/** Metrics are texts, amounts in whole units with the currency's digits, and empty lists are absent. */
export function written({ figures, currency, hasReach }: Shown): Body {
  const { impressions, clicks, spend } = figures;
  const digits = offsetOf(currency) === 1 ? 0 : 2;
  const units = spend / 1_000_000;
  return {
    impressions: String(impressions),
    clicks: String(clicks),
    spend: units.toFixed(digits),
    inline_link_clicks: String(figures.linkClicks),
    inline_post_engagement: String(figures.engagement),
    ...(hasReach && { reach: String(reachOf(impressions)), frequency: ratio(frequencyOf(impressions)) }),
    ...(impressions > 0 && {
      cpm: ((units * 1000) / impressions).toFixed(6),
      ctr: ((clicks * 100) / impressions).toFixed(6),
    }),
    ...(clicks > 0 && { cpc: (units / clicks).toFixed(6) }),
    ...lists(figures, digits),
  };
}

const ratio = (millionths: number | null): string => ((millionths ?? 0) / 1_000_000).toFixed(6);

/** Action types overlap: the same purchase is listed under each type that contains it. */
function lists(figures: Readonly<Figures>, digits: number): Body {
  const { purchases, leads, registrations } = figures;
  const onWebsite = (count: number): number => Math.floor((count * 4) / 5);
  const value = (figures.purchaseValue / 1_000_000).toFixed(digits);
  const onPixel = ((figures.purchaseValue * 0.8) / 1_000_000).toFixed(digits);
  const video = (count: number): Body[] | undefined => listOf([['video_view', count]]);
  return {
    actions: listOf([
      ['link_click', figures.linkClicks],
      ['post_engagement', figures.engagement],
      ['video_view', figures.videoViews],
      ['omni_purchase', purchases],
      ['purchase', purchases],
      ['offsite_conversion.fb_pixel_purchase', onWebsite(purchases)],
      ['lead', leads],
      ['offsite_conversion.fb_pixel_lead', onWebsite(leads)],
      ['onsite_conversion.lead_grouped', leads - onWebsite(leads)],
      ['omni_complete_registration', registrations],
      ['complete_registration', registrations],
      ['offsite_conversion.fb_pixel_complete_registration', onWebsite(registrations)],
    ]),
    action_values: listOf([
      ['omni_purchase', value],
      ['purchase', value],
      ['offsite_conversion.fb_pixel_purchase', onPixel],
    ]),
    video_play_actions: video(figures.videoPlays),
    video_p25_watched_actions: video(figures.videoP25),
    video_p50_watched_actions: video(figures.videoP50),
    video_p75_watched_actions: video(figures.videoP75),
    video_p100_watched_actions: video(figures.videoP100),
  };
}

function listOf(entries: [type: string, value: number | string][]): Body[] | undefined {
  const found = entries.filter(([, value]) => Number(value) !== 0);
  return found.length === 0 ? undefined : found.map(([type, value]) => ({ action_type: type, value: String(value) }));
}

export const metricNames =
  'impressions clicks spend reach frequency cpm cpc ctr inline_link_clicks inline_post_engagement actions action_values conversions conversion_values video_play_actions video_p25_watched_actions video_p50_watched_actions video_p75_watched_actions video_p100_watched_actions'.split(
    ' ',
  );
