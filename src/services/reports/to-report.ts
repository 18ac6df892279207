import type { Pagination, Warning } from '../../contract/common.ts';
import type { AdMetrics, AdReport, AdReportRow, UnavailableReason } from '../../contract/report.ts';
import type { Metric } from '../../contract/reporting/metrics.ts';
import { decimalNumber } from './exact.ts';
import type { Amounts } from './amounts.ts';
import { amountsOf, noAmounts } from './figure-code.ts';
import {
  allMetrics,
  decimalsOf,
  isKnown,
  isRequested,
  peopleMetrics,
  shownMetrics,
  unavailableInReport,
  valueOf,
  type MetricContext,
} from './metric-values.ts';
import { addDays } from '../../lib/calendar-days.ts';
import type { BuiltReport } from './build-report.ts';
import type { Row } from './row-table.ts';
import { summaryOf, type Summary } from './summary.ts';

const numberOf = (metric: Metric, metricContext: MetricContext): ((amounts: Amounts) => number | null) => {
  const compute = valueOf(metric, metricContext);
  const decimals = decimalsOf(metric);
  return (amounts) => {
    const value = compute(amounts);
    return isKnown(value) ? decimalNumber(value, decimals) : null;
  };
};

const metricsOf = (metricContext: MetricContext): ((amounts: Amounts) => AdMetrics) => {
  const columns = shownMetrics(metricContext).map((metric) => [metric, numberOf(metric, metricContext)] as const);
  return (amounts) => Object.fromEntries(columns.map(([metric, of]) => [metric, of(amounts)]));
};

/** Builds the response from a report and one page of its rows. */
export function reportOf(built: BuiltReport, page: readonly Row[], pagination: Pagination): AdReport {
  const { source, level, range, metricContext, result, choice } = built;
  const { timeZone, definitions, attribution } = metricContext.reporting;
  const warnings = warningsOf(built);
  const summary = summaryOf(built.rows, metricContext);
  return {
    accountId: source.target.account._id,
    adAccountId: source.adAccount.id,
    platform: source.target.account.platform,
    level,
    ...range,
    granularity: choice.granularity,
    breakdowns: [...metricContext.breakdowns],
    currency: source.adAccount.currency,
    timeZone: source.timeZone,
    timeZoneBasis: timeZone,
    ...freshnessOf(built),
    isComplete: result.missing.length === 0,
    missing: result.missing,
    retryAfterSeconds: retryAfterOf(built),
    progress: result.progress ?? null,
    attribution,
    definitions: {
      ...definitions,
      conversions: metricContext.conversionEvent ?? metricContext.reporting.defaultEvent ?? 'optimised_event',
    },
    rows: shownRows(page, built),
    totals: totalsOf(built, summary),
    unavailable: unavailableOf(built, summary),
    ...(warnings.length > 0 && { warnings }),
    pagination,
  };
}

/** A repeated request can return days that are being read now, or that could not be read. */
const retryAfterOf = ({ result }: BuiltReport): number | null =>
  result.missing.some(({ reason }) => reason !== 'outside_retention') ? (result.retryAfterSeconds ?? 15) : null;

/** The last days that no longer change. */
function finalThroughOf({ source, metricContext }: BuiltReport): AdReport['finalThrough'] {
  const { deliveryDays, conversionDays } = metricContext.reporting.finalAfter;
  return {
    delivery: addDays(source.today, -deliveryDays - 1),
    conversions: addDays(source.today, -conversionDays - 1),
  };
}

export function freshnessOf(built: BuiltReport): Pick<AdReport, 'fetchedAt' | 'dataAsOf' | 'isFinal' | 'finalThrough'> {
  const { fetchedAt, changesFrom, missing } = built.result;
  const { reporting, breakdowns } = built.metricContext;
  const delays = breakdowns.map((name) => reporting.breakdowns[name]?.delayMinutes ?? 0);
  const delayMinutes = Math.max(reporting.delayMinutes, ...delays);
  return {
    fetchedAt: fetchedAt?.toISOString() ?? null,
    dataAsOf: fetchedAt && new Date(fetchedAt.getTime() - delayMinutes * 60_000).toISOString(),
    isFinal: changesFrom === null && missing.length === 0,
    finalThrough: finalThroughOf(built),
  };
}

function shownRows(page: readonly Row[], built: BuiltReport): AdReportRow[] {
  const of = metricsOf(built.metricContext);
  const scratch = noAmounts();
  return page.map((row) => ({ ...identityOf(row, built), metrics: of(amountsOf(row.figures, scratch)) }));
}

function identityOf(
  { date, platformId, record, campaignId, adSetId, breakdown }: Row,
  { level, metricContext, source }: BuiltReport,
): Omit<AdReportRow, 'metrics'> {
  const isCampaign = level === 'campaign';
  return {
    date,
    objectId: record?.id ?? null,
    platformId,
    name: level === 'account' ? source.adAccount.name : (record?.name ?? null),
    status: record?.status ?? null,
    campaignId: record?.campaignId ?? null,
    adSetId: record?.adSetId ?? null,
    platformCampaignId: record?.platformCampaignId ?? campaignId ?? (isCampaign ? platformId : null),
    platformAdSetId: record?.platformAdSetId ?? adSetId ?? (level === 'ad_set' ? platformId : null),
    breakdown: breakdown.map((value, at) => ({ name: metricContext.breakdowns[at]!, ...value })),
  };
}

/** Reach and frequency of all rows, if there is a read of exactly these. */
const peopleIn = ({ reachFigures, metricContext }: BuiltReport): AdMetrics =>
  Object.fromEntries(
    peopleMetrics
      .filter((metric) => shownMetrics(metricContext).includes(metric))
      .map((metric) => [
        metric,
        reachFigures && unavailableInReport(metricContext, metric) === undefined
          ? numberOf(metric, metricContext)(amountsOf(reachFigures, noAmounts()))
          : null,
      ]),
  );

const totalsOf = (built: BuiltReport, { total }: Summary): AdMetrics | null =>
  built.result.missing.length > 0 ? null : { ...metricsOf(built.metricContext)(total), ...peopleIn(built) };

function unavailableOf(
  { reachFigures, isReachLoading, rows, metricContext }: BuiltReport,
  { unavailable }: Summary,
): AdReport['unavailable'] {
  const reasonInTotals = isReachLoading ? 'loading' : 'not_additive';
  const reasonFor = (metric: Metric): UnavailableReason | undefined =>
    unavailable.get(metric) ??
    (peopleMetrics.includes(metric) && !reachFigures && rows.length > 0 ? reasonInTotals : undefined);
  return shownMetrics(metricContext).flatMap((metric) => {
    const reason = reasonFor(metric);
    return reason ? [{ metric, reason }] : [];
  });
}

function warningsOf({ choice, result, metricContext, source, level }: BuiltReport): Warning[] {
  const noteOfLevel = metricContext.reporting.notesAt?.[level];
  const unoffered = allMetrics.filter(
    (metric) =>
      metricContext.requested &&
      isRequested(metricContext, metric) &&
      unavailableInReport(metricContext, metric) === 'not_offered',
  );
  const notes = new Set(
    metricContext.breakdowns.flatMap((name) => metricContext.reporting.breakdowns[name]?.note ?? []),
  );
  return [
    ...(unoffered.length > 0
      ? [{ param: 'metrics', message: `Platform ${source.platform} does not report ${unoffered.join(', ')}` }]
      : []),
    ...(noteOfLevel ? [{ param: 'level', message: noteOfLevel }] : []),
    ...[...notes].map((message) => ({ param: 'breakdowns', message })),
    ...(choice.includeDeleted === false
      ? [{ param: 'includeDeleted', message: 'Rows and totals leave out objects that were deleted at the platform' }]
      : []),
    ...result.warnings.map((message) => ({ param: 'rows', message })),
  ];
}
