import { dayAfter, daysIn, today } from '../figures/days.ts';
import { requireObject } from './checks.ts';
import { GraphError, invalid } from './errors.ts';
import { requirePossible } from './insight-breakdowns.ts';
import { metricNames } from './insight-values.ts';
import { listIn, parseFields, type Condition } from './read.ts';

type Query = Record<string, string>;
export type Level = 'account' | 'campaign' | 'adset' | 'ad';

const labels =
  'account_id account_name account_currency campaign_id campaign_name adset_id adset_name ad_id ad_name objective optimization_goal attribution_setting date_start date_stop'.split(
    ' ',
  );
/** First and last day, counted back from today. */
const presets: Record<string, [number, number]> = {
  today: [0, 0],
  yesterday: [1, 1],
  last_3d: [3, 1],
  last_7d: [7, 1],
  last_14d: [14, 1],
  last_28d: [28, 1],
  last_30d: [30, 1],
  last_90d: [90, 1],
};
const keptMonths = 37;
const reachMonths = 13;

export interface InsightQuery {
  level: Level;
  fields: string[];
  breakdowns: string[];
  conditions: Condition[];
  /** A row for each of these, both days inclusive. */
  ranges: { since: string; until: string }[];
  hasReach: boolean;
}

/** Parses and validates a query as of an instant, whose day depends on the account's time zone. */
export function queryIn(query: Query, own: Level, { now, timeZone }: { now: number; timeZone: string }): InsightQuery {
  const level = (query['level'] ?? own) as Level;
  if (!['account', 'campaign', 'adset', 'ad'].includes(level))
    throw invalid('level must be one of account, campaign, adset, ad', { field: 'level' });
  const breakdowns = namesIn(query, 'breakdowns');
  requirePossible(breakdowns);
  checkWindows(query);
  const day = today(now, timeZone);
  const range = rangeIn(query, day);
  return {
    level,
    fields: [...fieldsOf(query), ...breakdowns],
    breakdowns,
    conditions: conditionsIn(query),
    ranges: cutInto(range, query['time_increment'] ?? 'all_days'),
    hasReach: breakdowns.length === 0 || range.since >= monthsBefore(day, reachMonths),
  };
}

function namesIn(query: Query, name: string): string[] {
  const text = query[name];
  if (!text) return [];
  return text.startsWith('[') ? (listIn(query, name) ?? []).map(String) : text.split(',');
}

function fieldsOf(query: Query): string[] {
  // Unconfirmed: which fields are returned by default, apart from the dates.
  const requested = [...parseFields(query['fields'] ?? 'account_id,impressions,spend').keys()];
  const odd = requested.find((name) => !metricNames.includes(name) && !labels.includes(name));
  if (odd) throw new GraphError({ code: 100, message: `${odd} is not valid for fields param.` });
  return [...new Set([...requested, 'date_start', 'date_stop'])];
}

/** Views are attributed for one day only. */
const windows = ['1d_view', '1d_ev', '1d_click', '7d_click', '28d_click', 'default', 'dda'];

function checkWindows(query: Query): void {
  const asked = namesIn(query, 'action_attribution_windows');
  const odd = asked.findIndex((name) => !windows.includes(name));
  if (odd < 0) return;
  const message = `action_attribution_windows[${odd}] must be one of the following values: ${windows.join(', ')}`;
  throw new GraphError({ code: 100, message });
}

function rangeIn(query: Query, day: string): { since: string; until: string } {
  const earliest = monthsBefore(day, keptMonths);
  if (!query['time_range']) return presetOf(query['date_preset'] ?? 'last_30d', day, earliest);
  const { since, until } = requireObject(parsed(query['time_range']), 'time_range') as Record<string, string>;
  for (const date of [since, until])
    if (!isDay(date)) throw invalid('time_range requires since and until', { field: 'time_range' });
  if (String(since) > String(until))
    throw new GraphError({ code: 100, message: 'since must be before until', title: 'Invalid time range' });
  if (String(since) < earliest)
    throw new GraphError({
      code: 3018,
      message: `The start date of the time range cannot be beyond ${keptMonths} months from the current date`,
    });
  return { since: String(since), until: String(until) };
}

const isDay = (text: unknown): boolean =>
  typeof text === 'string' &&
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  new Date(Date.parse(text) || 0).toISOString().startsWith(text);

function presetOf(preset: string, day: string, earliest: string): { since: string; until: string } {
  if (preset === 'maximum') return { since: earliest, until: day };
  if (preset === 'this_month') return { since: `${day.slice(0, 8)}01`, until: day };
  if (preset === 'last_month') {
    const until = dayAfter(`${day.slice(0, 8)}01`, -1);
    return { since: `${until.slice(0, 8)}01`, until };
  }
  const [first, last] = presets[preset] ?? [];
  if (first === undefined || last === undefined) throw invalid('date_preset is not valid', { field: 'date_preset' });
  return { since: dayAfter(day, -first), until: dayAfter(day, -last) };
}

function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const first = new Date(Date.UTC(year, month - 1 - months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(date, last));
  return first.toISOString().slice(0, 10);
}

function cutInto({ since, until }: { since: string; until: string }, increment: string): InsightQuery['ranges'] {
  if (increment === 'all_days') return [{ since, until }];
  const days = daysIn(since, until);
  if (increment === 'monthly') {
    const months = [...new Set(days.map((day) => day.slice(0, 7)))];
    return months.map((month) => {
      const own = days.filter((day) => day.startsWith(month));
      return { since: own[0] ?? since, until: own.at(-1) ?? until };
    });
  }
  const step = Number(increment);
  if (!Number.isInteger(step) || step < 1 || step > 90)
    throw invalid('time_increment must be all_days, monthly or a number of days up to 90', { field: 'time_increment' });
  return days
    .filter((_day, at) => at % step === 0)
    .map((day) => ({ since: day, until: [dayAfter(day, step - 1), until].toSorted()[0] ?? until }));
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const filterLevels = ['campaign', 'adset', 'ad'];
const filterNames = ['id', 'name', 'effective_status', 'created_time', 'updated_time', 'objective'];
const statuses =
  'ACTIVE PAUSED DELETED ARCHIVED IN_PROCESS WITH_ISSUES CAMPAIGN_PAUSED ADSET_PAUSED PENDING_REVIEW DISAPPROVED PREAPPROVED PENDING_BILLING_INFO'.split(
    ' ',
  );

/** Filters name an object level, and accept metrics as well as names. */
function conditionsIn(query: Query): Condition[] {
  const conditions = (listIn(query, 'filtering') ?? []) as Condition[];
  for (const { field, operator, value } of conditions) {
    const [level = '', name = ''] = String(field).split('.');
    if (!filterLevels.includes(level) || !filterNames.includes(name))
      throw new GraphError({ code: 100, message: `Filtering field '${field}' is invalid` });
    if (/^(NOT_)?IN$/.test(operator) && !Array.isArray(value))
      throw invalid(`The operator ${operator} requires a list of values`, { field: 'filtering' });
    const odd = name === 'effective_status' && [value].flat().find((one) => !statuses.includes(String(one)));
    if (odd) throw invalid(`${String(odd)} is not an effective status`, { field: 'filtering' });
  }
  return conditions;
}
