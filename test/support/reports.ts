import { countedMetrics, type ReportLevel } from '../../src/contract/reporting/metrics.ts';
import type { Figures, ReportAdapter, ReportQuery, ReportRow } from '../../src/platforms/platform.ts';

/** What an ad did on a day. */
export interface Delivered {
  campaign: string;
  adSet: string;
  ad: string;
  date: string;
  figures: Figures;
  country?: string;
}

const idAt: Record<ReportLevel, (delivered: Delivered) => string> = {
  account: () => 'account',
  campaign: ({ campaign }) => campaign,
  ad_set: ({ adSet }) => adSet,
  ad: ({ ad }) => ad,
};

/** Adds figures one by one; the people of several rows are those of the largest, as if they were the same ones. */
function added(one: Figures, other: Figures): Figures {
  const counted = countedMetrics.map((metric) => [metric, (one[metric] ?? 0n) + (other[metric] ?? 0n)]);
  const events = { ...one.events };
  for (const [name, { count, value }] of Object.entries(other.events ?? {})) {
    const before = events[name as 'purchase'] ?? { count: 0n, value: 0n };
    events[name as 'purchase'] = { count: before.count + count, value: (before.value ?? 0n) + (value ?? 0n) };
  }
  const reach = (one.reach ?? 0n) > (other.reach ?? 0n) ? one.reach : other.reach;
  const optimisedFor = one.optimisedFor === other.optimisedFor ? one.optimisedFor : undefined;
  return { ...Object.fromEntries(counted), events, reach, optimisedFor };
}

interface Options {
  /** Receives each query. */
  queries?: ReportQuery[];
  /** Whether the platform prepares reports; it never finishes one. */
  isPreparing?: (query: ReportQuery) => boolean;
}

/** A platform that reports what was delivered. */
export function reportsFrom(
  delivered: () => Delivered[],
  { queries = [], isPreparing = () => false }: Options = {},
): ReportAdapter {
  return {
    version: 1,
    needsJob: isPreparing,
    start: async () => ({ tokens: ['1'] }),
    poll: async () => ({ status: 'running' }),
    async *read(_access, query) {
      queries.push(query);
      const { level, within, fromDate, toDate, granularity, breakdowns, withReach } = query;
      const rows = new Map<string, ReportRow>();
      for (const one of delivered()) {
        if (one.date < fromDate || one.date > toDate) continue;
        if (within && !within.ids.includes(idAt[within.level](one))) continue;
        const platformId = idAt[level](one);
        const date = granularity === 'day' ? one.date : undefined;
        const country = breakdowns.length > 0 ? (one.country ?? 'unknown') : '';
        const key = [platformId, date, country].join(' ');
        const before = rows.get(key);
        const figures = before ? added(before.figures, one.figures) : one.figures;
        const { reach, ...counted } = figures;
        rows.set(key, {
          platformId,
          ...(level !== 'account' && { campaignId: one.campaign }),
          date,
          ...(country && { breakdown: [{ value: country, label: country }] }),
          figures: withReach ? { ...counted, reach } : counted,
        });
      }
      yield [...rows.values()];
    },
  };
}
