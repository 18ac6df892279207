import { countedMetrics } from '../../contract/reporting/metrics.ts';
import { collect } from '../../lib/collect.ts';
import { PlatformError } from '../error.ts';
import type { Access } from '../platform.ts';
import { dayCount } from '../../lib/calendar-days.ts';
import { inHalves, mergeRows, slicesOf } from '../report-slices.ts';
import type { Figures, ReportAdapter, ReportQuery, ReportRow } from '../report.ts';
import type { Client } from './client.ts';
import { figureQuery, reachQuery } from './report-query.ts';
import { FigureRow, ReachRow, toRow, unknown } from './report-rows.ts';

/** Unique users are available for ranges of at most so many days. */
const reachDays = 92;

export const createReports = (client: Client): ReportAdapter => ({
  version: 1,
  read: (access, query) => read(client, access, query),
  // Pages of 10 000 rows are cheap here: a query counts as one operation, whatever its pages.
  needsJob: () => false,
});

async function* read(client: Client, access: Access, query: ReportQuery): AsyncGenerator<ReportRow[]> {
  const { level, breakdowns } = query;
  if (breakdowns.includes('country')) {
    yield await byCountry(client, access, query);
    return;
  }
  const isAdded = level !== 'ad_set' && (breakdowns.includes('age') || breakdowns.includes('gender'));
  if (isAdded) {
    // The platform has rows of ad groups only.
    yield mergeRows(await collect(splitPages(client, access, query)));
    return;
  }
  const reach = await reachOf(client, access, query);
  for await (const page of splitPages(client, access, query))
    yield page.map((row) => ({ ...row, figures: { ...row.figures, ...reach.get(keyOf(row)) } }));
}

/** Impressions without a country have no row, so they are what is missing to the total. */
async function byCountry(client: Client, access: Access, query: ReportQuery): Promise<ReportRow[]> {
  const rows = mergeRows(await collect(splitPages(client, access, query)));
  const totals = await collect(splitPages(client, access, { ...query, breakdowns: [] }));
  const known = new Map(mergeRows(rows.map(({ breakdown: _b, ...row }) => row)).map((row) => [keyOf(row), row]));
  const rest = totals.flatMap((row) => {
    const figures = without(row.figures, known.get(keyOf(row))?.figures);
    return hasFigures(figures) ? [{ ...row, breakdown: [unknown], figures }] : [];
  });
  return [...rows, ...rest];
}

/** What the countries do not explain; corrections can make them more than the total, which is no delivery. */
function without(total: Figures, part: Figures | undefined): Figures {
  const rest = (all: bigint | null | undefined, some: bigint | null | undefined): bigint => {
    const left = (all ?? 0n) - (some ?? 0n);
    return left > 0n ? left : 0n;
  };
  const counts = countedMetrics.filter((name) => name in total && !name.startsWith('videoP'));
  const [all, some] = [total.events?.all, part?.events?.all];
  return {
    ...Object.fromEntries(counts.map((name) => [name, rest(total[name], part?.[name])])),
    events: { all: { count: rest(all?.count, some?.count), value: rest(all?.value, some?.value) } },
  };
}

/** Without segments, objects without delivery have rows too. */
const hasFigures = ({ events, ...figures }: Figures): boolean =>
  countedMetrics.some((name) => figures[name]) || (events?.all?.count ?? 0n) !== 0n;

const keyOf = ({ platformId, date = '' }: ReportRow): string => `${platformId} ${date}`;

type Reach = Pick<Figures, 'reach' | 'frequency'>;

/** Reach of campaigns; other types than display, video, discovery and apps have none. */
async function reachOf(client: Client, access: Access, query: ReportQuery): Promise<Map<string, Reach>> {
  const { level, withReach, breakdowns, granularity } = query;
  const found = new Map<string, Reach>();
  const isPossible = granularity === 'day' || dayCount(query) <= reachDays;
  if (!withReach || level !== 'campaign' || breakdowns.length > 0 || !isPossible) return found;
  for (const [fromDate, toDate] of slicesOf(query, reachDays)) {
    const text = reachQuery({ ...query, fromDate, toDate });
    for await (const page of client.pages(access, query.adAccount, { schema: ReachRow, text }))
      for (const { campaign, segments, metrics } of page) {
        const { uniqueUsers: reach, averageImpressionFrequencyPerUser: frequency } = metrics;
        const key = keyOf({ platformId: campaign.id, date: segments.date, figures: {} });
        found.set(key, {
          ...(reach !== undefined && { reach }),
          ...(frequency !== undefined && { frequency }),
        });
      }
  }
  return found;
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof PlatformError && error.upstream.code === 'RESPONSE_SIZE_LIMIT_EXCEEDED';

const splitPages = (client: Client, access: Access, query: ReportQuery): AsyncGenerator<ReportRow[]> =>
  inHalves(query, { pages: (part) => pagesOf(client, access, part), isTooLarge });

async function* pagesOf(client: Client, access: Access, query: ReportQuery): AsyncGenerator<ReportRow[]> {
  const pages = client.pages(access, query.adAccount, { schema: FigureRow, text: figureQuery(query) });
  for await (const page of pages)
    yield page.map((row) => toRow(row, query)).filter((row) => isMeant(row, query) && hasFigures(row.figures));
}

/** Ads are filtered by their own id, which several ad groups can have. */
const isMeant = ({ platformId }: ReportRow, { within }: ReportQuery): boolean =>
  within?.level !== 'ad' || within.ids.includes(platformId);
