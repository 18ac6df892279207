import type { AdReportInput, NamedLevel } from '../../contract/report-input.ts';
import { reporting } from '../../contract/reporting/index.ts';
import type { ReportLevel } from '../../contract/reporting/metrics.ts';
import { dayCount, type DayRange } from '../../lib/calendar-days.ts';
import type { ReportQuery } from '../../platforms/platform.ts';
import type { Ctx } from '../context.ts';
import type { RowFigures } from './figure-code.ts';
import { needsReach, type MetricContext } from './metric-values.ts';
import { rangeOf } from './dates.ts';
import { requireOffered } from './offered.ts';
import { readFigures, type FigureResult } from './read-figures.ts';
import { recordsIn, recordsOf, type RecordedObject } from './records.ts';
import type { NamedObjects, Source } from './resolve.ts';
import type { Hold } from './report-memory.ts';
import { requireRowLimit } from './row-limit.ts';
import type { RowTable } from './row-table.ts';
import { selectRows } from './select-rows.ts';
import { sortRows, type Order, type Rows } from './sort-rows.ts';

/** What `adReport` and `insights` let callers choose. */
type Choice = Pick<
  AdReportInput,
  | 'fromDate'
  | 'toDate'
  | 'datePreset'
  | 'granularity'
  | 'breakdowns'
  | 'metrics'
  | 'conversionEvent'
  | 'maxAgeSeconds'
  | 'sort'
  | 'order'
> &
  Partial<Pick<AdReportInput, 'includeDeleted' | 'onlyDelivered'>>;

export interface ReportRequest {
  source: Source;
  level: ReportLevel;
  named?: NamedObjects;
  choice: Choice;
}

/** All rows of a report, before paging. */
export interface BuiltReport extends ReportRequest {
  range: DayRange;
  metricContext: MetricContext;
  result: FigureResult;
  order: Order;
  /** Freed after their use. */
  rows: Rows;
  /** Figures with the reach of all rows together, if the platform counts exactly these. */
  reachFigures?: RowFigures;
  /** The platform counts exactly these rows, but their reach is still being read or could not be read. */
  isReachLoading?: boolean;
}

/** Reads the figures of a report and builds its sorted rows. */
export async function buildReport(ctx: Ctx, request: ReportRequest, hold: Hold): Promise<BuiltReport> {
  const { source, level, named, choice } = request;
  const { breakdowns = [], granularity } = choice;
  const range = rangeOf(choice, source.today);
  requireOffered(source.platform, { level, granularity, breakdowns });
  const metricContext: MetricContext = {
    reporting: reporting[source.platform],
    level,
    breakdowns,
    rowDays: granularity === 'day' ? 1 : dayCount(range),
    conversionEvent: choice.conversionEvent,
    requested: choice.metrics,
  };
  const reader: Reader = { ctx, request, range, hold };
  const result = await read(reader, { level, within: named, withReach: needsReach(metricContext) });
  const table = result.rows;
  // Platforms return several forms of the id of an ad account.
  if (level === 'account') for (const object of table.objects) object.platformId = source.adAccount.id;
  const { records, alwaysShown } = await shownObjects(ctx, request, table);
  const { includeDeleted = true } = choice;
  const selected = selectRows({
    table,
    alwaysShown,
    records,
    includeDeleted,
    range,
    metricContext,
    missing: result.missing,
    isDaily: granularity === 'day',
    timeZone: source.timeZone,
    requireRowLimit: (count) => requireRowLimit(ctx.reportLimits, { level, granularity }, count),
  });
  const order = orderOf(choice);
  const rows = sortRows(table, selected, order, metricContext);
  const reach = await readReach(reader, metricContext, rows);
  return { ...request, range, metricContext, result, order, rows, ...reach };
}

type Read = Pick<ReportQuery, 'level' | 'within' | 'withReach'>;

interface Reader {
  ctx: Ctx;
  request: ReportRequest;
  range: DayRange;
  hold: Hold;
}

function read({ ctx, request: { source, choice }, range, hold }: Reader, query: Read): Promise<FigureResult> {
  const request = {
    accountId: source.target.account._id,
    platform: source.platform,
    adAccount: source.adAccount,
    timeZone: source.timeZone,
    today: source.today,
    ...range,
    granularity: choice.granularity,
    breakdowns: choice.breakdowns ?? [],
    maxAgeSeconds: choice.maxAgeSeconds,
    ...query,
  };
  return readFigures(ctx, request, hold);
}

interface ShownObjects {
  records: Map<string, RecordedObject>;
  /** Objects that have rows even without delivery. */
  alwaysShown: string[];
}

async function shownObjects(
  ctx: Ctx,
  { source, level, named, choice }: ReportRequest,
  { objects }: RowTable,
): Promise<ShownObjects> {
  const { adAccount, target } = source;
  if (level === 'account') return { records: new Map(), alwaysShown: [adAccount.id] };
  const own = named?.level === level ? named.ids : [];
  const ids = new Set(own);
  for (const { platformId } of objects) ids.add(platformId);
  const records = await recordsOf(ctx, target.account._id, level, [...ids]);
  // A named object that is neither recorded nor reported may not exist.
  const known = own.filter((id) => records.has(id));
  if (choice.onlyDelivered ?? true) return { records, alwaysShown: known };
  const recorded = (await recordsIn(ctx, target.account._id, level, adAccount.id)).filter(isWithin(named));
  for (const record of recorded) records.set(record.platformId, record);
  return { records, alwaysShown: [...new Set([...known, ...recorded.map(({ platformId }) => platformId)])] };
}

const idAt: Record<NamedLevel, (record: RecordedObject) => string | null> = {
  campaign: ({ platformCampaignId }) => platformCampaignId,
  ad_set: ({ platformAdSetId }) => platformAdSetId,
  ad: ({ platformId }) => platformId,
};

const isWithin =
  (named: NamedObjects | undefined) =>
  (record: RecordedObject): boolean =>
    named === undefined || named.ids.includes(idAt[named.level](record) ?? '');

function orderOf({ sort, order, granularity }: Choice): Order {
  const by = sort ?? (granularity === 'day' ? 'date' : 'spend');
  return { by, isDescending: order ? order === 'desc' : by !== 'date' && by !== 'name' };
}

/**
 * Reach cannot be added. For all campaigns of an ad account, all ad sets of one campaign or all ads of one ad set, a
 * read of the level above returns the reach of exactly these rows.
 */
async function readReach(
  reader: Reader,
  metricContext: MetricContext,
  rows: Rows,
): Promise<Pick<BuiltReport, 'reachFigures' | 'isReachLoading'>> {
  const { level, named, choice } = reader.request;
  if (choice.granularity === 'day' || metricContext.breakdowns.length > 0 || !needsReach(metricContext)) return {};
  if (rows.length === 1) return { reachFigures: rows.at(0)?.figures };
  const higher = levelAbove(level, named);
  if (!higher || rows.length === 0 || choice.includeDeleted === false) return {};
  if (!needsReach({ ...metricContext, level: higher })) return {};
  const { rows: found, missing } = await read(reader, { level: higher, within: named, withReach: true });
  if (missing.some(({ reason }) => reason !== 'outside_retention')) return { isReachLoading: true };
  return missing.length === 0 && found.length === 1 ? { reachFigures: found.rowAt(0).figures } : {};
}

function levelAbove(level: ReportLevel, named: NamedObjects | undefined): ReportLevel | undefined {
  if (level === 'campaign') return named ? undefined : 'account';
  const parent = level === 'ad_set' ? 'campaign' : 'ad_set';
  return level !== 'account' && named?.level === parent && named.ids.length === 1 ? parent : undefined;
}
