import { z } from 'zod';
import { reportingE } from '../../contract/reporting/platform-e.ts';
import { unscaled } from '../decimal.ts';
import { PlatformError } from '../error.ts';
import type { Access, AdMetrics, ClosedMetrics, FoundLevel, ReadClosedMetrics, ReadProblem } from '../platform.ts';
import { Figure, PlatformId, sorted, tolerant } from '../tolerant.ts';
import type { Client } from './client.ts';
import { instant } from './create-ads.ts';
import { counted } from './report-rows.ts';

interface Dated {
  id: string;
  created_at?: string | null;
}

/** What was read of one object: its metrics only if all its weeks were. */
export interface ReadMetrics {
  metrics?: AdMetrics;
  closedMetrics?: ClosedMetrics;
}

interface Figures {
  of: (id: string) => ReadMetrics;
  problems: ReadProblem[];
}

type ReadFigures = (level: FoundLevel, found: Dated[]) => Promise<Figures>;

const entities: Record<FoundLevel, string> = { campaign: 'CAMPAIGN', ad_set: 'LINE_ITEM', ad: 'PROMOTED_TWEET' };

const hourMs = 3_600_000;
/** The largest range and the largest number of ids of one call. */
const weekMs = 7 * 24 * hourMs;
const maxIds = 20;
/** A week that ended this long ago is not read again: the platform corrects spend until then. */
const restatedMs = reportingE.finalAfter.deliveryDays * 24 * hourMs;
/** The platform allows 250 calls of a user in 15 minutes; some are left for others. */
const maxCalls = 200;

/** Null means that nothing happened; a metric that is missing was not reported. */
const Series = z.array(Figure).nullable().optional();
const Row = z.object({
  id: PlatformId,
  id_data: z
    .array(
      z.object({
        metrics: z.object({ [counted.impressions]: Series, [counted.clicks]: Series, [counted.spend]: Series }),
      }),
    )
    .min(1),
});
const Stats = z.object({ data: z.array(tolerant(Row, { objectType: 'figures', idAt: ['id'] })) });

const costsOnlyFigures = new Set(['rejected', 'not_found', 'unavailable', 'rate_limited']);

interface Sum {
  id: string;
  /** The first week that is not part of the closed metrics. */
  from: number;
  /** The sum of the weeks that are closed now. */
  closed?: AdMetrics;
  total?: AdMetrics;
  isUnreadable?: boolean;
}

/** Weeks are counted from the Unix epoch, so that all objects share their limits. */
const weekOf = (at: number): number => Math.floor(at / weekMs);

/**
 * Lifetime metrics at the object's own level: the closed metrics plus the weeks since then, those with the
 * fewest weeks to read first. Weeks that exceed the calls of one discovery stay unread, and `problems` says so; what was
 * read of closed weeks is stored, so that the next discovery continues there.
 */
export function createFigures(
  client: Client,
  access: Access,
  account: string,
  readClosed?: ReadClosedMetrics,
): ReadFigures {
  let callsLeft = maxCalls;
  const readWeek = async (level: FoundLevel, group: Sum[], range: Range): Promise<ReadProblem[]> => {
    const params = {
      entity: entities[level],
      entity_ids: group.map(({ id }) => id).join(','),
      ...range,
      granularity: 'TOTAL',
      placement: 'ALL_ON_TWITTER',
      metric_groups: 'ENGAGEMENT,BILLING',
    };
    const page = sorted((await client.read(access, `stats/${account}`, { schema: Stats, params })).data);
    const rows = new Map(group.map((row) => [row.id, row]));
    for (const { platformId } of page.problems) {
      const row = rows.get(platformId ?? '');
      // A week that cannot be parsed makes the sum unknown.
      if (row) row.isUnreadable = true;
    }
    for (const read of page.found) {
      const row = rows.get(read.id);
      if (row) row.total = plus(row.total, metricsOf(read));
    }
    return page.problems.map(({ isSkipped: _isSkipped, ...problem }) => problem);
  };
  /** Reads week by week, oldest first; returns why some are unread. */
  const readGroup = async (level: FoundLevel, group: Sum[], problems: ReadProblem[]): Promise<string | undefined> => {
    const now = access.clock.now().getTime();
    const lastClosed = weekOf(now - restatedMs) - 1;
    for (let week = Math.min(...group.map(({ from }) => from)); week <= weekOf(now); week += 1) {
      if (callsLeft === 0) return `one discovery makes ${maxCalls} calls for metrics`;
      callsLeft -= 1;
      const due = group.filter(({ from }) => from <= week);
      try {
        problems.push(...(await readWeek(level, due, rangeOf(week, now))));
      } catch (error) {
        if (!(error instanceof PlatformError) || !costsOnlyFigures.has(error.fault)) throw error;
        if (error.fault === 'rate_limited') callsLeft = 0;
        return error.message;
      }
      for (const row of due)
        if (week <= lastClosed && !row.isUnreadable) [row.closed, row.from] = [row.total, week + 1];
    }
    return undefined;
  };
  return async (level, found) => {
    const all = new Map<string, ReadMetrics>();
    const problems: ReadProblem[] = [];
    let [unread, reason] = [0, ''];
    for (const group of groupsOf(
      found,
      await readClosed?.(
        level,
        found.map(({ id }) => id),
      ),
    )) {
      const unreadReason = await readGroup(level, group, problems);
      if (unreadReason !== undefined) [unread, reason] = [unread + group.length, unreadReason];
      for (const row of group) all.set(row.id, readOf(row, unreadReason === undefined));
    }
    const message = `The metrics request failed: the metrics of ${unread} objects were not read (${reason})`;
    if (unread > 0) problems.push({ objectType: 'figures', platformId: null, field: null, message });
    return { of: (id) => all.get(id) ?? { metrics: undefined }, problems };
  };
}

const readOf = ({ from, total, closed, isUnreadable }: Sum, isComplete: boolean): ReadMetrics => ({
  metrics: isComplete && !isUnreadable ? total : undefined,
  ...(closed && { closedMetrics: { ...closed, until: new Date(from * weekMs) } }),
});

/** Objects with as many weeks to read together, because a group is read since its first. */
function groupsOf(found: Dated[], closed?: ReadonlyMap<string, ClosedMetrics>): Sum[][] {
  const rows = found
    .filter(({ created_at: at }) => at)
    .map(({ id, created_at: at }): Sum => {
      const { until, ...sum } = closed?.get(id) ?? {};
      return until
        ? { id, from: weekOf(until.getTime()), total: sum as AdMetrics }
        : { id, from: weekOf(Date.parse(at ?? '')) };
    })
    .toSorted((one, other) => other.from - one.from);
  return Array.from({ length: Math.ceil(rows.length / maxIds) }, (_, at) => rows.slice(at * maxIds, (at + 1) * maxIds));
}

interface Range {
  start_time: string;
  end_time: string;
}

/** In whole hours; the end is exclusive. */
function rangeOf(week: number, now: number): Range {
  const end = (Math.floor(now / hourMs) + 1) * hourMs;
  return {
    start_time: instant(new Date(week * weekMs)),
    end_time: instant(new Date(Math.min((week + 1) * weekMs, end))),
  };
}

function metricsOf({ id_data: [first] }: z.infer<typeof Row>): AdMetrics {
  const { [counted.impressions]: impressions, [counted.clicks]: clicks, [counted.spend]: spend } = first?.metrics ?? {};
  const micros = sumOf(spend);
  return {
    spend: micros === null ? null : unscaled(micros, 6),
    impressions: sumOf(impressions),
    clicks: sumOf(clicks),
  };
}

function sumOf(series: number[] | null | undefined): number | null {
  if (series === undefined) return null;
  return (series ?? []).reduce((total, one) => total + one, 0);
}

const add = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other;

/** Spend is rounded to the platform's unit, so that fractions do not accumulate. */
function plus(before: AdMetrics | undefined, week: AdMetrics): AdMetrics {
  if (!before) return week;
  const spend = add(before.spend, week.spend);
  return {
    spend: spend === null ? null : Math.round(spend * 1e6) / 1e6,
    impressions: add(before.impressions, week.impressions),
    clicks: add(before.clicks, week.clicks),
  };
}
