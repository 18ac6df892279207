import { today } from '../figures/days.ts';
import type { Plan } from '../figures/plan.ts';
import type { Dimension } from './breakdowns.ts';
import { lengthOf, rangeOf } from './date-filter.ts';
import { refusal } from './errors.ts';
import { metricsOf, planOf, segmentsOf, totalOf, type Segment } from './figures.ts';
import type { Place } from './mutate.ts';
import type { Query } from './query.ts';
import { camel, type Fields } from './shapes.ts';
import type { Resource } from './state.ts';

/** A row of a response: a resource and its joins, computed on demand. */
export type Row = (resource: string) => Fields | undefined;

/** What a row without figures is about, and the ads that its figures add up. */
export interface Base {
  row: Row;
  ads: Resource[];
  campaigns: Resource[];
}

const longestReach = 92;
const segmentNames = ['ad_network_type', 'device'] as const;
const dimensionOfView: Record<string, Dimension> = {
  age_range_view: 'age',
  gender_view: 'gender',
  geographic_view: 'country',
};
const reaching = new Set(['DISPLAY', 'VIDEO', 'DEMAND_GEN', 'MULTI_CHANNEL']);

/** Whether a query reads figures. */
export const isMeasured = ({ select, where, order }: Query): boolean =>
  [...select, ...[...where, ...order].map(({ field }) => field)].some((field) => /^(metrics|segments)\./.test(field));

/** Rows with figures: one for each base without segments, else one for each segment that is not zero. */
export function measured({ sandbox, customer }: Place, query: Query, bases: Base[]): Row[] {
  const range = rangeOf(query.where, today(sandbox.figures.now(), customer.timeZone));
  if (query.select.includes('metrics.unique_users') && (!range || lengthOf(range) > longestReach))
    throw refusal('queryError.DATE_RANGE_TOO_WIDE', 400, {
      message: 'Unique users are available for 92 days or less.',
    });
  const view = dimensionOfView[query.from];
  const isDaily = query.select.includes('segments.date');
  const dimensions = view ? [view] : segmentNames.filter((name) => query.select.includes(`segments.${name}`));
  return bases.flatMap(({ row, ads, campaigns }) => {
    const plans = plansOf(sandbox, ads, campaigns);
    const hasReach = campaigns.every(({ fields }) => reaching.has(String(fields['advertisingChannelType'])));
    const from = { customer, plans, range };
    if (!isDaily && dimensions.length === 0)
      return [withFields(row, () => ({ metrics: metricsOf(totalOf(sandbox, from), { hasReach }) }))];
    return segmentsOf(sandbox, from, { isDaily, dimensions }).flatMap((segment) =>
      fieldsOf(segment, dimensions, customer.id).map((fields) =>
        withFields(row, () => ({ ...fields, metrics: metricsOf(segment.figures, { hasReach }) })),
      ),
    );
  });
}

/** A campaign can have figures that belong to none of its ads. */
const plansOf = (sandbox: Place['sandbox'], ads: Resource[], campaigns: Resource[]): Plan[] => [
  ...ads.map((ad) => planOf(sandbox, ad)),
  ...campaigns.map(({ name }) => sandbox.figures.planOf({ id: name, spans: [] })),
];

/** Figures are computed once, and only for rows that are shown or compared. */
function withFields(row: Row, compute: () => Record<string, Fields>): Row {
  let computed: Record<string, Fields> | undefined;
  return (name) => {
    computed ??= compute();
    return computed[name] ?? row(name);
  };
}

function fieldsOf(
  { date, values }: Segment,
  dimensions: readonly Dimension[],
  customerId: string,
): Record<string, Fields>[] {
  const segments: Fields = { ...(date !== undefined && { date }) };
  const [value = ''] = values;
  const own = `customers/${customerId}`;
  switch (dimensions[0]) {
    case 'age':
      return [
        {
          segments,
          age_range_view: { resourceName: `${own}/ageRangeViews/1~1` },
          ad_group_criterion: { ageRange: { type: value } },
        },
      ];
    case 'gender':
      return [
        {
          segments,
          gender_view: { resourceName: `${own}/genderViews/1~1` },
          ad_group_criterion: { gender: { type: value } },
        },
      ];
    case 'country':
      return countryFields(segments, value, own);
    default:
      dimensions.forEach((dimension, at) => (segments[camel(dimension)] = values[at]));
      return [{ segments }];
  }
}

/** What has no country has no row, and interest in a place is counted again beside presence there. */
function countryFields(segments: Fields, id: string, own: string): Record<string, Fields>[] {
  if (id === 'none') return [];
  const types = id === '2840' ? ['LOCATION_OF_PRESENCE', 'AREA_OF_INTEREST'] : ['LOCATION_OF_PRESENCE'];
  return types.map((locationType) => ({
    segments,
    geographic_view: {
      resourceName: `${own}/geographicViews/${id}~${locationType}`,
      countryCriterionId: id,
      locationType,
    },
  }));
}
