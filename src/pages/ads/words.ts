import type { AdReport, UnavailableReason } from '../../contract/report.ts';
import { metrics, type Metric } from '../../contract/reporting/metrics.ts';
import { dayText, momentText, rangeText } from './format.ts';

type GapReason = AdReport['missing'][number]['reason'];

export const gapReasons: Record<GapReason, string> = {
  loading: 'still loading from the platform',
  failed: 'the platform did not return them',
  rate_limited: 'the platform limits requests at the moment',
  outside_retention: 'older than the platform keeps figures',
};

/** Why a cell is empty. */
const nullReasons: Record<UnavailableReason, string> = {
  not_requested: 'Not read here',
  not_offered: 'Not offered by this platform',
  not_at_level: 'Not offered by this platform at this level',
  not_with_breakdown: 'Not offered by this platform in this breakdown',
  range_too_long: 'Not offered by this platform for so many days',
  not_additive: 'Cannot be added over these rows',
  loading: 'Being loaded from the platform',
  mixed_events: 'The ad sets optimise for different events',
  not_reported: 'Not reported by the platform',
  privacy_threshold: 'Withheld by the platform for privacy',
};

/** What the form calls the fields of a report. */
const fieldLabels = { fromDate: 'From', toDate: 'To', datePreset: 'The range' };
const fieldName = new RegExp(`\\b(${Object.keys(fieldLabels).join('|')})\\b`, 'g');

export const problemText = (message: string): string =>
  message.replaceAll(fieldName, (name) => fieldLabels[name as keyof typeof fieldLabels]);

/** Why a figure of a report is null. */
export function reasonOf({ unavailable }: Pick<AdReport, 'unavailable'>, metric: Metric): string {
  const known = unavailable.find((one) => one.metric === metric);
  if (known) return nullReasons[known.reason];
  return /ratio$/i.test(metrics[metric].kind) ? 'Nothing to divide by' : 'Not known for all of it';
}

/** How old the figures are and which of them can still change. */
export function freshness({ dataAsOf, timeZone, isFinal, finalThrough, fromDate, toDate }: AdReport): string {
  if (dataAsOf === null) return 'No figures have been read yet.';
  const age = `Figures as of ${momentText(dataAsOf, timeZone)}.`;
  if (isFinal) return `${age} They are final.`;
  const { delivery, conversions } = finalThrough;
  if (delivery === null || delivery < fromDate) return `${age} All days may still change.`;
  const days = delivery < toDate && ` Days after ${dayText(delivery)} may still change.`;
  return `${age}${days || ''}${conversionsText(conversions, { delivery, fromDate, toDate })}`;
}

/** The conversions of a day can change for longer than its spend, impressions and clicks. */
function conversionsText(
  through: string | null,
  { delivery, fromDate, toDate }: { delivery: string; fromDate: string; toDate: string },
): string {
  if (through !== null && (through >= toDate || through === delivery)) return '';
  if (through === null || through < fromDate) return ' Conversions of all days may still change.';
  return ` Conversions of days after ${dayText(through)} may still change.`;
}

export const gapsText = ({ missing }: AdReport): string[] =>
  missing.map(
    ({ fromDate, toDate, reason }) => `No figures for ${rangeText(fromDate, toDate)}: ${gapReasons[reason]}.`,
  );
