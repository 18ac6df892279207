import { AdPlatform } from '../../contract/platforms.ts';
import { reporting } from '../../contract/reporting/index.ts';
import { metrics, type Breakdown, type Metric } from '../../contract/reporting/metrics.ts';
import type { Reporting } from '../../contract/reporting/reporting.ts';

const platforms = AdPlatform.options;
const row = (...cells: string[]): string => `| ${cells.join(' | ')} |`;
const code = (text: string): string => `\`${text}\``;
const table = (head: string[], rows: string[][]): string =>
  [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells))].join('\n');

const daysText = (days: number | undefined, otherwise: string): string =>
  days === undefined ? otherwise : `${days} days`;

function breakdownsOf({ breakdowns, levels }: Reporting): string {
  const entries = Object.entries(breakdowns) as [Breakdown, NonNullable<Reporting['breakdowns'][Breakdown]>][];
  return entries
    .map(([name, facts]) => {
      const limits = [
        facts.levels.length < levels.length && facts.levels.map(code).join(', '),
        facts.wholeRangeOnly && 'granularity `total` only',
      ].filter(Boolean);
      return code(name) + (limits.length > 0 ? ` (${limits.join('; ')})` : '');
    })
    .join(', ');
}

const facts: [name: string, of: (facts: Reporting) => string][] = [
  ['Breakdowns', breakdownsOf],
  ['Combined', ({ pairs }) => pairs.map((pair) => pair.map(code).join(' and ')).join('; ') || 'none'],
  ['Days in', ({ timeZone }) => (timeZone === 'utc' ? 'UTC' : 'time zone of the ad account')],
  ['`clicks`', ({ definitions }) => definitions.clicks],
  ['`videoViews`', ({ definitions }) => definitions.videoViews],
  ['`roas`', ({ definitions }) => `value of ${definitions.roas}`],
  ['`conversionEvent`', ({ events }) => events.map(code).join(', ')],
  ['Attribution', ({ attribution }) => attribution.basis.replaceAll('_', ' ')],
  ['Delay', ({ delayMinutes: minutes }) => (minutes < 60 ? `${minutes} min` : `${minutes / 60} h`)],
  ['Final after', ({ finalAfter }) => `${finalAfter.deliveryDays} days, conversions ${finalAfter.conversionDays} days`],
  ['History', ({ retentionDays }) => daysText(retentionDays, 'no documented limit')],
  ['Longest range of reach', ({ maxReachDays }) => daysText(maxReachDays, 'no limit')],
];

const nameOf = ({ metrics: own, lacksAt = {} }: Reporting, metric: Metric): string => {
  const lacking = Object.entries(lacksAt).flatMap(([level, lacks]) => (lacks.includes(metric) ? [code(level)] : []));
  const name = own[metric];
  if (name === undefined) return '–';
  const shown = name === 'computed' ? name : code(name);
  return lacking.length > 0 ? `${shown}; not at ${lacking.join(', ')}` : shown;
};

/** What each platform reports. */
export const reportsSection = (): string => `## Reports

What \`adReport\` and \`insights\` return of each platform; [reports](reports.md) explains the terms. A breakdown that a platform lacks is 400, a metric
that it lacks is null.

${table(
  ['', ...platforms],
  facts.map(([name, of]) => [name, ...platforms.map((platform) => of(reporting[platform]))]),
)}

The platform's own name of each metric:

${table(
  ['Metric', ...platforms],
  (Object.keys(metrics) as Metric[]).map((metric) => [
    code(metric),
    ...platforms.map((platform) => nameOf(reporting[platform], metric)),
  ]),
)}
`;
