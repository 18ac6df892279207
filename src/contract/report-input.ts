import { z } from 'zod';
import { checkedBy, Cursor, Flag, inOrder, limitOf, ObjectId, Page, RemoteId, uniqueListOf } from './common.ts';
import { withLimits } from './limits.ts';
import {
  breakdowns,
  conversionEvents,
  granularities,
  metrics,
  reportLevels,
  type Metric,
} from './reporting/metrics.ts';

export const ReportLevel = z.enum(reportLevels).meta({
  id: 'ReportLevel',
  description: 'What each row is about; the figures of each level are read from the platform',
});
export const Granularity = z
  .enum(granularities)
  .meta({ id: 'Granularity', description: 'Whether a row covers the whole range or one day' });
export const Breakdown = z.enum(breakdowns).meta({ id: 'Breakdown', description: 'What rows are split by' });
export const ConversionEvent = z
  .enum(conversionEvents)
  .meta({ id: 'ConversionEvent', description: 'An event that counts as a conversion' });
export const MetricName = z
  .enum(Object.keys(metrics) as [Metric])
  .meta({ id: 'Metric', description: 'A metric of a report', camelCase: true });
/** The longest range of each preset, in days. */
export const presetDays = {
  today: 1,
  yesterday: 1,
  last_7_days: 7,
  last_14_days: 14,
  last_28_days: 28,
  last_30_days: 30,
  this_month: 31,
  last_month: 31,
} as const;
const DatePreset = z
  .enum(Object.keys(presetDays) as [keyof typeof presetDays])
  .meta({ id: 'DatePreset', description: 'A range of days in the time zone of the report' });
export type DatePreset = z.infer<typeof DatePreset>;
const ReportSort = z
  .enum(['spend', 'impressions', 'clicks', 'conversions', 'date', 'name'])
  .meta({ id: 'ReportSort', description: 'What rows are sorted by; rows without a value come last' });
export type ReportSort = z.infer<typeof ReportSort>;
const ReportOrder = z.enum(['asc', 'desc']).meta({ id: 'ReportOrder', description: 'Sort direction' });
const ReportFormat = z.enum(['json', 'csv']).meta({ id: 'ReportFormat', description: 'Format of the response' });

function dayProblem(text: string): string | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(.*)$/s.exec(text) ?? [];
  const isDay = day !== undefined && !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  if (!isDay) return 'must be a calendar day such as 2026-10-01';
  return time ? `must be a calendar day without a time: ${day}` : undefined;
}
const Day = z.string().max(40).superRefine(checkedBy(dayProblem));

/** The longest range of a report in days, by granularity. */
export const maxDays = { total: 731, day: 366 } as const;

/** Arguments of both `adReport` and `insights`. */
const figuresInput = {
  fromDate: Day.optional().describe(
    'First day of the figures, YYYY-MM-DD in the time zone of the report; with `toDate`, instead of `datePreset`',
  ),
  toDate: Day.optional().describe('Last day of the figures, inclusive; today at the latest'),
  datePreset: DatePreset.optional().describe('A predefined range; `last_30_days` if no dates are given'),
  granularity: Granularity.default('total').describe(
    '`day` returns a row for every day, with zeros for days without delivery',
  ),
  breakdowns: uniqueListOf(Breakdown, 2)
    .optional()
    .describe(
      'Dimensions that rows are split by; docs/platforms.md lists those of each platform, and which can be combined',
    ),
  metrics: uniqueListOf(MetricName, Object.keys(metrics).length)
    .optional()
    .describe('The metrics to return; by default all except reach and frequency, which take a separate read'),
  conversionEvent: ConversionEvent.optional().describe(
    'The event that `conversions` counts; by default what the ad sets optimise for, or the total of the platform',
  ),
  maxAgeSeconds: withLimits(
    z
      .preprocess(
        (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
        z.int().min(60).max(86_400),
      )
      .optional(),
    'The highest age of the figures; older ones are read again. By default it depends on the day',
  ),
  sort: ReportSort.optional().describe('What rows are sorted by; by default `spend`, or `date` with granularity `day`'),
  order: ReportOrder.optional().describe('Direction of `sort`; by default `desc`, or `asc` for `date` and `name`'),
};

interface Given {
  fromDate?: string;
  toDate?: string;
  datePreset?: string;
}

type Check = z.core.$RefinementCtx;

const addProblem = (check: Check, path: string, message: string, code?: string): void =>
  check.addIssue({ code: 'custom', path: [path], message, params: { code } });

function checkRange({ fromDate, toDate, datePreset }: Given, check: Check): void {
  if (datePreset !== undefined && (fromDate ?? toDate) !== undefined) {
    addProblem(check, 'datePreset', 'cannot be combined with fromDate and toDate', 'mutually_exclusive_fields');
  } else if (fromDate !== undefined && toDate === undefined) {
    addProblem(check, 'toDate', 'is required with fromDate', 'missing_required_field');
  } else if (toDate !== undefined && fromDate === undefined) {
    addProblem(check, 'fromDate', 'is required with toDate', 'missing_required_field');
  }
}

/** The members that name objects, by the level of the objects; the highest level first. */
export const namedBy = { campaign: 'campaignIds', ad_set: 'adSetIds', ad: 'adIds' } as const;
export type NamedLevel = keyof typeof namedBy;
export const namedLevels = Object.keys(namedBy) as NamedLevel[];

type Named = Partial<Record<(typeof namedBy)[NamedLevel], string[]>> & { level: z.infer<typeof ReportLevel> };

function checkNamed(input: Named, check: Check): void {
  const given = namedLevels.filter((level) => input[namedBy[level]] !== undefined);
  const [first, second] = given.map((level) => namedBy[level]);
  if (first && second)
    addProblem(
      check,
      second,
      `cannot be combined with ${first}; name objects of one level`,
      'mutually_exclusive_fields',
    );
  for (const level of given) {
    if (reportLevels.indexOf(level) <= reportLevels.indexOf(input.level)) continue;
    addProblem(
      check,
      namedBy[level],
      `names objects below level ${input.level}; set level to ${reportLevels.slice(reportLevels.indexOf(level)).join(' or ')}`,
    );
  }
}

const Ids = uniqueListOf(RemoteId, 100).optional();

export const AdReportInput = z
  .strictObject({
    accountId: ObjectId.describe('A connected account of an ad platform'),
    adAccountId: RemoteId.optional().describe(
      'Id of the ad account; optional if the account has access to only one, or if objects are named by id',
    ),
    level: ReportLevel.default('campaign').describe(
      'What each row is about; the figures of a level need not add up to those of the level above',
    ),
    campaignIds: Ids.describe(
      'Only these campaigns, or their ad sets or ads at a lower `level`; ids of this API or of the platform',
    ),
    adSetIds: Ids.describe('Only these ad sets, or their ads at level `ad`; ids of this API or of the platform'),
    adIds: Ids.describe('Only these ads; ids of this API or of the platform'),
    ...figuresInput,
    includeDeleted: Flag.default(true).describe('`false` leaves out objects that were deleted at the platform'),
    onlyDelivered: Flag.default(true).describe('`false` also returns recorded objects without delivery in the range'),
    page: Page,
    cursor: Cursor,
    limit: limitOf(1000, 100, 'Rows per page; CSV has all rows'),
    format: ReportFormat.optional()
      .describe('In REST, for links; otherwise the `Accept` header decides')
      .meta({ restOnly: true }),
  })
  .superRefine(checkRange)
  .superRefine(...inOrder('fromDate', 'toDate'))
  .superRefine(checkNamed)
  .meta({ id: 'AdReportInput', description: 'What to report: the ad account, the objects, the range and the metrics' });
export type AdReportInput = z.output<typeof AdReportInput>;

/** The arguments of `insights` on an object. */
export const InsightsInput = z
  .strictObject({ ...figuresInput, cursor: Cursor, limit: limitOf(1000, 400, 'Rows per page') })
  .superRefine(checkRange)
  .superRefine(...inOrder('fromDate', 'toDate'))
  .meta({ id: 'InsightsInput' });
export type InsightsInput = z.output<typeof InsightsInput>;
