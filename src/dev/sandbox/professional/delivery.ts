import { sumOf, type Figures } from '../figures/figures.ts';
import { hashOf } from '../figures/noise.ts';
import { withFirstHour, type Plan } from '../figures/plan.ts';
import { startOf } from './read.ts';
import { keyOf, urnOf, type Entity, type SandboxState } from './state.ts';

/** Records whenever an entity is saved whether it delivers from then on. */
export const withDelivery = (sandbox: SandboxState): SandboxState => ({
  ...sandbox,
  save(entity) {
    sandbox.save(entity);
    recordDelivery(sandbox, entity);
  },
});

function recordDelivery({ figures }: SandboxState, entity: Entity): void {
  const { id, kind, fields, isRemoved } = entity;
  const start = startOf(entity);
  const { end } = (fields['runSchedule'] ?? {}) as { end?: number };
  const budget = Number((fields['dailyBudget'] as { amount?: string } | undefined)?.amount) * 1_000_000;
  figures.record(id, {
    isOn: fields[kind === 'creative' ? 'intendedStatus' : 'status'] === 'ACTIVE' && !isRemoved,
    ...(start > figures.now() && { from: start }),
    ...(end !== undefined && { until: end }),
    ...(budget > 0 && { dailyBudget: Math.round(budget) }),
  });
}

export const campaignOf = (sandbox: SandboxState, { fields }: Entity): Entity | undefined =>
  sandbox.entities.get(String(fields['campaign']).split(':').at(-1) ?? '');

const wholeUnits = new Set(['CLP', 'JPY', 'KRW', 'VND']);

/** What the figures of a creative depend on. The first ones exist at once, so that they can be seen. */
function planOf(sandbox: SandboxState, creative: Entity): Plan {
  const { id, accountId } = creative;
  const campaign = campaignOf(sandbox, creative);
  const groupId = String(campaign?.fields['campaignGroup']).split(':').at(-1) ?? '';
  const siblings = campaign ? sandbox.below(keyOf.parent(urnOf(campaign))) : [];
  const sharedBy = siblings.flatMap((sibling) => sandbox.entities.get(sibling)?.createdAt ?? []);
  const spans = sandbox.figures.spansOf([id, campaign?.id ?? '', groupId], sharedBy);
  const unit = wholeUnits.has(sandbox.accounts.get(accountId)?.currency ?? '') ? 1_000_000 : 10_000;
  const seed = hashOf(id);
  const clicks = 1 + (seed % 5);
  const first = { impressions: 100 + (seed % 97), clicks, spend: clicks * 85 * unit };
  return sandbox.figures.planOf(withFirstHour({ id, spans, unit }, first, sandbox.figures.now()));
}

/** The figures of these creatives in a period. */
export function figuresOf(
  sandbox: SandboxState,
  creatives: readonly Entity[],
): (period: { from: number; until: number }) => Figures {
  const plans = creatives.map((creative) => planOf(sandbox, creative));
  return (period) => sumOf(plans.map((plan) => sandbox.figures.between(plan, period)));
}
