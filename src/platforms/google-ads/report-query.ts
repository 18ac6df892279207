import type { Breakdown, ReportLevel } from '../../contract/reporting/metrics.ts';
import type { ReportQuery } from '../report.ts';

const delivery = ['cost_micros', 'impressions', 'clicks', 'interactions', 'conversions', 'conversions_value'];
const views = 'video_trueview_views';
const quartiles = ['25', '50', '75', '100'].map((part) => `video_quartile_p${part}_rate`);
const unique = ['unique_users', 'average_impression_frequency_per_user'];

const resources: Record<ReportLevel, string> = {
  account: 'customer',
  campaign: 'campaign',
  ad_set: 'ad_group',
  ad: 'ad_group_ad',
};
const ids: Record<ReportLevel, string[]> = {
  account: ['customer.id'],
  campaign: ['campaign.id'],
  ad_set: ['ad_group.id', 'campaign.id'],
  ad: ['ad_group_ad.ad.id', 'ad_group.id', 'campaign.id'],
};
const idFields = { campaign: 'campaign.id', ad_set: 'ad_group.id', ad: 'ad_group_ad.ad.id' } as const;

/** Breakdowns by a segment keep the resource of the level; the others have a view of their own. */
const segments: Partial<Record<Breakdown, string>> = {
  placement: 'segments.ad_network_type',
  device: 'segments.device',
};
const viewOf: Partial<Record<Breakdown, { from: string; field: string }>> = {
  age: { from: 'age_range_view', field: 'ad_group_criterion.age_range.type' },
  gender: { from: 'gender_view', field: 'ad_group_criterion.gender.type' },
  country: { from: 'geographic_view', field: 'geographic_view.country_criterion_id' },
};

/** Figures of objects, removed ones included, by day and breakdown. */
export function figureQuery(query: ReportQuery): string {
  const { level, breakdowns, granularity } = query;
  const view = breakdowns.map((name) => viewOf[name]).find((found) => found !== undefined);
  const isByCountry = breakdowns.includes('country');
  const metrics = [...delivery, views, ...(isByCountry ? [] : quartiles)];
  const columns = breakdowns.flatMap((name) => segments[name] ?? viewOf[name]?.field ?? []);
  const select = [
    // A view of ad groups has rows for each of them, whatever is selected.
    ...(view && !isByCountry && level === 'account' ? ids.campaign : ids[level]),
    ...columns,
    ...(granularity === 'day' ? ['segments.date'] : []),
    ...metrics.map((name) => `metrics.${name}`),
  ];
  // Interest in a place is counted beside presence there, so both together would count twice.
  const presence = isByCountry ? ["geographic_view.location_type = 'LOCATION_OF_PRESENCE'"] : [];
  return statement(query, { select, from: view?.from ?? resources[level], more: presence });
}

/** Reach cannot be added, so it has a query of its own, without any segment except the day. */
export function reachQuery(query: ReportQuery): string {
  const days = query.granularity === 'day' ? ['segments.date'] : [];
  const select = [...ids.campaign, ...days, ...unique.map((name) => `metrics.${name}`)];
  return statement(query, { select, from: resources.campaign, more: [] });
}

function statement(
  { fromDate, toDate, within }: ReportQuery,
  { select, from, more }: { select: string[]; from: string; more: string[] },
): string {
  const where = [
    `segments.date BETWEEN '${fromDate}' AND '${toDate}'`,
    ...more,
    ...(within ? [`${idFields[within.level]} IN (${within.ids.map(numberOf).join(', ')})`] : []),
  ];
  // A filter by an object needs its field in the selection of views.
  const filtered = within && !select.includes(idFields[within.level]) ? [idFields[within.level]] : [];
  return `SELECT ${[...select, ...filtered].join(', ')} FROM ${from} WHERE ${where.join(' AND ')}`;
}

/** An ad is named by its ad group and its own id. Ids are digits, so that none can change the query. */
const numberOf = (id: string): string => /(\d+)$/.exec(id)?.[1] ?? '0';
