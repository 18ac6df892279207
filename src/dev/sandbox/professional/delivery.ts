import { sumOf, type Figures } from '../figures/figures.ts';
import { hashOf } from '../figures/noise.ts';
import type { Plan } from '../figures/plan.ts';
import { hasStarted } from '../started.ts';
import { startOf } from './read.ts';
import { entityAt, keyOf, urnOf, type Entity, type SandboxState } from './state.ts';

const isActive = ({ kind, fields, isRemoved }: Entity): boolean =>
  fields[kind === 'creative' ? 'intendedStatus' : 'status'] === 'ACTIVE' && !isRemoved;

/** Records whenever an entity is saved whether it delivers from then on. */
export const withDelivery = (sandbox: SandboxState): SandboxState => ({
  ...sandbox,
  save(entity) {
    sandbox.save(entity);
    recordDelivery(sandbox, entity);
  },
});

/** Creatives share the budget of their campaign. */
function recordDelivery(sandbox: SandboxState, entity: Entity): void {
  const { figures } = sandbox;
  const start = startOf(entity);
  const from = start > figures.now() ? start : undefined;
  if (entity.kind !== 'creative') figures.record(entity.id, { isOn: isActive(entity), from });
  const campaign = entity.kind === 'creative' ? campaignOf(sandbox, entity) : entity;
  if (campaign?.kind !== 'campaign') return;
  const creatives = sandbox.below(keyOf.parent(urnOf(campaign))).flatMap((id) => sandbox.entities.get(id) ?? []);
  const budget = Number((campaign.fields['dailyBudget'] as { amount?: string } | undefined)?.amount);
  const share = Math.floor((budget * 1_000_000) / Math.max(1, creatives.filter(isActive).length));
  for (const creative of creatives)
    figures.record(creative.id, { isOn: isActive(creative), ...(share > 0 && { dailyBudget: share }) });
}

export const campaignOf = (sandbox: SandboxState, { fields }: Entity): Entity | undefined =>
  sandbox.entities.get(String(fields['campaign']).split(':').at(-1) ?? '');

/** What the figures of a creative depend on. A few of its figures exist at once, so that they can be seen. */
export function planOf(sandbox: SandboxState, creative: Entity): Plan {
  const { id } = creative;
  const campaign = campaignOf(sandbox, creative);
  const group = entityAt(sandbox, campaign?.fields['campaignGroup'], 'group');
  const groupId = String(campaign?.fields['campaignGroup']).split(':').at(-1) ?? '';
  const spans = sandbox.figures.spansOf([id, campaign?.id ?? '', groupId]);
  const begin = Math.max(campaign ? startOf(campaign) : 0, group ? startOf(group) : 0);
  const plan = { id, spans };
  if (campaign?.runFrom === undefined || !hasStarted(begin)) return sandbox.figures.planOf(plan);
  const [seed, from] = [hashOf(id), Math.max(campaign.runFrom, creative.createdAt, Math.min(begin, Date.now()))];
  const clicks = 1 + (seed % 5);
  const total = { from, impressions: 100 + (seed % 97), clicks, spend: clicks * 850_000 };
  return sandbox.figures.planOf({ ...plan, total });
}

export const figuresOf = (
  sandbox: SandboxState,
  creatives: readonly Entity[],
  period: { from: number; until: number },
): Figures => sumOf(creatives.map((creative) => sandbox.figures.between(planOf(sandbox, creative), period)));
