import { z } from 'zod';
import type { Breakdown } from '../../contract/reporting/metrics.ts';
import { countryNumbers } from '../../lib/country-numbers.ts';
import { millionths, plainDecimal } from '../decimal.ts';
import type { Figures, ReportQuery, ReportRow } from '../report.ts';

/** 64-bit integers are texts; a metric that is absent is zero. */
const Count = z
  .union([z.string().regex(/^-?\d+$/), z.int()])
  .default('0')
  .transform(BigInt);
/** Conversions can be fractions. */
const Decimal = z
  .number()
  .default(0)
  .transform((value) => millionths(plainDecimal(value)) ?? 0n);
const Rate = z.number().default(0);
const Id = z.union([z.string(), z.int()]).transform(String);
const Unique = z.union([z.string().regex(/^\d+$/), z.int()]).transform(BigInt);

export const FigureRow = z.object({
  campaign: z.object({ id: Id }).optional(),
  adGroup: z.object({ id: Id }).optional(),
  adGroupAd: z.object({ ad: z.object({ id: Id }) }).optional(),
  segments: z
    .object({ date: z.string().optional(), device: z.string().optional(), adNetworkType: z.string().optional() })
    .default({}),
  adGroupCriterion: z
    .object({
      ageRange: z.object({ type: z.string() }).optional(),
      gender: z.object({ type: z.string() }).optional(),
    })
    .default({}),
  geographicView: z.object({ countryCriterionId: Id.optional() }).default({}),
  metrics: z
    .object({
      costMicros: Count,
      impressions: Count,
      clicks: Count,
      interactions: Count,
      conversions: Decimal,
      conversionsValue: Decimal,
      videoTrueviewViews: Count,
      videoQuartileP25Rate: Rate,
      videoQuartileP50Rate: Rate,
      videoQuartileP75Rate: Rate,
      videoQuartileP100Rate: Rate,
    })
    .prefault({}),
});
type FigureRow = z.infer<typeof FigureRow>;

export const ReachRow = z.object({
  campaign: z.object({ id: Id }),
  segments: z.object({ date: z.string().optional() }).default({}),
  metrics: z
    .object({
      uniqueUsers: Unique.optional(),
      averageImpressionFrequencyPerUser: Decimal.optional(),
    })
    .prefault({}),
});

export function toRow(row: FigureRow, query: ReportQuery): ReportRow {
  const { breakdowns, granularity } = query;
  return {
    ...idsOf(row, query),
    ...(granularity === 'day' && { date: row.segments.date }),
    ...(breakdowns.length > 0 && { breakdown: breakdowns.map((name) => valueOf(row, name)) }),
    figures: figuresOf(row, query),
  };
}

function idsOf(
  { campaign, adGroup, adGroupAd }: FigureRow,
  { level, adAccount }: ReportQuery,
): Pick<ReportRow, 'platformId' | 'campaignId' | 'adSetId'> {
  const [campaignId = '', adSetId = ''] = [campaign?.id, adGroup?.id];
  if (level === 'account') return { platformId: adAccount.id };
  if (level === 'campaign') return { platformId: campaignId };
  if (level === 'ad_set') return { platformId: adSetId, campaignId };
  return { platformId: `${adSetId}~${adGroupAd?.ad.id ?? ''}`, campaignId, adSetId };
}

function figuresOf({ metrics }: FigureRow, { breakdowns }: ReportQuery): Figures {
  const { impressions } = metrics;
  /** The platform has rates instead of counts. */
  const counted = (rate: number): bigint => BigInt(Math.round(rate * Number(impressions)));
  return {
    spend: metrics.costMicros,
    impressions,
    clicks: metrics.clicks,
    engagement: metrics.interactions,
    videoViews: metrics.videoTrueviewViews,
    ...(!breakdowns.includes('country') && {
      videoP25: counted(metrics.videoQuartileP25Rate),
      videoP50: counted(metrics.videoQuartileP50Rate),
      videoP75: counted(metrics.videoQuartileP75Rate),
      videoP100: counted(metrics.videoQuartileP100Rate),
    }),
    events: { all: { count: metrics.conversions, value: metrics.conversionsValue } },
  };
}

const countries = new Map([...countryNumbers].map(([code, number]) => [String(2000 + number), code]));

function valueOf(row: FigureRow, breakdown: Breakdown): { value: string; label: string } {
  const { segments, adGroupCriterion, geographicView } = row;
  const values: Record<Breakdown, string | undefined> = {
    age: adGroupCriterion.ageRange?.type,
    gender: adGroupCriterion.gender?.type,
    country: countries.get(geographicView.countryCriterionId ?? '') ?? geographicView.countryCriterionId,
    placement: segments.adNetworkType,
    device: segments.device,
  };
  const value = values[breakdown] ?? 'unknown';
  const isUnknown = /^(UNKNOWN|UNSPECIFIED|UNDETERMINED|AGE_RANGE_UNDETERMINED)$/.test(value);
  return isUnknown ? unknown : { value, label: labelOf(value, breakdown) };
}

export const unknown = { value: 'unknown', label: 'unknown' };

function labelOf(value: string, breakdown: Breakdown): string {
  if (breakdown === 'country') return value;
  if (value === 'CONNECTED_TV') return 'tv';
  if (value === 'AGE_RANGE_65_UP') return '65+';
  if (breakdown === 'age') return value.replace('AGE_RANGE_', '').replace('_', '-');
  return value.toLowerCase().replaceAll('_', ' ');
}
