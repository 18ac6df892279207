import { createHash } from 'node:crypto';
import { hasStarted } from '../started.ts';
import { list, oneOf, required, time } from './checks.ts';
import { invalid, notFound, refused } from './errors.ts';
import type { AdAccount, Kind, Params, Thing, SandboxState } from './state.ts';

const hourMs = 3_600_000;
const maxIds = 20;
const longestMs = 7 * 24 * hourMs;
const kinds: Record<string, Kind> = { CAMPAIGN: 'campaign', LINE_ITEM: 'line_item', PROMOTED_TWEET: 'promoted_tweet' };
const groups = ['BILLING', 'ENGAGEMENT', 'MEDIA', 'MOBILE_CONVERSION', 'VIDEO', 'WEB_CONVERSION'];
const metricsOf: Record<string, string[]> = {
  ENGAGEMENT: ['impressions', 'clicks', 'url_clicks', 'engagements', 'likes', 'replies', 'retweets', 'follows'],
  BILLING: ['billed_charge_local_micro', 'billed_engagements'],
};

type Figures = Record<string, number>;

/** Deterministic hourly metrics per ad, so that sums are predictable. */
export function hourly(id: string): Figures {
  const [a = 0, b = 0, c = 0] = createHash('sha256').update(id).digest();
  const impressions = 100 + a;
  const clicks = 1 + (b % 8);
  const spent = (10 + (c % 90)) * 10_000;
  return {
    impressions,
    clicks,
    url_clicks: clicks,
    engagements: clicks + 1,
    likes: 1,
    billed_engagements: clicks,
    billed_charge_local_micro: spent,
  };
}

const isBegun = ({ fields: { start_time: start } }: Thing): boolean =>
  hasStarted(start === undefined ? undefined : Date.parse(start));

/** Active ads of an object, under an active line item that has started and an active campaign. */
function runningAds(sandbox: SandboxState, thing: Thing): Thing[] {
  if (thing.isDeleted || thing.fields['entity_status'] !== 'ACTIVE' || !isBegun(thing)) return [];
  if (thing.kind === 'promoted_tweet') return [thing];
  const kind = thing.kind === 'campaign' ? 'line_item' : 'promoted_tweet';
  return sandbox.below(kind, thing.id).flatMap((id) => {
    const child = sandbox.things.get(id);
    return child ? runningAds(sandbox, child) : [];
  });
}

function isRunningAbove(sandbox: SandboxState, thing: Thing): boolean {
  const parent = thing.kind === 'campaign' ? undefined : sandbox.things.get(thing.parentId);
  return !parent || (parent.fields['entity_status'] === 'ACTIVE' && isBegun(parent) && isRunningAbove(sandbox, parent));
}

interface Span {
  /** Elapsed hours of each interval. */
  hours: number[];
  groups: string[];
}

function spanOf(params: Params): Span {
  const [start, end] = [time(params, 'start_time'), time(params, 'end_time')];
  for (const [name, at] of [
    ['start_time', start],
    ['end_time', end],
  ] as const)
    if (at % hourMs !== 0) throw invalid(name, `Expected whole hours for ${name}`, params[name]);
  if (end <= start || end - start > longestMs)
    throw refused('INVALID_TIME_WINDOW', 'The range must not exceed 7 days', 'end_time');
  const granularity = oneOf(params, 'granularity', ['TOTAL', 'DAY', 'HOUR']);
  const stepMs = { TOTAL: end - start, DAY: 24 * hourMs, HOUR: hourMs }[granularity] ?? end - start;
  const steps = Math.ceil((end - start) / stepMs);
  const hours = Array.from({ length: steps }, (_step, at) => {
    const from = start + at * stepMs;
    return Math.max(0, Math.floor((Math.min(from + stepMs, end, Date.now()) - from) / hourMs));
  });
  required(params, 'metric_groups');
  const requested = list(params, 'metric_groups', groups.length) ?? [];
  for (const metric_groups of requested) oneOf({ metric_groups }, 'metric_groups', groups);
  oneOf(params, 'placement', ['ALL_ON_TWITTER', 'PUBLISHER_NETWORK', 'SPOTLIGHT', 'TREND']);
  return { hours, groups: requested };
}

/** Metrics of up to 20 ads, line items or campaigns; null without delivery. */
export function statsOf(sandbox: SandboxState, account: AdAccount, params: Params): object {
  const entity = oneOf(params, 'entity', Object.keys(kinds));
  required(params, 'entity_ids');
  const ids = list(params, 'entity_ids', maxIds) ?? [];
  const span = spanOf(params);
  const data = ids.map((id) => {
    const thing = sandbox.things.get(id);
    if (!thing || thing.kind !== kinds[entity] || thing.accountId !== account.id)
      throw notFound(entity, id, 'entity_ids');
    return { id, id_data: [{ segment: null, metrics: metrics(sandbox, thing, span) }] };
  });
  return { data_type: 'stats', time_series_length: span.hours.length, data };
}

function metrics(sandbox: SandboxState, thing: Thing, span: Span): Record<string, number[] | null> {
  const ads = isRunningAbove(sandbox, thing) ? runningAds(sandbox, thing).map(({ id }) => hourly(id)) : [];
  const names = span.groups.flatMap((group) => metricsOf[group] ?? []);
  return Object.fromEntries(
    names.map((name) => {
      const anHour = ads.reduce((sum, figures) => sum + (figures[name] ?? 0), 0);
      return [name, anHour === 0 ? null : span.hours.map((hours) => hours * anHour)];
    }),
  );
}
