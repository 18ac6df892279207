import type { StoredBudget } from '../../models/campaign.ts';
import type { BudgetLevel, SwitchStatus } from '../../platforms/platform.ts';
import { requireWithinLimits, type BudgetChange, type ChangingCampaign } from '../budget-limits/within-limits.ts';
import type { Ctx } from '../context.ts';
import type { PlannedSettings } from './change-settings.ts';
import type { LevelSubject, RecordedTerms } from './level-subject.ts';

interface Requested {
  budgetAmount?: number;
  status?: SwitchStatus;
}

export const changingCampaign = ({ target: { account }, ref }: LevelSubject): ChangingCampaign => ({ account, ...ref });

/** What a planned change activates and sets, for the budget limits. */
export function plannedChange(
  { kind, ref }: LevelSubject,
  { status }: Requested,
  settings: PlannedSettings | undefined,
): BudgetChange {
  const { budget, endDate, currentBudget, placement } = settings ?? {};
  return {
    ...switchOf(kind, status),
    platformAdSetId: ref.adSetId ?? placement?.onlyAdSetId,
    ...(endDate !== undefined && { restarts: placement?.endLevel }),
    ...(budget && placement && budgetOf(placement.level, budget, currentBudget)),
  };
}

/** Checks the limits with what is recorded, before the platform is asked which level carries the budget. */
export async function requireWithinRecorded(
  ctx: Ctx,
  subject: LevelSubject,
  { budgetAmount: amount, status }: Requested,
  { budget: recorded }: RecordedTerms,
): Promise<void> {
  const { kind, ref, ad } = subject;
  const level = kind === 'campaign' ? 'campaign' : (ad?.settings.budgetLevel ?? 'ad_set');
  const budget = amount === undefined || !recorded ? undefined : { amount, type: recorded.type };
  if (!budget && status !== 'ACTIVE') return;
  await requireWithinLimits(ctx, changingCampaign(subject), {
    ...switchOf(kind, status),
    platformAdSetId: ref.adSetId,
    ...(budget && budgetOf(level, budget, recorded)),
  });
}

const budgetOf = (level: BudgetLevel, value: StoredBudget, current: StoredBudget | undefined): BudgetChange => ({
  budget: { level, value },
  was: current?.amount,
});

const switchOf = (kind: LevelSubject['kind'], status: SwitchStatus | undefined): BudgetChange => ({
  ...(status === 'ACTIVE' && { activates: kind }),
  ...(status === 'PAUSED' && { pauses: kind }),
});
