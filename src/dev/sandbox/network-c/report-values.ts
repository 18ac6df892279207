import { frequencyOf, reachOf } from '../figures/reach.ts';
import type { Part } from '../figures/split.ts';
import type { Delivered } from './figures.ts';
import type { SandboxState, Thing } from './state.ts';

type Sum = Delivered['figures'];

/** An amount of money: at least two decimals. */
const money = (millionths: number): string => (millionths / 1e6).toFixed(6).replace(/0{1,4}$/, '');
const ratio = (part: number, whole: number): string => (whole === 0 ? 0 : part / whole).toFixed(2);

/** Metrics of delivery, which reports on the audience have too. */
const delivery: Record<string, (sum: Sum) => string> = {
  spend: ({ spend }) => money(spend),
  impressions: ({ impressions }) => String(impressions),
  clicks: ({ clicks }) => String(clicks),
  ctr: ({ clicks, impressions }) => ratio(100 * clicks, impressions),
  cpc: ({ spend, clicks }) => ratio(spend / 1e6, clicks),
  cpm: ({ spend, impressions }) => ratio(spend / 1000, impressions),
  conversion: ({ conversion }) => String(conversion),
};

const further: Record<string, (sum: Sum) => string> = {
  reach: ({ impressions }) => String(reachOf(impressions)),
  frequency: ({ impressions }) => ((frequencyOf(impressions) ?? 0) / 1e6).toFixed(2),
  engagements: ({ engagement }) => String(engagement),
  video_play_actions: ({ videoPlays }) => String(videoPlays),
  video_watched_2s: ({ videoViews }) => String(videoViews),
  video_views_p25: ({ videoP25 }) => String(videoP25),
  video_views_p50: ({ videoP50 }) => String(videoP50),
  video_views_p75: ({ videoP75 }) => String(videoP75),
  video_views_p100: ({ videoP100 }) => String(videoP100),
  complete_payment: ({ purchases }) => String(purchases),
  total_complete_payment_rate: ({ purchaseValue }) => money(purchaseValue),
  form: ({ leads }) => String(leads),
  user_registration: ({ registrations }) => String(registrations),
};

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Events of websites that the sandbox does not play, and those of apps and shops, which its ads do not have. */
const zero = new Set(
  words(`
  web_event_add_to_cart total_web_event_add_to_cart_value initiate_checkout total_initiate_checkout_value
  page_content_view_events total_page_view_content_events_value add_billing page_event_search online_consult
  total_online_consult_value on_web_subscribe total_on_web_subscribe_value onsite_form total_form_value
  total_onsite_form_value onsite_shopping total_onsite_shopping_value`),
);
const none = new Set(
  words(`
  purchase total_purchase total_purchase_value total_registration total_app_event_add_to_cart
  total_app_event_add_to_cart_value total_checkout total_checkout_value total_view_content total_view_content_value
  total_add_payment_info total_search total_subscribe total_subscribe_value total_start_trial app_install`),
);
/** Parents come as metrics of the levels below them. */
const parents = ['campaign_id', 'adgroup_id'];

export const isMetric = (name: string, isAudience: boolean): boolean =>
  Object.hasOwn(delivery, name) ||
  parents.includes(name) ||
  (!isAudience && (Object.hasOwn(further, name) || zero.has(name) || none.has(name)));

/** All values are text. */
export const valuesOf = (names: readonly string[], sum: Sum, { fields }: Thing): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, valueOf(name, sum, fields)]));

function valueOf(name: string, sum: Sum, fields: Thing['fields']): string {
  if (parents.includes(name)) return String(fields[name] ?? '-');
  if (zero.has(name)) return '0';
  return (delivery[name] ?? further[name])?.(sum) ?? '-';
}

const parts = (text: string): Part[] =>
  words(text).map((part) => {
    const [value = '', weight = '1'] = part.split('=');
    return { value, weight: Number(weight) };
  });

/** The values of each dimension with their weights; the platform calls an unknown one NONE. */
export const breakdowns: Record<string, readonly Part[]> = {
  age: parts('AGE_13_17=5 AGE_18_24=35 AGE_25_34=30 AGE_35_44=15 AGE_45_54=8 AGE_55_100=5 NONE=2'),
  gender: parts('FEMALE=52 MALE=44 NONE=4'),
  country_code: parts('US=75 CA=15 MX=7 NONE=3'),
  placement: parts('TikTok=92 Pangle=8'),
  platform: parts('ANDROID=45 IPHONE=48 IPAD=5 NONE=2'),
};

/** The ads that a row is the sum of: the ad itself, or all below the object, deleted ones included. */
export function adsBelow(sandbox: SandboxState, thing: Thing): readonly Thing[] {
  if (thing.kind === 'ad') return [thing];
  if (thing.kind === 'adgroup') return sandbox.below('ad', thing.id);
  return sandbox.below('adgroup', thing.id).flatMap((group) => sandbox.below('ad', group.id));
}
