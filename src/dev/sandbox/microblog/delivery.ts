import { sumOf, type Figures } from '../figures/figures.ts';
import type { Plan } from '../figures/plan.ts';
import { denomination } from './checks.ts';
import type { Kind, SandboxState, Thing } from './state.ts';

/** Tweets and criteria deliver nothing themselves. */
const delivering: Kind[] = ['campaign', 'line_item', 'promoted_tweet'];

/** Records whenever an object is added or changed whether it delivers from then on. */
export function withDelivery(sandbox: SandboxState): SandboxState {
  const recorded = (thing: Thing): Thing => {
    if (delivering.includes(thing.kind)) recordDelivery(sandbox, thing);
    return thing;
  };
  return {
    ...sandbox,
    add: (made) => recorded(sandbox.add(made)),
    change: (thing, change) => recorded(sandbox.change(thing, change)),
  };
}

function recordDelivery({ figures }: SandboxState, { id, fields, isDeleted }: Thing): void {
  const [start, end] = [Date.parse(fields['start_time'] ?? ''), Date.parse(fields['end_time'] ?? '')];
  const budget = Number(fields['daily_budget_amount_local_micro']);
  figures.record(id, {
    isOn: fields['entity_status'] === 'ACTIVE' && !isDeleted,
    ...(start > figures.now() && { from: start }),
    ...(end > 0 && { until: end }),
    ...(budget > 0 && { dailyBudget: budget }),
  });
}

/** The ads of an object, deleted ones included. */
export function adsOf(sandbox: SandboxState, { kind, id }: Pick<Thing, 'kind' | 'id'>): Thing[] {
  if (kind === 'promoted_tweet') return [sandbox.things.get(id)].filter((ad) => ad !== undefined);
  const below = kind === 'campaign' ? 'line_item' : 'promoted_tweet';
  return sandbox.below(below, id).flatMap((childId) => adsOf(sandbox, { kind: below, id: childId }));
}

/** What the figures of an ad depend on. Ads share the budget of their line item. */
export function planOf(sandbox: SandboxState, ad: Thing): Plan {
  const campaignId = sandbox.things.get(ad.parentId)?.parentId ?? '';
  const sharedBy = adsOf(sandbox, { kind: 'line_item', id: ad.parentId }).map(({ createdAt }) => Date.parse(createdAt));
  const spans = sandbox.figures.spansOf([ad.id, ad.parentId, campaignId], sharedBy);
  const unit = denomination(sandbox.accounts.get(ad.accountId)?.currency ?? '');
  return sandbox.figures.planOf({ id: ad.id, spans, unit });
}

/** The figures of an object in a period. */
export function figuresOf(sandbox: SandboxState, thing: Thing): (period: { from: number; until: number }) => Figures {
  const plans = adsOf(sandbox, thing).map((ad) => planOf(sandbox, ad));
  return (period) => sumOf(plans.map((plan) => sandbox.figures.between(plan, period)));
}
