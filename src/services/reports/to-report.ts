import type { Pagination, Warning } from '../../contract/common.ts';
import type { AdMetrics, AdReport, AdReportRow, UnavailableReason } from '../../contract/report.ts';
import type { Metric } from '../../contract/reporting/metrics.ts';
import type { Figures } from '../../platforms/platform.ts';
import { decimalText } from './amounts.ts';
import {
  allMetrics,
  decimalsOf,
  gapOf,
  isKnown,
  isRequested,
  people,
  shownMetrics,
  staticGap,
  valueOf,
  type Terms,
} from './combine.ts';
import { addDays } from '../../lib/calendar-days.ts';
import { noDelivery, sumOf } from './figures.ts';
import type { Prepared } from './prepare.ts';
import type { Row } from './rows.ts';

const numberOf = (metric: Metric, terms: Terms): ((figures: Figures) => number | null) => {
  const of = valueOf(metric, terms);
  return (figures) => {
    const value = of(figures);
    return isKnown(value) ? Number(decimalText(value, decimalsOf(metric))) : null;
  };
};

const metricsOf = (terms: Terms): ((figures: Figures) => AdMetrics) => {
  const columns = shownMetrics(terms).map((metric) => [metric, numberOf(metric, terms)] as const);
  return (figures) => Object.fromEntries(columns.map(([metric, of]) => [metric, of(figures)]));
};

/** The parts of a report that hold for all of its pages. */
export function reportOf(prepared: Prepared, page: readonly Row[], pagination: Pagination): AdReport {
  const { source, level, range, terms, result, choice } = prepared;
  const { timeZone, definitions, attribution } = terms.reporting;
  const warnings = warningsOf(prepared);
  return {
    accountId: source.target.account._id,
    adAccountId: source.adAccount.id,
    platform: source.target.account.platform,
    level,
    ...range,
    granularity: choice.granularity,
    breakdowns: [...terms.breakdowns],
    currency: source.adAccount.currency,
    timeZone: source.timeZone,
    timeZoneBasis: timeZone,
    ...freshnessOf(prepared),
    isComplete: result.missing.length === 0,
    missing: result.missing,
    retryAfterSeconds: retryAfterOf(prepared),
    progress: result.progress ?? null,
    attribution,
    definitions: {
      ...definitions,
      conversions: terms.conversionEvent ?? terms.reporting.defaultEvent ?? 'optimised_event',
    },
    rows: shownRows(page, prepared),
    totals: totalsOf(prepared),
    unavailable: unavailableOf(prepared),
    ...(warnings.length > 0 && { warnings }),
    pagination,
  };
}

/** Days that are being read, or that failed and are read again, are worth another request. */
const retryAfterOf = ({ result }: Prepared): number | null =>
  result.missing.some(({ reason }) => reason !== 'outside_retention') ? (result.retryAfterSeconds ?? 15) : null;

/** The days that stopped changing before today. */
function finalThroughOf({ source, terms }: Prepared): AdReport['finalThrough'] {
  const { deliveryDays, conversionDays } = terms.reporting.finalAfter;
  return {
    delivery: addDays(source.today, -deliveryDays - 1),
    conversions: addDays(source.today, -conversionDays - 1),
  };
}

export function freshnessOf(prepared: Prepared): Pick<AdReport, 'fetchedAt' | 'dataAsOf' | 'isFinal' | 'finalThrough'> {
  const { fetchedAt, changesFrom, missing } = prepared.result;
  const { delayMinutes } = prepared.terms.reporting;
  return {
    fetchedAt: fetchedAt?.toISOString() ?? null,
    dataAsOf: fetchedAt && new Date(fetchedAt.getTime() - delayMinutes * 60_000).toISOString(),
    isFinal: changesFrom === null && missing.length === 0,
    finalThrough: finalThroughOf(prepared),
  };
}

function shownRows(page: readonly Row[], prepared: Prepared): AdReportRow[] {
  const of = metricsOf(prepared.terms);
  return page.map((row) => ({ ...identityOf(row, prepared), metrics: of(row.figures) }));
}

function identityOf(
  { date, platformId, record, campaignId, adSetId, breakdown }: Row,
  { level, terms, source }: Prepared,
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
    breakdown: breakdown.map((value, at) => ({ name: terms.breakdowns[at]!, ...value })),
  };
}

/** People are counted by one read of exactly these rows, if there is one. */
const peopleIn = ({ above, terms }: Prepared): AdMetrics =>
  Object.fromEntries(
    people
      .filter((metric) => shownMetrics(terms).includes(metric))
      .map((metric) => [
        metric,
        above && staticGap(terms, metric) === undefined ? numberOf(metric, terms)(above) : null,
      ]),
  );

function totalsOf(prepared: Prepared): AdMetrics | null {
  const { result, rows, terms } = prepared;
  if (result.missing.length > 0) return null;
  const figures = sumOf(
    rows.map((row) => row.figures),
    terms.reporting,
  );
  return { ...metricsOf(terms)(figures), ...peopleIn(prepared) };
}

function unavailableOf({ above, rows, terms }: Prepared): AdReport['unavailable'] {
  const figures = rows.length === 0 ? [noDelivery(terms.reporting)] : rows.map((row) => row.figures);
  const reasonFor = (metric: Metric): UnavailableReason | undefined => {
    const reason = gapOf(metric, figures, terms);
    return reason ?? (people.includes(metric) && !above && rows.length > 0 ? 'not_additive' : undefined);
  };
  return shownMetrics(terms).flatMap((metric) => {
    const reason = reasonFor(metric);
    return reason ? [{ metric, reason }] : [];
  });
}

function warningsOf({ choice, result, terms, source }: Prepared): Warning[] {
  const unoffered = allMetrics.filter(
    (metric) => terms.requested && isRequested(terms, metric) && staticGap(terms, metric) === 'not_offered',
  );
  const notes = new Set(terms.breakdowns.flatMap((name) => terms.reporting.breakdowns[name]?.note ?? []));
  return [
    ...(unoffered.length > 0
      ? [{ param: 'metrics', message: `Platform ${source.platform} does not report ${unoffered.join(', ')}` }]
      : []),
    ...[...notes].map((message) => ({ param: 'breakdowns', message })),
    ...(choice.includeDeleted === false
      ? [{ param: 'includeDeleted', message: 'Rows and totals leave out objects that were deleted at the platform' }]
      : []),
    ...result.warnings.map((message) => ({ param: 'rows', message })),
  ];
}
