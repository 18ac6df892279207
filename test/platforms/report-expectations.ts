import fc from 'fast-check';
import { expect } from 'vitest';
import { countedMetrics } from '../../src/contract/reporting/metrics.ts';
import type {
  Access,
  AdAccount,
  AdsAdapter,
  Figures,
  ReportAdapter,
  ReportQuery,
  ReportRow,
} from '../../src/platforms/platform.ts';
import { addDays } from '../../src/lib/calendar-days.ts';
import { mergeRows } from '../../src/platforms/report-slices.ts';

/** All rows of a read. */
export function readAll(reports: ReportAdapter | undefined, access: Access, query: ReportQuery): Promise<ReportRow[]> {
  return collect(reports?.read(access, query));
}

/** All rows of a report that the platform prepares, once it has finished. */
export async function readPrepared(
  reports: ReportAdapter | undefined,
  access: Access,
  query: ReportQuery,
): Promise<ReportRow[]> {
  const { start, poll, fetch } = reports as Required<ReportAdapter>;
  const job = await start(access, query);
  await expect.poll(() => poll(access, query, job), { interval: 1 }).toEqual({ status: 'finished' });
  return collect(fetch(access, query, job));
}

/** The sum of all rows, without what cannot be added. */
export function sumOf(rows: readonly ReportRow[]): Figures {
  const sum: Figures = {};
  const events: Record<string, { count: bigint; value?: bigint | null }> = {};
  for (const { figures } of rows) {
    for (const metric of countedMetrics) {
      const more = figures[metric];
      if (typeof more === 'bigint') sum[metric] = (sum[metric] ?? 0n) + more;
    }
    for (const [event, { count, value }] of Object.entries(figures.events ?? {})) {
      const before = events[event] ?? { count: 0n };
      const isValued = typeof value === 'bigint' || typeof before.value === 'bigint';
      events[event] = { count: before.count + count, ...(isValued && { value: (before.value ?? 0n) + (value ?? 0n) }) };
    }
  }
  return { ...sum, events };
}

/** Rows in an order of their own, for reads that may return them in any. */
export const ordered = (rows: readonly ReportRow[]): ReportRow[] => {
  const keyOf = ({ platformId, date = '', breakdown = [] }: ReportRow): string =>
    [platformId, date, ...breakdown.map(({ value }) => value)].join(' ');
  return rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
};

const dayMs = 86_400_000;
/** A calendar day in UTC, counted back from today. */
export const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

/** Reads a report of one ad account through its adapter. */
export type ReadReport = (query?: Partial<ReportQuery>) => Promise<ReportRow[]>;

export function readerOf(
  reports: ReportAdapter | undefined,
  access: Access,
  adAccount: AdAccount,
  base: Pick<ReportQuery, 'fromDate' | 'toDate'>,
): ReadReport {
  return (query = {}) => collect(reports?.read(access, queryOf(adAccount, { ...base, ...query })));
}

export const queryOf = (
  adAccount: AdAccount,
  query: Partial<ReportQuery> & Pick<ReportQuery, 'fromDate' | 'toDate'>,
): ReportQuery => ({
  adAccount,
  level: 'campaign',
  granularity: 'total',
  breakdowns: [],
  withReach: false,
  ...query,
});

export async function collect(pages: AsyncIterable<ReportRow[]> | undefined): Promise<ReportRow[]> {
  if (!pages) throw new Error('The adapter cannot read this report');
  const rows: ReportRow[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

/** Additive figures by object; days and breakdowns are added up, and objects without any figures left out. */
export function sumsOf(rows: ReportRow[]): Record<string, ReportRow['figures']> {
  const sums = mergeRows(rows.map(({ platformId, figures }) => ({ platformId, figures }))).filter(({ figures }) =>
    countedMetrics.some((name) => figures[name]),
  );
  return Object.fromEntries(sums.map(({ platformId, figures }) => [platformId, figures]));
}

/** The total is the sum of its days, which are all inside the range, at this level. */
export async function expectSumOfDays(read: ReadReport, query: Partial<ReportQuery>): Promise<void> {
  const [total, days] = [await read(query), await read({ ...query, granularity: 'day' })];
  expect(total.length).toBeGreaterThan(0);
  expect(total.every(({ date }) => date === undefined)).toBe(true);
  expect(days.every(({ date }) => /^\d{4}-\d\d-\d\d$/.test(date ?? ''))).toBe(true);
  expect(new Set(days.map(({ platformId, date }) => `${platformId} ${date}`)).size).toBe(days.length);
  expect(sumsOf(days)).toEqual(sumsOf(total));
}

/** The values of a breakdown, `unknown` among them, add up to the figures without it. */
export async function expectBreakdownAddsUp(read: ReadReport, query: Partial<ReportQuery>): Promise<ReportRow[]> {
  const [plain, rows] = [await read({ ...query, breakdowns: [] }), await read(query)];
  const named = new Set(Object.values(sumsOf(rows)).flatMap((figures) => Object.keys(figures)));
  const expected = Object.entries(sumsOf(plain)).map(([id, figures]) => [
    id,
    Object.fromEntries(Object.entries(figures).filter(([name]) => named.has(name))),
  ]);
  expect(sumsOf(rows)).toEqual(Object.fromEntries(expected));
  const width = query.breakdowns?.length ?? 0;
  expect(rows.every(({ breakdown }) => breakdown?.length === width)).toBe(true);
  return rows;
}

/** Reach of the range is below the sum of its days, and never above the impressions. */
export async function expectReachIsUnique(read: ReadReport, query: Partial<ReportQuery>): Promise<void> {
  const total = await read({ ...query, withReach: true });
  const days = await read({ ...query, withReach: true, granularity: 'day' });
  expect(total.length).toBeGreaterThan(0);
  for (const { platformId, figures } of total) {
    const daily = days.filter((row) => row.platformId === platformId).map((row) => row.figures.reach ?? 0n);
    expect(figures.reach).toBeGreaterThan(0n);
    expect(figures.reach).toBeLessThan(daily.reduce((sum, reach) => sum + reach, 0n));
    expect(figures.reach).toBeLessThanOrEqual(figures.impressions ?? 0n);
  }
}

/** Any range equals the sum of the two parts into which it is cut anywhere. */
export async function expectAnySplitAddsUp(
  read: ReadReport,
  { firstDay, days, runs }: { firstDay: string; days: number; runs: number },
): Promise<void> {
  const day = fc.integer({ min: 0, max: days - 1 });
  await fc.assert(
    fc.asyncProperty(day, day, day, async (...picked) => {
      const [from = 0, cut = 0, to = 0] = picked.toSorted((one, other) => one - other);
      const range = (first: number, last: number) => ({
        fromDate: addDays(firstDay, first),
        toDate: addDays(firstDay, last),
      });
      const whole = await read(range(from, to));
      const parts = [...(await read(range(from, cut))), ...(cut < to ? await read(range(cut + 1, to)) : [])];
      expect(sumsOf(parts)).toEqual(sumsOf(whole));
    }),
    { numRuns: runs },
  );
}

/** A control of the sandbox. */
export async function control(url: string, path: string, body: object): Promise<any> {
  // eslint-disable-line typescript/no-explicit-any -- answers are read freely
  const response = await fetch(`${url}/control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** How many requests the sandbox received whose path contains this text. */
export async function requestsOf(url: string, path: string): Promise<number> {
  const response = await fetch(`${url}/ledger?path=${encodeURIComponent(path)}`);
  return ((await response.json()) as { entries: unknown[] }).entries.length;
}

/** Hours of impressions, one each, so that the impressions of a day count its hours. */
export const hourlyMarks = (from: number, hours: number): object[] =>
  Array.from({ length: hours }, (_mark, at) => ({ from: from + at * 3_600_000, add: { impressions: 1 } }));

/** Lifetime metrics, as discovery reads them, equal a report of the whole time. */
export async function expectLifetimeAgrees(
  adapter: AdsAdapter,
  access: Access,
  rows: ReportRow[],
  adAccount: AdAccount,
): Promise<void> {
  const lifetime: Record<string, object> = {};
  for await (const { campaigns = [] } of adapter.discover(access, adAccount))
    for (const { id, metrics } of campaigns) if (metrics?.impressions) lifetime[id] = metrics;
  const reported = Object.entries(sumsOf(rows)).map(([id, { spend, impressions, clicks }]) => [
    id,
    { spend: Number(spend) / 1_000_000, impressions: Number(impressions), clicks: Number(clicks) },
  ]);
  expect(Object.keys(lifetime).length).toBeGreaterThan(1);
  expect(Object.fromEntries(reported)).toMatchObject(lifetime);
}
