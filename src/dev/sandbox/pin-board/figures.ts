import { daysIn, periodOfDay, periodOfDays } from '../figures/days.ts';
import { addFigures, hasDelivery, noFigures, type Figures } from '../figures/figures.ts';
import type { Plan, Span } from '../figures/plan.ts';
import { splitFigures, type Part } from '../figures/split.ts';
import { hasStarted } from '../started.ts';
import { reviewOf } from './ads.ts';
import type { Entity, Kind, SandboxState } from './state.ts';

/** Notes from when on an object delivers, or that it stopped. */
export function noteDelivery({ figures }: SandboxState, kind: Kind, { id, fields }: Entity): void {
  const isApproved = kind !== 'ads' || reviewOf({ fields }) === 'APPROVED';
  const budget = kind === 'campaigns' ? fields['daily_spend_cap'] : fields['budget_in_micro_currency'];
  const isDaily = kind === 'campaigns' || fields['budget_type'] === 'DAILY';
  const start = Number(fields['start_time'] ?? 0) * 1000;
  figures.record(id, {
    isOn: fields['status'] === 'ACTIVE' && isApproved,
    ...(isDaily && typeof budget === 'number' && { dailyBudget: budget }),
    ...(start > figures.now() && { from: start }),
  });
}

/** What an ad delivers: in its first hour an amount that depends on its id, so that a new ad has figures at once. */
function planOf(sandbox: SandboxState, ad: Entity): Plan {
  const { figures, entities } = sandbox;
  const since = firstActive(sandbox, ad);
  const parents = ad.parentIds.map((id) => entities.ad_groups.get(id) ?? entities.campaigns.get(id));
  const ends = parents.map((parent) => Number(parent?.fields['end_time'] || Infinity) * 1000);
  const spans = figures.spansOf([ad.id, ...ad.parentIds]).flatMap((span) => until(span, Math.min(...ends)));
  const impressions = 1000 + Number(ad.id.slice(-3));
  const clicks = Math.round(impressions / 50);
  const total = { from: (since ?? 0) * 1000, impressions, clicks, spend: clicks * 250_000 };
  return figures.planOf({ id: ad.id, spans, ...(since !== undefined && { total }) });
}

function until(span: Span, end: number): Span[] {
  if (span.from >= end) return [];
  return [end < (span.until ?? Infinity) ? { ...span, until: end } : span];
}

/** When an ad and its parents had all started and been active, in seconds; undefined if they never were. */
function firstActive({ entities }: SandboxState, ad: Entity): number | undefined {
  const [groupId = '', campaignId = ''] = ad.parentIds;
  const chain = [ad, entities.ad_groups.get(groupId), entities.campaigns.get(campaignId)];
  const starts = chain.slice(1).map((one) => one?.fields['start_time'] ?? 0);
  const since = Math.max(...[...chain.map((one) => one?.ranSince), ...starts].map(Number));
  const isIdle = reviewOf(ad) !== 'APPROVED' || chain.some((one) => one?.ranSince === undefined);
  return isIdle || !hasStarted(since * 1000) ? undefined : since;
}

/** Days of a request, both inclusive. */
export interface Range {
  first: string;
  last: string;
}

/** The sum of some ads over a range; undefined without delivery. */
export function sumOver(sandbox: SandboxState, ads: readonly Entity[], { first, last }: Range): Figures | undefined {
  const sum = noFigures();
  for (const ad of ads) addFigures(sum, sandbox.figures.between(planOf(sandbox, ad), periodOfDays(first, last)));
  return hasDelivery(sum) ? sum : undefined;
}

/** The same by the values of a breakdown, which are split day by day, so that days add up to the range. */
export function sumBy(
  sandbox: SandboxState,
  ads: readonly Entity[],
  { first, last }: Range,
  parts: readonly Part[],
): [value: string, Figures][] {
  const sums = new Map(parts.map(({ value }) => [value, noFigures()]));
  for (const ad of ads) {
    const plan = planOf(sandbox, ad);
    for (const day of daysIn(first, last))
      for (const { values, figures } of splitFigures(
        sandbox.figures.between(plan, periodOfDay(day)),
        [parts],
        `${ad.id} ${day}`,
      ))
        addFigures(sums.get(values[0] ?? '') ?? noFigures(), figures);
  }
  return [...sums].filter(([, figures]) => hasDelivery(figures));
}
