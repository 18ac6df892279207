import type { AdReportInput, NamedLevel } from '../../contract/report-input.ts';
import { reporting } from '../../contract/reporting/index.ts';
import type { ReportLevel } from '../../contract/reporting/metrics.ts';
import { dayCount, type DayRange } from '../../lib/calendar-days.ts';
import type { Figures, ReportQuery, ReportRow } from '../../platforms/platform.ts';
import type { Ctx } from '../context.ts';
import { needsReach, type Terms } from './combine.ts';
import { rangeOf } from './dates.ts';
import { requireOffered } from './offered.ts';
import { readFigures, type FigureResult } from './read-figures.ts';
import { recordsIn, recordsOf, type RecordedObject } from './records.ts';
import type { NamedObjects, Source } from './resolve.ts';
import { rowsOf, sortRows, type Order, type Row } from './rows.ts';

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

/** A report before its page is chosen. */
export interface Prepared extends ReportRequest {
  range: DayRange;
  terms: Terms;
  result: FigureResult;
  order: Order;
  /** Sorted. */
  rows: Row[];
  /** The figures of all rows together, where the platform counts people in exactly these. */
  above?: Figures;
}

/** Reads the figures of a report and builds its rows. */
export async function prepareReport(ctx: Ctx, request: ReportRequest): Promise<Prepared> {
  const { source, level, named, choice } = request;
  const { breakdowns = [], granularity } = choice;
  const range = rangeOf(choice, source.today);
  requireOffered(source.platform, { level, granularity, breakdowns });
  const terms: Terms = {
    reporting: reporting[source.platform],
    level,
    breakdowns,
    rowDays: granularity === 'day' ? 1 : dayCount(range),
    conversionEvent: choice.conversionEvent,
    requested: choice.metrics,
  };
  const result = await read(ctx, request, range, { level, within: named, withReach: needsReach(terms) });
  const found = level === 'account' ? ofAdAccount(source, result.rows) : result.rows;
  const { records, always } = await shownObjects(ctx, request, found);
  const { includeDeleted = true } = choice;
  const rows = rowsOf({
    rows: found,
    always,
    records,
    includeDeleted,
    range,
    terms,
    missing: result.missing,
    isDaily: granularity === 'day',
    timeZone: source.timeZone,
  });
  const order = orderOf(choice);
  const above = await readAbove(ctx, request, range, terms, rows);
  return { ...request, range, terms, result, order, rows: sortRows(rows, order, terms), above };
}

type Read = Pick<ReportQuery, 'level' | 'within' | 'withReach'>;

const read = (ctx: Ctx, { source, choice }: ReportRequest, range: DayRange, query: Read): Promise<FigureResult> =>
  readFigures(ctx, {
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
  });

/** Platforms name their ad account in several ways. */
const ofAdAccount = ({ adAccount }: Source, rows: ReportRow[]): ReportRow[] =>
  rows.map((row) => ({ ...row, platformId: adAccount.id }));

interface ShownObjects {
  records: Map<string, RecordedObject>;
  /** Objects with rows even without delivery. */
  always: string[];
}

async function shownObjects(
  ctx: Ctx,
  { source, level, named, choice }: ReportRequest,
  found: ReportRow[],
): Promise<ShownObjects> {
  const { adAccount, target } = source;
  if (level === 'account') return { records: new Map(), always: [adAccount.id] };
  const own = named?.level === level ? named.ids : [];
  const ids = [...new Set([...own, ...found.map(({ platformId }) => platformId)])];
  const records = await recordsOf(ctx, target.account._id, level, ids);
  // A named object that is neither recorded nor reported may not exist.
  const known = own.filter((id) => records.has(id));
  if (choice.onlyDelivered ?? true) return { records, always: known };
  const recorded = (await recordsIn(ctx, target.account._id, level, adAccount.id)).filter(isWithin(named));
  for (const record of recorded) records.set(record.platformId, record);
  return { records, always: [...new Set([...known, ...recorded.map(({ platformId }) => platformId)])] };
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
 * People cannot be added, but one read of the level above counts them in exactly the rows of a report about all
 * campaigns, all ad sets of one campaign or all ads of one ad set.
 */
async function readAbove(
  ctx: Ctx,
  request: ReportRequest,
  range: DayRange,
  terms: Terms,
  rows: Row[],
): Promise<Figures | undefined> {
  const { level, named, choice } = request;
  if (choice.granularity === 'day' || terms.breakdowns.length > 0 || !needsReach(terms)) return undefined;
  if (rows.length === 1) return rows[0]?.figures;
  const higher = levelAbove(level, named);
  if (!higher || rows.length === 0 || choice.includeDeleted === false) return undefined;
  if (!needsReach({ ...terms, level: higher })) return undefined;
  const { rows: found, missing } = await read(ctx, request, range, { level: higher, within: named, withReach: true });
  return missing.length === 0 && found.length === 1 ? found[0]?.figures : undefined;
}

function levelAbove(level: ReportLevel, named: NamedObjects | undefined): ReportLevel | undefined {
  if (level === 'campaign') return named ? undefined : 'account';
  const parent = level === 'ad_set' ? 'campaign' : 'ad_set';
  return level !== 'account' && named?.level === parent && named.ids.length === 1 ? parent : undefined;
}
