import type { AdPlatform } from '../../contract/platforms.ts';
import { dayCount, daysOf, rangesOf } from '../../lib/calendar-days.ts';
import type { AdAccount, ReportQuery } from '../../platforms/platform.ts';
import { figuresServed } from '../../telemetry/events.ts';
import type { Ctx } from '../context.ts';
import { coveredDay, readCoverage, type Coverage, type VersionedTarget } from './coverage.ts';
import { isFinalRead, isStale } from './freshness.ts';
import { readInBackground } from './jobs/request-job.ts';
import { readInTurn, type Problem } from './live-turn.ts';
import { figureSource, pagesOf, queryOfDays, readDays, reportsOf } from './read-live.ts';
import { findResult, readResult, resultId, type Result } from './read-results.ts';
import { withinRetention, type MissingDays } from './retained-days.ts';
import { firstStoredDay } from './retention.ts';
import type { Hold } from './report-memory.ts';
import { RowTable, tableOf } from './row-table.ts';
import { recordRequest } from './source-lease.ts';
import { readStored } from './stored-figures.ts';

/** Requested figures of one level of an ad account. */
export interface FigureRequest extends ReportQuery {
  accountId: string;
  platform: AdPlatform;
  adAccount: AdAccount;
  /** The time zone of the days, and the current day in it. */
  timeZone: string;
  today: string;
  /** The highest age of the figures; by default it depends on the day. */
  maxAgeSeconds?: number;
}

export interface FigureResult {
  /** With `date` if the granularity is `day`. Objects without delivery have no row. */
  rows: RowTable;
  /** The oldest read of days that can still change, otherwise the latest read; null if there is none. */
  fetchedAt: Date | null;
  /** The first day that is missing or was not final when it was read; null if all days are final. */
  changesFrom: string | null;
  /** Days that the rows do not contain. */
  missing: MissingDays[];
  warnings: string[];
  /** When to ask again for missing or newer days. */
  retryAfterSeconds?: number;
  /** The days that a background read has read so far. */
  progress?: { done: number; total: number };
}

/** Stale days are read in one range if at most this many days between them are not stale. */
const maxGap = 3;
/** More days are read in the background. */
const maxDaysInRequest = 31;

const warnings: Record<Problem['reason'], string> = {
  loading: 'Newer figures are being read; these are from the last read',
  failed: 'The platform could not be read; these figures are from the last successful read',
  rate_limited: 'Reads of the platform are limited at the moment; these figures are from the last read',
};

/** Returns the figures of a range; throws if there are none at all. */
export async function readFigures(ctx: Ctx, request: FigureRequest, hold: Hold): Promise<FigureResult> {
  const { range, missing } = withinRetention(ctx.db, request);
  const available = { ...request, ...range };
  const target = { ...targetOf(request), version: reportsOf(ctx, request.platform).version };
  const result = isStored(ctx, available)
    ? await storedDays({ ctx, hold }, target, available)
    : await liveResult({ ctx, hold }, target, available);
  const { fetchedAt } = result;
  if (fetchedAt) figuresServed.emit({ seconds: (ctx.clock.now().getTime() - fetchedAt.getTime()) / 1000 });
  return { ...result, missing: [...missing, ...result.missing] };
}

const targetOf = ({ accountId, platform, adAccount, level, timeZone }: FigureRequest) => ({
  accountId,
  platform,
  adAccount,
  level,
  timeZone,
});

const isStored = ({ db }: Ctx, { withReach, breakdowns, fromDate, platform, today }: FigureRequest): boolean =>
  !withReach && breakdowns.length === 0 && fromDate >= firstStoredDay(db, platform, today);

interface Reader {
  ctx: Ctx;
  hold: Hold;
}

async function storedDays(reader: Reader, target: VersionedTarget, request: FigureRequest): Promise<FigureResult> {
  const { ctx, hold } = reader;
  const [coverage] = await Promise.all([
    readCoverage(ctx, target, request),
    recordRequest(ctx, target, ctx.caller.userId),
  ]);
  const stale = staleDays(ctx, request, coverage);
  const problem = stale.length > 0 ? await readStaleDays(ctx, target, { request, stale }) : undefined;
  const given = stale.length > 0 ? undefined : coverage;
  const stored = await readStored(ctx, target, request, { given, hold });
  // Some platforms do not report the parents of objects, but can filter by them.
  if (stored.lacksParents) return liveResult(reader, target, request);
  const dates = daysOf(request.fromDate, request.toDate);
  const uncovered = dates.filter((date) => !coveredDay(stored.coverage, date));
  const hasFigures = uncovered.length < dates.length;
  if (!hasFigures && problem?.error) throw problem.error;
  const reason = problem?.reason ?? 'loading';
  return {
    rows: stored.rows,
    ...agesOf(target, dates, stored.coverage),
    missing: rangesOf(uncovered).map((range) => ({ ...range, reason })),
    ...problemFields(problem, hasFigures),
  };
}

/** Final days are never read again, so the age of a report follows from the other days. */
function agesOf(
  target: VersionedTarget,
  dates: string[],
  coverage: Coverage,
): Pick<FigureResult, 'fetchedAt' | 'changesFrom'> {
  const read = dates.map((date) => ({ date, at: coveredDay(coverage, date)?.at }));
  const open = read.filter(({ date, at }) => !at || !isFinalRead(target, date, at));
  const timesOf = (days: typeof read): number[] => days.flatMap(({ at }) => at?.getTime() ?? []);
  const [openTimes, allTimes] = [timesOf(open), timesOf(read)];
  const fetchedAt = openTimes.length > 0 ? Math.min(...openTimes) : Math.max(...allTimes);
  return {
    fetchedAt: allTimes.length > 0 ? new Date(fetchedAt) : null,
    changesFrom: open[0]?.date ?? null,
  };
}

function problemFields(
  problem: Problem | undefined,
  hasFigures: boolean,
): Pick<FigureResult, 'warnings' | 'retryAfterSeconds' | 'progress'> {
  if (!problem) return { warnings: [] };
  const { reason, retryAfterSeconds, progress } = problem;
  return {
    warnings: hasFigures ? [warnings[reason]] : [],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(progress && { progress }),
  };
}

function staleDays({ clock }: Ctx, request: FigureRequest, coverage: Coverage): string[] {
  const freshness = { ...request, now: clock.now() };
  return daysOf(request.fromDate, request.toDate).filter((date) => {
    const covered = coveredDay(coverage, date);
    return !covered || isStale(freshness, date, covered.at);
  });
}

interface StaleDays {
  request: FigureRequest;
  stale: string[];
}

/** Reads days that are missing or too old, few of them within the request, more in the background. */
async function readStaleDays(
  ctx: Ctx,
  target: VersionedTarget,
  { request, stale }: StaleDays,
): Promise<Problem | undefined> {
  const { today } = request;
  const reports = reportsOf(ctx, target.platform);
  const ranges = rangesOf(stale, maxGap);
  const isLarge = ranges.reduce((sum, range) => sum + dayCount(range), 0) > maxDaysInRequest;
  if (isLarge || ranges.some((range) => reports.needsJob(queryOfDays(target, range), today)))
    return readInBackground(ctx, target, {
      fromDate: stale[0] ?? '',
      toDate: stale.at(-1) ?? '',
      maxAgeSeconds: request.maxAgeSeconds,
    });
  let left = stale;
  return readInTurn(ctx, target, {
    isDone: async () => {
      left = staleDays(ctx, request, await readCoverage(ctx, target, request));
      return left.length === 0;
    },
    read: async (nextRead) => {
      const source = await figureSource(ctx, target);
      for (const range of rangesOf(left, maxGap)) {
        const pages = pagesOf(source, queryOfDays(target, range));
        await readDays(ctx, target, { range, at: ctx.clock.now(), reading: { source, nextRead, pages } });
      }
    },
  });
}

/** Reach, breakdowns and days before the stored ones: read as a whole and kept for a short time. */
async function liveResult(
  { ctx, hold }: Reader,
  target: VersionedTarget,
  request: FigureRequest,
): Promise<FigureResult> {
  const { accountId: _a, platform: _p, timeZone: _t, today, maxAgeSeconds, ...query } = request;
  const id = resultId(target, query);
  const find = (): Promise<Result | undefined> => findResult(ctx, id, { maxAgeSeconds, hold });
  const known = await find();
  const shown = ({ rows, readAt }: Result) => ({
    rows: tableOf(rows),
    fetchedAt: readAt,
    changesFrom: isFinalRead(target, query.toDate, readAt) ? null : query.fromDate,
    missing: [],
  });
  if (known) return { ...shown(known), warnings: [] };
  await recordRequest(ctx, target, ctx.caller.userId);
  const problem = await readNewResult(ctx, target, { query, id, today, find });
  const result = await findResult(ctx, id, { hold });
  if (result) return { ...shown(result), ...problemFields(problem, true) };
  if (problem?.error) throw problem.error;
  const { fromDate, toDate } = query;
  const reason = problem?.reason ?? 'loading';
  return {
    rows: new RowTable(),
    fetchedAt: null,
    changesFrom: fromDate,
    missing: [{ fromDate, toDate, reason }],
    ...problemFields(problem, false),
  };
}

interface NewResult {
  query: ReportQuery;
  id: string;
  today: string;
  find: () => Promise<Result | undefined>;
}

function readNewResult(
  ctx: Ctx,
  target: VersionedTarget,
  { query, id, today, find }: NewResult,
): Promise<Problem | undefined> {
  const reports = reportsOf(ctx, target.platform);
  const { fromDate, toDate } = query;
  if (reports.needsJob(query, today)) return readInBackground(ctx, target, { fromDate, toDate, result: { id, query } });
  return readInTurn(ctx, target, {
    isDone: async () => (await find()) !== undefined,
    read: async () => {
      const source = await figureSource(ctx, target);
      const reading = { source, pages: pagesOf(source, query) };
      await readResult(ctx, { query, today, platform: target.platform }, { id, at: ctx.clock.now(), reading });
    },
  });
}
