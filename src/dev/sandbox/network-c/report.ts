import { dayAfter, daysIn } from '../figures/days.ts';
import type { Asked } from './request.ts';
import { pageInfo, parsed, parsedList, requireOneOf, windowIn, type Body } from './checks.ts';
import { missing, VendorError, wrong } from './errors.ts';
import { delivered, type Range } from './figures.ts';
import { adsBelow, breakdowns, isMetric, valuesOf } from './report-values.ts';
import { hasPrimaryStatus, primaryStatuses } from './status.ts';
import type { SandboxState, Thing } from './state.ts';

const levels = {
  AUCTION_AD: 'ad',
  AUCTION_ADGROUP: 'adgroup',
  AUCTION_CAMPAIGN: 'campaign',
  AUCTION_ADVERTISER: 'advertiser',
} as const;
type Level = (typeof levels)[keyof typeof levels];
const order: Level[] = ['advertiser', 'campaign', 'adgroup', 'ad'];
/** The longest range, with and without days. */
const maxDays = { day: 30, total: 365 };

interface Request {
  level: Level;
  isAudience: boolean;
  byDay: boolean;
  by: string[];
  metrics: string[];
  range?: Range;
}

/** One page of a report. Parameter names other than the metrics are unconfirmed. */
export function report(asked: Asked): Body {
  const { sandbox, advertiser, query } = asked;
  const request = requestIn(asked);
  const window = windowIn(query);
  const objects =
    request.level === 'advertiser'
      ? [{ id: advertiser.id, ads: sandbox.below('ad', advertiser.id) }]
      : thingsIn(asked, request.level).map((thing) => ({ id: thing.id, thing, ads: adsBelow(sandbox, thing) }));
  const rows = objects.flatMap((object) => rowsOf(sandbox, object, request));
  const start = (window.page - 1) * window.size;
  return { list: rows.slice(start, start + window.size), page_info: pageInfo(window, rows.length) };
}

function requestIn({ advertiser, query }: Asked): Request {
  const isAudience = requireOneOf(query, 'report_type', ['BASIC', 'AUDIENCE']) === 'AUDIENCE';
  const dataLevel = requireOneOf(query, 'data_level', Object.keys(levels));
  const level = levels[dataLevel as keyof typeof levels];
  const dimensions = parsedList(query, 'dimensions') ?? [];
  const by = dimensions.filter((name) => Object.hasOwn(breakdowns, name));
  const byDay = dimensions.includes('stat_time_day');
  const others = dimensions.filter((name) => name !== 'stat_time_day' && !by.includes(name));
  if (others.join() !== `${level}_id`) throw wrong(`dimensions: Must contain ${level}_id alone for ${dataLevel}.`);
  checkBreakdowns(by, isAudience);
  const metrics = parsedList(query, 'metrics') ?? ['spend', 'impressions'];
  const odd = metrics.find((name) => !isMetric(name, isAudience));
  if (odd !== undefined) throw wrong(`metrics: Invalid value ${odd}.`);
  const range = rangeIn(query, advertiser.timezone, maxDays[byDay ? 'day' : 'total']);
  if (!range && (isAudience || dimensions.length > 1))
    throw wrong('query_lifetime: Not supported with this report type or these dimensions.');
  return { level, isAudience, byDay, by, metrics, ...(range && { range }) };
}

/** Only age and gender can be combined, and the basic report has the country alone. */
function checkBreakdowns(by: string[], isAudience: boolean): void {
  const isAlone = by.length < 2 || by.toSorted().join() === 'age,gender';
  const isFitting = isAudience ? by.length > 0 : by.every((name) => name === 'country_code');
  if (!isAlone || !isFitting) throw wrong(`dimensions: ${by.join(', ') || 'None'} cannot be grouped by here.`);
}

/** The days of a report; undefined if it is about the lifetime. */
function rangeIn(query: Record<string, string>, timeZone: string, most: number): Range | undefined {
  if (query['query_lifetime'] === 'true') return undefined;
  const [first = '', last = ''] = ['start_date', 'end_date'].map((name) => {
    const day = query[name];
    if (day === undefined) throw missing(name);
    if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day))) throw wrong(`${name}: Not a valid date.`);
    return day;
  });
  if (last < first) throw wrong('end_date: Must not be before start_date.');
  if (dayAfter(first, most) <= last) throw wrong(`end_date: The range must not be longer than ${most} days.`);
  return { first, last, timeZone };
}

interface Filter {
  field_name?: unknown;
  filter_type?: unknown;
  filter_value?: unknown;
}

/** Filters are a list of `{field_name, filter_type, filter_value}`, whose value is JSON text. */
function thingsIn({ sandbox, advertiser, query }: Asked, level: Exclude<Level, 'advertiser'>): Thing[] {
  const filters = parsed(query, 'filtering') ?? [];
  if (!Array.isArray(filters)) throw wrong('filtering: Not a valid list.');
  // By default deleted objects have no row.
  let status = 'STATUS_NOT_DELETE';
  const keep: ((thing: Thing) => boolean)[] = [];
  for (const { field_name: name, filter_type: type, filter_value: value } of filters as Filter[]) {
    if (type !== 'IN' || typeof value !== 'string') throw wrong('filtering: Only the type IN with JSON text here.');
    const values = parsedList({ value }, 'value')?.map(String) ?? [];
    if (name === `${level}_status`) {
      status = values[0] ?? '';
      if (values.length !== 1 || !primaryStatuses.includes(status)) throw wrong(`filtering.${name}: Invalid value.`);
    } else keep.push(idFilter(String(name), values, level));
  }
  return sandbox
    .below(level, advertiser.id)
    .filter((thing) => hasPrimaryStatus(sandbox, thing, status) && keep.every((holds) => holds(thing)));
}

function idFilter(name: string, ids: string[], level: Level): (thing: Thing) => boolean {
  const at = name.replace(/_ids$/, '') as Level;
  if (!name.endsWith('_ids') || order.indexOf(at) < 1 || order.indexOf(at) > order.indexOf(level))
    throw wrong(`filtering: ${name} is no filter of this level.`);
  // As in every other list of ids; unconfirmed for this look-up.
  if (ids.length > 100) throw new VendorError(40011, `filtering.${name}: More than 100 ids.`);
  const requested = new Set(ids);
  return ({ id, fields }) => requested.has(at === level ? id : String(fields[`${at}_id`]));
}

interface Reported {
  id: string;
  thing?: Thing;
  ads: readonly Thing[];
}

/** Only what has delivered has rows. */
function rowsOf(
  sandbox: SandboxState,
  { id, thing, ads }: Reported,
  { level, byDay, by, metrics, range, isAudience }: Request,
): Body[] {
  const days = byDay && range ? daysIn(range.first, range.last) : [undefined];
  const subject = thing ?? ({ fields: {} } as Thing);
  return days.flatMap((day) => {
    const within = range && day !== undefined ? { ...range, first: day, last: day } : range;
    const parts = by.map((name) => breakdowns[name] ?? []);
    return delivered(sandbox, ads, within, { dimensions: parts, isAudience }).map(({ values, figures }) => ({
      dimensions: {
        [`${level}_id`]: id,
        ...(day !== undefined && { stat_time_day: `${day} 00:00:00` }),
        ...Object.fromEntries(by.map((name, at) => [name, values[at]])),
      },
      metrics: valuesOf(metrics, figures, subject),
    }));
  });
}
