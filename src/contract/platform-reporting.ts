import { z } from 'zod';
import { Breakdown, ConversionEvent, Granularity, MetricName, ReportLevel } from './report-input.ts';
import { breakdowns, granularities, type Metric } from './reporting/metrics.ts';
import type { Reporting } from './reporting/reporting.ts';

const days = z.int().nullable();

const PlatformBreakdown = z
  .strictObject({
    name: Breakdown,
    levels: z.array(ReportLevel).describe('Levels that have it'),
    granularities: z.array(Granularity).describe('Granularities that have it'),
    combinesWith: z.array(Breakdown).describe('Breakdowns that can be requested with it'),
  })
  .meta({ id: 'PlatformBreakdown', description: 'A breakdown of reports' });

export const PlatformReporting = z
  .strictObject({
    levels: z.array(ReportLevel).describe('Values of `level` of adReport'),
    breakdowns: z.array(PlatformBreakdown).describe('Values of `breakdowns`'),
    metrics: z.array(MetricName).describe('Metrics that it reports; all others are null'),
    conversionEvents: z.array(ConversionEvent).describe('Values of `conversionEvent` that it separates'),
    historyDays: days.describe('How far back it has figures; null if it documents no limit'),
    longestReachDays: days.describe('The longest range of reach and frequency; null without a limit'),
    deliveryDays: z.int().describe('Days after which spend, impressions and clicks no longer change'),
    conversionDays: z.int().describe('Days after which conversions no longer change'),
  })
  .meta({ id: 'PlatformReporting', description: 'What adReport and insights return of a platform' });
export type PlatformReporting = z.infer<typeof PlatformReporting>;

/** The public form of what a platform reports. */
export function reportingInfo(facts: Reporting): PlatformReporting {
  return {
    levels: [...facts.levels],
    breakdowns: breakdowns.flatMap((name) => {
      const own = facts.breakdowns[name];
      if (!own) return [];
      const pairs = facts.pairs.filter((pair) => pair.includes(name));
      return [
        {
          name,
          levels: [...own.levels],
          granularities: own.wholeRangeOnly ? ['total' as const] : [...granularities],
          combinesWith: pairs.flatMap((pair) => pair.filter((other) => other !== name)),
        },
      ];
    }),
    metrics: Object.keys(facts.metrics) as Metric[],
    conversionEvents: [...facts.events],
    historyDays: facts.retentionDays ?? null,
    longestReachDays: facts.maxReachDays ?? null,
    deliveryDays: facts.finalAfter.deliveryDays,
    conversionDays: facts.finalAfter.conversionDays,
  };
}
