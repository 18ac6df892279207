import { invalidField } from '../../contract/error.ts';
import type { AdReportInput, DatePreset } from '../../contract/report-input.ts';

export const adsPath = '/ads';
export const csvPath = '/ads/report.csv';
export const rowsPerPage = 50;

/** What a URL of the page shows. The input of `adReport` validates the values. */
export interface View {
  account?: string;
  adAccount?: string;
  preset?: string;
  from?: string;
  to?: string;
  level?: string;
  /** Ids at the platform of the campaign and the ad set whose children are shown. */
  campaign?: string;
  adSet?: string;
  sort?: string;
  page?: string;
  /** How often the page has reloaded itself while figures are loading. */
  tries?: string;
}

const names = [
  'account',
  'adAccount',
  'preset',
  'from',
  'to',
  'level',
  'campaign',
  'adSet',
  'sort',
  'page',
  'tries',
] as const satisfies (keyof View)[];

/** Empty fields of the form count as absent. */
export function viewOf(queries: Record<string, string[]>): View {
  const given = names.flatMap((name): [string, string][] => {
    const [value, ...more] = (queries[name] ?? []).filter(Boolean);
    if (more.length > 0) throw invalidField(name, 'must be given once');
    return value === undefined ? [] : [[name, value]];
  });
  const view: View = Object.fromEntries(given);
  // Dates of the form replace a preset.
  return (view.from ?? view.to) ? { ...view, preset: undefined } : view;
}

/** The URL of another view, at its first page. */
export function hrefOf(view: View, changes: View = {}, path: string = adsPath): string {
  const next: View = { ...view, page: undefined, tries: undefined, ...changes };
  const given = names.flatMap((name): [string, string][] => (next[name] === undefined ? [] : [[name, next[name]]]));
  const query = new URLSearchParams(given).toString();
  return query ? `${path}?${query}` : path;
}

const presetNames: Record<DatePreset, string> = {
  today: 'Today',
  yesterday: 'Yesterday',
  last_7_days: 'Last 7 days',
  last_14_days: 'Last 14 days',
  last_28_days: 'Last 28 days',
  last_30_days: 'Last 30 days',
  this_month: 'This month',
  last_month: 'Last month',
};

export const presets = Object.entries(presetNames) as [DatePreset, string][];

export const defaultPreset: DatePreset = 'last_30_days';

export type ReportRequest = Partial<Record<keyof AdReportInput, unknown>>;

const rangeOf = ({ preset, from, to }: View): ReportRequest =>
  (from ?? to) ? { fromDate: from, toDate: to } : { datePreset: preset ?? defaultPreset };

const sourceOf = (view: View): ReportRequest => ({
  accountId: view.account,
  adAccountId: view.adAccount,
  ...rangeOf(view),
});

/** Request for the days of the ad account, campaign or ad set that is shown. */
export function daysRequest(view: View): ReportRequest {
  const shared = { ...sourceOf(view), granularity: 'day', sort: 'date', limit: 400 };
  if (view.adSet) return { ...shared, level: 'ad_set', adSetIds: [view.adSet] };
  if (view.campaign) return { ...shared, level: 'campaign', campaignIds: [view.campaign] };
  return { ...shared, level: 'account' };
}

/** Request for the rows of the table and of the CSV. */
export const tableRequest = (view: View): ReportRequest => ({
  ...sourceOf(view),
  level: view.level,
  sort: view.sort,
  ...(view.adSet ? { adSetIds: [view.adSet] } : view.campaign && { campaignIds: [view.campaign] }),
});
