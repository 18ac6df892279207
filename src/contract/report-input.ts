import { z } from 'zod';
import { checkedBy, Cursor, Flag, limitOf, ObjectId, Page, RemoteId, uniqueListOf } from './common.ts';
import { withLimits } from './limits.ts';
import {
  breakdowns,
  conversionEvents,
  granularities,
  metrics,
  reportLevels,
  type Metric,
} from './reporting/metrics.ts';

export const ReportLevel = z
  .enum(reportLevels)
  .meta({ id: 'ReportLevel', description: 'The objects that rows are about; each level is read at the platform' });
export const Granularity = z
  .enum(granularities)
  .meta({ id: 'Granularity', description: 'Whether rows are about the range or about its days' });
export const Breakdown = z.enum(breakdowns).meta({ id: 'Breakdown', description: 'What rows are split by' });
export const ConversionEvent = z
  .enum(conversionEvents)
  .meta({ id: 'ConversionEvent', description: 'An event that counts as a conversion' });
export const MetricName = z
  .enum(Object.keys(metrics) as [Metric])
  .meta({ id: 'Metric', description: 'A figure of a report', camelCase: true });
/** The most days of each range that has a name. */
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
  .meta({ id: 'ReportSort', description: 'What rows are sorted by; rows without it come last' });
export type ReportSort = z.infer<typeof ReportSort>;
const ReportOrder = z.enum(['asc', 'desc']).meta({ id: 'ReportOrder', description: 'Direction of the order' });
const ReportFormat = z.enum(['json', 'csv']).meta({ id: 'ReportFormat', description: 'Format of the response' });

function dayProblem(text: string): string | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(.*)$/s.exec(text) ?? [];
  const isDay = day !== undefined && !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  if (!isDay) return 'must be a calendar day such as 2026-10-01';
  return time ? `must be a calendar day without a time: ${day}` : undefined;
}
const Day = z.string().max(40).superRefine(checkedBy(dayProblem));

/** The most days of a report, by its granularity. */
export const maxDays = { total: 731, day: 366 } as const;

/** What both a report and the figures of one object take. */
const figuresInput = {
  fromDate: Day.optional().describe(
    'First day of the figures, YYYY-MM-DD in the time zone of the report; with `toDate`, instead of `datePreset`',
  ),
  toDate: Day.optional().describe('Last day of the figures, inclusive; today at the latest'),
  datePreset: DatePreset.optional().describe('The range by name; `last_30_days` if no dates are given'),
  granularity: Granularity.default('total').describe('`day` returns every day, also those without delivery'),
  breakdowns: uniqueListOf(Breakdown, 2)
    .optional()
    .describe('What rows are split by; docs/platforms.md says what each platform has and combines'),
  metrics: uniqueListOf(MetricName, Object.keys(metrics).length)
    .optional()
    .describe('All except reach and frequency by default, because these take a read of their own'),
  conversionEvent: ConversionEvent.optional().describe(
    'What `conversions` counts; by default what the ad sets optimise for, or the total of the platform',
  ),
  maxAgeSeconds: withLimits(
    z
      .preprocess(
        (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
        z.int().min(60).max(86_400),
      )
      .optional(),
    'Oldest figures that are accepted; by default it depends on the age of the days',
  ),
  sort: ReportSort.optional().describe('`spend` by default, `date` with granularity `day`'),
  order: ReportOrder.optional().describe('`desc` by default, `asc` for `date` and `name`'),
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
  } else if (fromDate !== undefined && toDate !== undefined && fromDate > toDate) {
    addProblem(check, 'fromDate', `must not be after toDate ${toDate}`);
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
    addProblem(check, namedBy[level], `names objects below level ${input.level}; use level ${level} or a lower one`);
  }
}

const Ids = uniqueListOf(RemoteId, 100).optional();

export const AdReportInput = z
  .strictObject({
    accountId: ObjectId.describe('A connected account of an ad platform'),
    adAccountId: RemoteId.optional().describe(
      'The ad account; not needed if the account reaches only one, or if the named objects belong to one',
    ),
    level: ReportLevel.default('campaign').describe('Each level has figures of its own, which need not add up'),
    campaignIds: Ids.describe('Only these campaigns, or what is in them; ids of this API or of the platform'),
    adSetIds: Ids.describe('Only these ad sets, or the ads in them; ids of this API or of the platform'),
    adIds: Ids.describe('Only these ads; ids of this API or of the platform'),
    ...figuresInput,
    includeDeleted: Flag.default(true).describe('`false` leaves out objects that were deleted at the platform'),
    onlyDelivered: Flag.default(true).describe('`false` also returns recorded objects without figures in the range'),
    page: Page,
    cursor: Cursor,
    limit: limitOf(1000, 100, 'Rows a page; CSV has all rows'),
    format: ReportFormat.optional()
      .describe('In REST, for links; otherwise the `Accept` header decides')
      .meta({ restOnly: true }),
  })
  .superRefine(checkRange)
  .superRefine(checkNamed)
  .meta({ id: 'AdReportInput', description: 'The figures to report' });
export type AdReportInput = z.output<typeof AdReportInput>;

/** The arguments of `insights` on an object. */
export const InsightsInput = z
  .strictObject({ ...figuresInput, cursor: Cursor, limit: limitOf(1000, 400, 'Rows a page') })
  .superRefine(checkRange)
  .meta({ id: 'InsightsInput' });
export type InsightsInput = z.output<typeof InsightsInput>;
