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

const reachNote = (days: number | undefined): string[] =>
  days === undefined ? [] : [`Reach and frequency only if the range starts within the last ${days} days`];
const delayNote = (minutes: number | undefined): string[] =>
  minutes === undefined ? [] : [`Figures take up to ${minutes / 60} h`];

/** Breakdowns with the same limits, as rows of a table. */
function limitsOf(platform: AdPlatform): string[][] {
  const byText = new Map<string, string[]>();
  for (const [name, { lacks, reachRetentionDays, delayMinutes, note }] of Object.entries(
    reporting[platform].breakdowns,
  )) {
    const notes = [...(note ? [note] : []), ...reachNote(reachRetentionDays), ...delayNote(delayMinutes)].join('. ');
    const limits = row(lacks.map(code).join(', ') || '–', notes).slice(2, -2);
    if (lacks.length > 0 || notes) byText.set(limits, [...(byText.get(limits) ?? []), code(name)]);
  }
  return [...byText].map(([limits, names]) => [platform, names.join(', '), limits]);
}

const windowsOf = ({ attribution }: Reporting): string => {
  const { clickDays, viewDays, engagedViewDays } = attribution;
  const windows = Object.entries({ click: clickDays, view: viewDays, 'engaged view': engagedViewDays });
  const known = windows.flatMap(([name, days]) => (days === null ? [] : [`${days} d ${name}`]));
  return [attribution.basis.replaceAll('_', ' '), ...known].join(', ');
};

const facts: [name: string, of: (facts: Reporting) => string][] = [
  ['Breakdowns', breakdownsOf],
  ['Combined', ({ pairs }) => pairs.map((pair) => pair.map(code).join(' and ')).join('; ') || 'none'],
  ['Reach counts', ({ definitions }) => definitions.reach.replaceAll('_', ' ')],
  ['Days in', ({ timeZone }) => (timeZone === 'utc' ? 'UTC' : 'time zone of the ad account')],
  ['`clicks`', ({ definitions }) => definitions.clicks],
  ['`videoViews`', ({ definitions }) => definitions.videoViews],
  ['`roas`', ({ definitions }) => `value of ${definitions.roas}`],
  ['`conversionEvent`', ({ events }) => events.map(code).join(', ')],
  ['Attribution', windowsOf],
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

What rows with a breakdown lack:

${table(['', 'Breakdown', 'Metrics that it lacks', 'Note'], platforms.flatMap(limitsOf))}

The platform's own name of each metric:

${table(
  ['Metric', ...platforms],
  (Object.keys(metrics) as Metric[]).map((metric) => [
    code(metric),
    ...platforms.map((platform) => nameOf(reporting[platform], metric)),
  ]),
)}
`;
