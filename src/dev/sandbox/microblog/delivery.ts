import { sumOf, type Figures } from '../figures/figures.ts';
import type { Plan } from '../figures/plan.ts';
import type { Kind, SandboxState, Thing } from './state.ts';

/** Tweets and criteria deliver nothing themselves. */
const delivering: Kind[] = ['campaign', 'line_item', 'promoted_tweet'];

/** Records whenever an object is added or changed whether it delivers from then on. */
export function withDelivery(sandbox: SandboxState): SandboxState {
  const recorded = (thing: Thing): Thing => {
    recordDelivery(sandbox, thing);
    return thing;
  };
  return {
    ...sandbox,
    add: (made) => recorded(sandbox.add(made)),
    change: (thing, change) => recorded(sandbox.change(thing, change)),
  };
}

/** Ads share the budget of their line item. */
function recordDelivery(sandbox: SandboxState, thing: Thing): void {
  if (!delivering.includes(thing.kind)) return;
  const { fields, isDeleted, kind } = thing;
  const isOn = fields['entity_status'] === 'ACTIVE' && !isDeleted;
  const start = Date.parse(fields['start_time'] ?? '');
  const from = start > sandbox.figures.now() ? start : undefined;
  if (kind !== 'promoted_tweet') sandbox.figures.record(thing.id, { isOn, from });
  const item = kind === 'promoted_tweet' ? sandbox.things.get(thing.parentId) : thing;
  if (item?.kind === 'line_item') recordShares(sandbox, item);
}

function recordShares(sandbox: SandboxState, item: Thing): void {
  const ads = thingsBelow(sandbox, item);
  const isOn = ({ fields, isDeleted }: Thing): boolean => fields['entity_status'] === 'ACTIVE' && !isDeleted;
  const running = ads.filter(isOn).length;
  const budget = Number(item.fields['daily_budget_amount_local_micro']);
  const dailyBudget = budget > 0 ? Math.floor(budget / Math.max(1, running)) : undefined;
  for (const ad of ads) sandbox.figures.record(ad.id, { isOn: isOn(ad), dailyBudget });
}

function thingsBelow(sandbox: SandboxState, { kind, id }: Thing): Thing[] {
  const below = kind === 'campaign' ? 'line_item' : 'promoted_tweet';
  return sandbox.below(below, id).flatMap((childId) => sandbox.things.get(childId) ?? []);
}

/** The ads of an object, deleted ones included. */
export const adsOf = (sandbox: SandboxState, thing: Thing): Thing[] =>
  thing.kind === 'promoted_tweet' ? [thing] : thingsBelow(sandbox, thing).flatMap((child) => adsOf(sandbox, child));

/** What the figures of an ad depend on; nothing is delivered after the end of its line item. */
export function planOf(sandbox: SandboxState, ad: Thing): Plan {
  const item = sandbox.things.get(ad.parentId);
  const end = Date.parse(item?.fields['end_time'] ?? '');
  const chain = [ad.id, ad.parentId, item?.parentId ?? ''];
  const spans = sandbox.figures
    .spansOf(chain)
    .map((span) => (span.until === undefined || span.until > end ? { ...span, ...(end > 0 && { until: end }) } : span))
    .filter(({ from, until }) => until === undefined || from < until);
  return sandbox.figures.planOf({ id: ad.id, spans });
}

export const figuresOf = (sandbox: SandboxState, thing: Thing, period: { from: number; until: number }): Figures =>
  sumOf(adsOf(sandbox, thing).map((ad) => sandbox.figures.between(planOf(sandbox, ad), period)));
