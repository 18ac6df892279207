import { z } from 'zod';
import { unscaled } from '../decimal.ts';
import { PlatformError } from '../error.ts';
import type { Access, AdMetrics } from '../platform.ts';
import { Figure, PlatformId, sorted, tolerant, type Figures } from '../tolerant.ts';
import type { Client } from './client.ts';
import { instant } from './create-ads.ts';

export type StatsEntity = 'CAMPAIGN' | 'LINE_ITEM' | 'PROMOTED_TWEET';

interface Dated {
  id: string;
  created_at?: string | null;
}

type Read = (entity: StatsEntity, found: Dated[]) => Promise<Figures>;

const hourMs = 3_600_000;
/** The largest range and the largest number of ids of one call. */
const longestMs = 7 * 24 * hourMs;
const mostIds = 20;
/** The platform allows 250 calls of a user in 15 minutes; some are left for others. */
const mostCalls = 200;

/** Null means that nothing happened; a metric that is missing was not reported. */
const Series = z.array(Figure).nullable().optional();
const Row = z.object({
  id: PlatformId,
  id_data: z
    .array(z.object({ metrics: z.object({ impressions: Series, clicks: Series, billed_charge_local_micro: Series }) }))
    .min(1),
});
const Stats = z.object({ data: z.array(tolerant(Row, { objectType: 'figures', idAt: ['id'] })) });

const costsOnlyFigures = new Set(['rejected', 'not_found', 'unavailable', 'rate_limited']);

/**
 * Lifetime metrics at the object's own level, as the sum of its weeks, newest objects first. Objects whose weeks
 * exceed the calls of one discovery stay unread, and `problems` says so.
 */
export function createFigures(client: Client, access: Access, account: string): Read {
  let callsLeft = mostCalls;
  const readGroup = async (entity: StatsEntity, group: Dated[], weeks: Week[]): Promise<Figures> => {
    const totals = new Map<string, AdMetrics>();
    const problems: Figures['problems'] = [];
    for (const week of weeks) {
      const params = {
        entity,
        entity_ids: group.map(({ id }) => id).join(','),
        ...week,
        granularity: 'TOTAL',
        placement: 'ALL_ON_TWITTER',
        metric_groups: 'ENGAGEMENT,BILLING',
      };
      const page = sorted((await client.read(access, `stats/${account}`, { schema: Stats, params })).data);
      problems.push(...page.problems.map(({ isSkipped: _isSkipped, ...problem }) => problem));
      for (const row of page.found) totals.set(row.id, plus(totals.get(row.id), metricsOf(row)));
    }
    // A week that cannot be parsed makes the sum unknown.
    for (const { platformId } of problems) if (platformId) totals.delete(platformId);
    return { of: (id) => totals.get(id), problems };
  };
  return async (entity, found) => {
    const all = new Map<string, AdMetrics | undefined>();
    const problems: Figures['problems'] = [];
    let [unread, reason] = [0, `one discovery makes ${mostCalls} calls for metrics`];
    for (const group of groupsOf(found)) {
      const weeks = weeksOf(group, access.clock.now());
      if (weeks.length > callsLeft) {
        unread += group.length;
        continue;
      }
      callsLeft -= weeks.length;
      try {
        const read = await readGroup(entity, group, weeks);
        for (const { id } of group) all.set(id, read.of(id));
        problems.push(...read.problems);
      } catch (error) {
        if (!(error instanceof PlatformError) || !costsOnlyFigures.has(error.fault)) throw error;
        if (error.fault === 'rate_limited') callsLeft = 0;
        [unread, reason] = [unread + group.length, error.message];
      }
    }
    const message = `The metrics request failed: the metrics of ${unread} objects were not read (${reason})`;
    if (unread > 0) problems.push({ objectType: 'figures', platformId: null, field: null, message });
    return { of: (id) => all.get(id), problems };
  };
}

const bornAt = ({ created_at: at }: Dated): number => (at ? Date.parse(at) : 0);

/** Objects of a similar age together, because a group is read since its oldest. */
function groupsOf(found: Dated[]): Dated[][] {
  const dated = found.filter(({ created_at: at }) => at).toSorted((one, other) => bornAt(other) - bornAt(one));
  return Array.from({ length: Math.ceil(dated.length / mostIds) }, (_, at) =>
    dated.slice(at * mostIds, (at + 1) * mostIds),
  );
}

interface Week {
  start_time: string;
  end_time: string;
}

/** In whole hours; the end is exclusive. */
function weeksOf(group: Dated[], now: Date): Week[] {
  const end = (Math.floor(now.getTime() / hourMs) + 1) * hourMs;
  const born = Math.floor(Math.min(...group.map(bornAt)) / hourMs) * hourMs;
  const count = Math.max(1, Math.ceil((end - born) / longestMs));
  return Array.from({ length: count }, (_, at) => {
    const from = Math.min(born + at * longestMs, end - hourMs);
    const until = Math.min(from + longestMs, end);
    return { start_time: instant(new Date(from)), end_time: instant(new Date(until)) };
  });
}

function metricsOf({ id_data: [first] }: z.infer<typeof Row>): AdMetrics {
  const { impressions, clicks, billed_charge_local_micro: spend } = first?.metrics ?? {};
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
