import { daysIn, periodOfDays, today } from '../figures/days.ts';
import { addFigures, hasDelivery, noFigures, type Figures } from '../figures/figures.ts';
import { lifetimeOf } from '../figures/generator.ts';
import { withFirstHour, type Plan } from '../figures/plan.ts';
import { frequencyOf, reachOf } from '../figures/reach.ts';
import { isOfAudience, partsOf, type Dimension } from './breakdowns.ts';
import type { DayRange } from './date-filter.ts';
import { review } from './serialize.ts';
import type { Fields } from './shapes.ts';
import { unitOf, type Customer, type Resource, type SandboxState } from './state.ts';

/** Seeded figures, else deterministic ones while the ad and its parents are enabled. */
export function planOf(sandbox: SandboxState, ad: Resource): Plan {
  const customer = sandbox.customers.get(ad.customerId);
  const unit = customer ? Number(unitOf(customer)) : undefined;
  const seeded = sandbox.metrics.get(ad.name);
  if (seeded) {
    const [impressions = 0, clicks = 0, spend = 0, from = 0] = ['impressions', 'clicks', 'costMicros', 'from'].map(
      (name) => Number(seeded[name] ?? 0),
    );
    return sandbox.figures.planOf({ id: ad.name, unit, spans: [], total: { impressions, clicks, spend, from } });
  }
  const group = String(ad.fields['adGroup']);
  const campaign = String(sandbox.get(group)?.fields['campaign']);
  const isApproved = review(sandbox, ad)['approvalStatus'] === 'APPROVED';
  const spans = isApproved ? sandbox.figures.spansOf([ad.name, group, campaign], sharing(sandbox, campaign)) : [];
  const clicks = 20 + (Number(ad.id) % 60);
  const first = { impressions: clicks * 40, clicks, spend: clicks * 350_000 };
  return sandbox.figures.planOf(withFirstHour({ id: ad.name, unit, spans }, first, sandbox.figures.now()));
}

/** Creation times of the ads that share the budget of a campaign. */
const sharing = (sandbox: SandboxState, campaign: string): number[] =>
  sandbox
    .below(campaign, 'adGroups')
    .flatMap((group) => sandbox.below(group.name, 'adGroupAds'))
    .flatMap((ad) => sandbox.figures.since(ad.name) ?? []);

export interface Measured {
  customer: Customer;
  plans: Plan[];
  /** The figures of a range; of the whole life without one. */
  range: DayRange | undefined;
}

/** Figures without segments. */
export function totalOf(sandbox: SandboxState, { customer, plans, range }: Measured): Figures {
  const sum = noFigures();
  for (const plan of plans) {
    const period = range && periodOfDays(range.first, range.last, customer.timeZone);
    addFigures(sum, period ? sandbox.figures.between(plan, period) : sandbox.figures.lifetime(plan));
  }
  return sum;
}

export interface Segment {
  date?: string;
  values: string[];
  figures: Figures;
}

/** Figures by day, if `isDaily`, and by the dimensions. Each ad and day is split by itself, so that all adds up. */
export function segmentsOf(
  sandbox: SandboxState,
  { customer, plans, range }: Measured,
  { isDaily, dimensions }: { isDaily: boolean; dimensions: readonly Dimension[] },
): Segment[] {
  const segments = new Map<string, Segment>();
  const read = dimensions.some(isOfAudience) ? 'ofAudience' : 'between';
  for (const plan of plans)
    for (const day of daysOf(sandbox, plan, { customer, range })) {
      const figures = sandbox.figures[read](plan, periodOfDays(day, day, customer.timeZone));
      for (const part of partsOf(figures, dimensions, { key: `${plan.id} ${day}`, unit: Number(unitOf(customer)) })) {
        const key = [isDaily ? day : '', ...part.values].join('\n');
        const segment = segments.get(key) ?? {
          ...(isDaily && { date: day }),
          values: part.values,
          figures: noFigures(),
        };
        segments.set(key, segment);
        addFigures(segment.figures, part.figures);
      }
    }
  return [...segments.values()].filter(({ figures }) => hasDelivery(figures));
}

function daysOf(sandbox: SandboxState, plan: Plan, { customer, range }: Omit<Measured, 'plans'>): string[] {
  const life = lifetimeOf(plan, sandbox.figures.asOf());
  if (life.from >= life.until) return [];
  const [first, last] = [today(life.from, customer.timeZone), today(life.until - 1, customer.timeZone)];
  return daysIn(range && range.first > first ? range.first : first, range && range.last < last ? range.last : last);
}

/** 64-bit integers are texts, ratios and conversions numbers. Conversions can be halves. */
export function metricsOf(figures: Figures, { hasReach }: { hasReach: boolean }): Fields {
  const { impressions } = figures;
  const rate = (count: number): number => (impressions === 0 ? 0 : count / impressions);
  return {
    impressions: String(impressions),
    clicks: String(figures.clicks),
    costMicros: String(figures.spend),
    interactions: String(figures.clicks + figures.videoViews),
    engagements: '0',
    conversions: figures.purchases + figures.leads / 2,
    conversionsValue: figures.purchaseValue / 1_000_000,
    allConversions: figures.purchases + figures.leads,
    videoTrueviewViews: String(figures.videoViews),
    videoQuartileP25Rate: rate(figures.videoP25),
    videoQuartileP50Rate: rate(figures.videoP50),
    videoQuartileP75Rate: rate(figures.videoP75),
    videoQuartileP100Rate: rate(figures.videoP100),
    ...(hasReach && {
      uniqueUsers: String(reachOf(impressions)),
      averageImpressionFrequencyPerUser: (frequencyOf(impressions) ?? 0) / 1_000_000,
    }),
  };
}
