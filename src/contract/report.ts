import { z } from 'zod';
import { AdStatus } from './ad.ts';
import { InstantOut, ObjectId, Pagination, Warning } from './common.ts';
import { AccountPlatform } from './platforms.ts';
import { Breakdown, Granularity, MetricName, ReportLevel } from './report-input.ts';
import { metrics, type Metric, type MetricFacts } from './reporting/metrics.ts';

/** The description of a metric in reports. */
export const metricText = ({ kind, text, note }: MetricFacts): string =>
  [text, kind.startsWith('money') && 'in whole units of `currency`', note].filter(Boolean).join('; ');

type Figure = z.ZodOptional<z.ZodNullable<z.ZodNumber>>;

export const AdMetrics = z
  .strictObject(
    Object.fromEntries(
      (Object.keys(metrics) as Metric[]).map((metric) => [
        metric,
        z.number().nullable().optional().describe(metricText(metrics[metric])),
      ]),
    ) as Record<Metric, Figure>,
  )
  .meta({
    id: 'AdMetrics',
    description:
      'Metrics: 0 if the platform reports nothing, null if a value is unknown; `unavailable` of the report says why',
  });
export type AdMetrics = z.infer<typeof AdMetrics>;

export const BreakdownValue = z
  .strictObject({
    name: Breakdown,
    value: z.string().describe('The value as the platform names it, or `unknown`'),
    label: z.string().describe('The value in words'),
  })
  .meta({ id: 'BreakdownValue', description: 'The value of one breakdown of a row, such as country DE' });

const Day = z.string().describe('YYYY-MM-DD, in the time zone of the report');

export const AdReportRow = z
  .strictObject({
    date: Day.nullable().describe('The day; null with granularity `total`'),
    objectId: ObjectId.nullable().describe(
      'Id of the object in this API; null if it is not recorded here, and at level `account`',
    ),
    platformId: z.string().describe('Id of the object at the platform'),
    name: z.string().nullable().describe('Name of the object; null if it is not recorded here'),
    status: AdStatus.nullable().describe('Status of the object; null if it is not recorded here'),
    campaignId: ObjectId.nullable().describe('Id of its campaign in this API; null if it is not recorded here'),
    adSetId: ObjectId.nullable().describe('Id of its ad set in this API; null if it is not recorded here'),
    platformCampaignId: z.string().nullable().describe('Id of its campaign at the platform; null if it is not known'),
    platformAdSetId: z.string().nullable().describe('Id of its ad set at the platform; null if it is not known'),
    breakdown: z.array(BreakdownValue).describe('One value for each requested breakdown, in the same order'),
    metrics: AdMetrics,
  })
  .meta({ id: 'AdReportRow', description: 'The metrics of one object, or of one of its days or breakdown values' });
export type AdReportRow = z.infer<typeof AdReportRow>;

export const missingReasons = ['loading', 'failed', 'rate_limited', 'outside_retention'] as const;
const MissingDays = z
  .strictObject({
    fromDate: Day,
    toDate: Day,
    reason: z.enum(missingReasons).meta({ id: 'MissingReason', description: 'Why days are missing' }),
  })
  .meta({ id: 'MissingDays', description: 'Days whose figures are not in the report' });

export const unavailableReasons = [
  'not_requested',
  'not_offered',
  'not_at_level',
  'not_with_breakdown',
  'range_too_long',
  'not_additive',
  'loading',
  'mixed_events',
  'not_reported',
  'privacy_threshold',
] as const;
export type UnavailableReason = (typeof unavailableReasons)[number];
const UnavailableMetric = z
  .strictObject({
    metric: MetricName,
    reason: z.enum(unavailableReasons).meta({ id: 'UnavailableReason', description: 'Why a metric is null' }),
  })
  .meta({ id: 'UnavailableMetric', description: 'A metric that is null in all rows, or in the totals only' });

const FinalThrough = z
  .strictObject({
    delivery: Day.nullable().describe('Last day whose spend, impressions and clicks are final'),
    conversions: Day.nullable().describe('Last day whose conversions are final'),
  })
  .meta({ id: 'FinalThrough', description: 'Figures of later days can still change' });

const days = z.int().nullable();
const Attribution = z
  .strictObject({
    clickDays: days.describe('Days after a click; null if they differ or are not known'),
    viewDays: days.describe('Days after a view; null if they differ or are not known'),
    engagedViewDays: days.describe('Days after a longer view; null if they differ or are not known'),
    basis: z
      .enum(['ad_setting', 'conversion_action', 'request', 'account'])
      .meta({ id: 'AttributionBasis', description: 'What decides which conversions count' }),
    reportTime: z
      .enum(['ad_action', 'conversion'])
      .meta({ id: 'AttributionTime', description: 'The day that a conversion counts on' }),
  })
  .meta({ id: 'Attribution', description: 'Which conversions the platform attributes to ads' });

const Definitions = z
  .strictObject({
    clicks: z
      .enum(['all', 'chargeable', 'destination'])
      .meta({ id: 'ClickDefinition', description: 'What `clicks` counts' }),
    videoViews: z.string().describe('From when on a view of the video counts'),
    conversions: z.string().describe('The event that `conversions` counts, or `optimised_event`'),
    roas: z
      .enum(['purchases', 'conversions'])
      .meta({ id: 'RoasDefinition', description: 'The value that `roas` divides by spend' }),
    reach: z
      .enum(['estimated_people', 'estimated_accounts'])
      .meta({ id: 'ReachDefinition', description: 'What `reach` counts' }),
  })
  .meta({ id: 'MetricDefinitions', description: 'How this platform defines metrics; platforms differ' });

const Progress = z
  .strictObject({ done: z.int().describe('Days that have been read'), total: z.int().describe('Days to read') })
  .meta({ id: 'ReportProgress', description: 'How many of the days have been read' });

export const AdReport = z
  .strictObject({
    accountId: ObjectId.describe('Id of the connected account'),
    adAccountId: z.string().describe('Id of the ad account at the platform'),
    platform: AccountPlatform,
    level: ReportLevel,
    fromDate: Day.describe('First day'),
    toDate: Day.describe('Last day, inclusive'),
    granularity: Granularity,
    breakdowns: z.array(Breakdown).describe('The requested breakdowns'),
    currency: z.string().describe('ISO 4217 code of every amount'),
    timeZone: z.string().describe('IANA name of the time zone of the days'),
    timeZoneBasis: z
      .enum(['ad_account', 'utc'])
      .meta({ id: 'TimeZoneBasis', description: 'What decides the time zone of the days' }),
    fetchedAt: InstantOut.nullable().describe(
      'When the figures were read: the oldest read of the days that can still change, or the latest read if all are final; null before the first read',
    ),
    dataAsOf: InstantOut.nullable().describe(
      'Until when the platform is expected to have counted everything; an estimate',
    ),
    isFinal: z.boolean().describe('True if all days were read after they had become final'),
    finalThrough: FinalThrough,
    isComplete: z.boolean().describe('False if days are missing; `missing` names them'),
    missing: z.array(MissingDays).describe('Days whose figures are not in the report'),
    retryAfterSeconds: z
      .int()
      .nullable()
      .describe('Seconds after which to repeat the request; null if no days are missing that can still be read'),
    progress: Progress.nullable().describe('Progress of a read in the background; null without one'),
    attribution: Attribution,
    definitions: Definitions,
    rows: z.array(AdReportRow).describe('The rows of this page'),
    totals: AdMetrics.nullable().describe('Sum of the rows of all pages; null if days are missing'),
    unavailable: z.array(UnavailableMetric).describe('The metrics that are null, with the reason'),
    warnings: z
      .array(Warning)
      .optional()
      .describe('How the report differs from the request, and notes about its figures'),
    pagination: Pagination,
  })
  .meta({ id: 'AdReport', description: 'Metrics of an ad account, its campaigns, ad sets or ads for a range of days' });
export type AdReport = z.infer<typeof AdReport>;
