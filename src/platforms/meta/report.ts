import { z } from 'zod';
import { segment } from '../../lib/segment.ts';
import { PlatformError, unlessMissing } from '../error.ts';
import type { Access } from '../platform.ts';
import { dayCount } from '../../lib/calendar-days.ts';
import { inHalves, slicesOf } from '../report-slices.ts';
import type { ReportAdapter, ReportJob, ReportJobState, ReportQuery, ReportRow } from '../report.ts';
import type { Client } from './client.ts';
import { columnsOf, everyStatus, fieldsOf, levelNames } from './report-columns.ts';
import { optimisedEvents, type OptimisedFor } from './report-events.ts';
import { InsightRow, toRow } from './report-rows.ts';
import type { UsageWatch } from './usage.ts';
import { actOf } from './wire.ts';

interface ReportTools {
  client: Client;
  /** The quota of reports; the platform counts it separately from that of writes. */
  usage: UsageWatch;
}

const pageSize = '500';
const maxDaysPerRead = 31;

export const createReports = (tools: ReportTools): ReportAdapter => ({
  version: 1,
  read: (access, query) => read(tools, access, query),
  needsJob,
  usage: tools.usage.usageOf,
  start: (access, query) => start(tools, access, query),
  poll: (access, _query, job) => poll(tools, access, job),
  fetch: (access, query, job) => fetchJob(tools, access, query, job),
});

/** The platform advises to request many rows as an asynchronous report. */
const needsJob = (query: ReportQuery): boolean =>
  dayCount(query) > maxDaysPerRead &&
  (query.breakdowns.length > 0 || (query.granularity === 'day' && query.level !== 'account'));

async function* read(tools: ReportTools, access: Access, query: ReportQuery): AsyncGenerator<ReportRow[]> {
  await tools.usage.throttle(query.adAccount);
  yield* withEvents(tools, access, query, pagesInParts(tools, access, query));
}

/** Adds the event that each object optimises for, which is read only if there are rows. */
async function* withEvents(
  { client }: ReportTools,
  access: Access,
  query: ReportQuery,
  pages: AsyncIterable<ReportRow[]>,
): AsyncGenerator<ReportRow[]> {
  let eventOf: OptimisedFor | undefined;
  for await (const page of pages) {
    if (page.length === 0) continue;
    eventOf ??= await optimisedEvents(client, access, query);
    yield page.map((row) => withEvent(row, eventOf?.(ownersOf(row, query))));
  }
}

const withEvent = (row: ReportRow, optimisedFor: ReportRow['figures']['optimisedFor']): ReportRow =>
  optimisedFor ? { ...row, figures: { ...row.figures, optimisedFor } } : row;

function ownersOf({ platformId, adSetId }: ReportRow, { level }: ReportQuery): Parameters<OptimisedFor>[0] {
  if (level === 'account') return {};
  return level === 'campaign' ? { campaignId: platformId } : { adSetId: adSetId ?? platformId };
}

/** Error subcodes for too much data or a timeout: a request for fewer days may succeed. */
const tooLargeSubcodes = new Set<unknown>([1_487_534, 1_504_018, 1_504_038]);
const isTooLarge = (error: unknown): boolean =>
  error instanceof PlatformError && tooLargeSubcodes.has(error.upstream.subcode);

/** Halves a range that the platform rejects as too large, except totals of reach, which cannot be added. */
const pagesInParts = (tools: ReportTools, access: Access, query: ReportQuery): AsyncGenerator<ReportRow[]> => {
  const isTotalOfReach = query.granularity === 'total' && query.withReach;
  return inHalves(query, {
    pages: (part) => pagesOf(tools, access, part, `${actOf(part.adAccount.id)}/insights`, paramsOf(part)),
    isTooLarge: (error) => !isTotalOfReach && isTooLarge(error),
  });
};

async function* pagesOf(
  { client, usage }: ReportTools,
  access: Access,
  query: ReportQuery,
  path: string,
  params: Record<string, string>,
): AsyncGenerator<ReportRow[]> {
  const quota = { usage, adAccountId: query.adAccount.id };
  for await (const page of client.pages(access, path, {
    item: InsightRow,
    query: { ...params, limit: pageSize },
    quota,
  }))
    yield page.map((row) => toRow(row, query));
}

function paramsOf(query: ReportQuery): Record<string, string> {
  const columns = columnsOf(query);
  const filtering = filtersOf(query);
  return {
    level: levelNames[query.level],
    fields: fieldsOf(query),
    time_range: JSON.stringify({ since: query.fromDate, until: query.toDate }),
    time_increment: query.granularity === 'day' ? '1' : 'all_days',
    // Conversions count on the day of the impression or click, by the attribution setting of each ad set.
    action_report_time: 'impression',
    use_unified_attribution_setting: 'true',
    ...(columns.length > 0 && { breakdowns: JSON.stringify(columns) }),
    ...(filtering.length > 0 && { filtering: JSON.stringify(filtering) }),
  };
}

interface Filter {
  field: string;
  operator: 'IN';
  value: readonly string[];
}

const filtersOf = ({ level, within }: ReportQuery): Filter[] => [
  ...(level === 'account' ? [] : [isIn(`${levelNames[level]}.effective_status`, everyStatus[level])]),
  ...(within ? [isIn(`${levelNames[within.level]}.id`, within.ids)] : []),
];

const isIn = (field: string, value: readonly string[]): Filter => ({ field, operator: 'IN', value });

const Started = z.object({ report_run_id: z.string() });
const Run = z.object({ async_status: z.string(), async_percent_completion: z.number().default(0) });

/** Starts a report for each part of the range, or one for a total. */
async function start({ client, usage }: ReportTools, access: Access, query: ReportQuery): Promise<ReportJob> {
  await usage.throttle(query.adAccount);
  const slices = slicesOf(query, query.granularity === 'day' ? maxDaysPerRead : dayCount(query));
  const tokens: string[] = [];
  for (const [fromDate, toDate] of slices) {
    const fields = paramsOf({ ...query, fromDate, toDate });
    const path = `${actOf(query.adAccount.id)}/insights`;
    const { report_run_id: token } = await client.write(access, path, { schema: Started, fields, isQuery: true });
    tokens.push(token);
  }
  return { tokens };
}

/** A report is complete only if its status says so and it has reached 100 per cent. */
async function poll({ client }: ReportTools, access: Access, { tokens }: ReportJob): Promise<ReportJobState> {
  let percent = 0;
  let isRunning = false;
  for (const token of tokens) {
    const query = { fields: 'async_status,async_percent_completion' };
    const run = await unlessMissing(client.read(access, segment(token), { schema: Run, query }));
    const { async_status: status, async_percent_completion: done } = run ?? { async_status: 'expired' };
    if (!run || /Failed|Skipped/.test(status))
      return { status: 'failed', reason: `Report ${token} of the platform cannot be fetched: its status is ${status}` };
    percent += (done ?? 0) / tokens.length;
    isRunning ||= status !== 'Job Completed' || done !== 100;
  }
  return isRunning ? { status: 'running', percent: Math.floor(percent) } : { status: 'finished' };
}

async function* fetchJob(
  tools: ReportTools,
  access: Access,
  query: ReportQuery,
  { tokens }: ReportJob,
): AsyncGenerator<ReportRow[]> {
  async function* pages(): AsyncGenerator<ReportRow[]> {
    for (const token of tokens) yield* pagesOf(tools, access, query, `${segment(token)}/insights`, {});
  }
  yield* withEvents(tools, access, query, pages());
}
