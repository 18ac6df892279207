import { expect } from 'vitest';
import { countedMetrics } from '../../src/contract/reporting/metrics.ts';
import type { Access, Figures, ReportAdapter, ReportQuery, ReportRow } from '../../src/platforms/platform.ts';

/** All rows of a read. */
export async function readAll(
  reports: ReportAdapter | undefined,
  access: Access,
  query: ReportQuery,
): Promise<ReportRow[]> {
  const rows: ReportRow[] = [];
  for await (const page of reports?.read(access, query) ?? []) rows.push(...page);
  return rows;
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
  const rows: ReportRow[] = [];
  for await (const page of fetch(access, query, job)) rows.push(...page);
  return rows;
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
