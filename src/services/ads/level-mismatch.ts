import type { UpdateAdInput } from '../../contract/ad-update.ts';
import { AppError, type ErrorCode } from '../../contract/error.ts';
import { capabilityOf } from '../../contract/platforms.ts';
import type { BudgetPlacement } from '../../platforms/platform.ts';
import type { Ctx } from '../context.ts';
import { recordBudget } from './record-settings.ts';
import type { UpdateSubject } from './set-ad-status.ts';

interface Asked {
  placement: BudgetPlacement;
  requested: Pick<UpdateAdInput, 'budgetAmount' | 'endDate'>;
}

/** Throws if budget or end date are carried by a campaign and shared with other ad sets or campaigns. */
export async function requireOwnLevel(
  ctx: Ctx,
  subject: UpdateSubject,
  { placement, requested }: Asked,
): Promise<void> {
  const { level, endLevel, hasOtherAdSets, isShared = false } = placement;
  const isForeign = level === 'campaign' && (hasOtherAdSets || isShared);
  if (requested.budgetAmount !== undefined && isForeign) throw await budgetElsewhere(ctx, subject, placement);
  if (requested.endDate === undefined || endLevel !== 'campaign' || !hasOtherAdSets) return;
  const message =
    'The campaign carries the end date for all of its ad sets: change it on the campaign, at the platform';
  throw mismatch('schedule_level_mismatch', message, { subject, param: 'endDate', details: { level: endLevel } });
}

/** The error that names the level of the budget; also records it. */
export async function budgetElsewhere(ctx: Ctx, subject: UpdateSubject, placement: BudgetPlacement): Promise<AppError> {
  const { level, budget, isShared = false } = placement;
  if (!isSpread(subject, placement)) await recordBudget(ctx, subject.ad, placement);
  const { currency } = subject.ref.adAccount;
  const details = {
    level,
    shared: isShared,
    budget: budget ? { amount: budget.amount, currency, type: budget.type } : null,
  };
  return mismatch('budget_level_mismatch', messageOf(placement), { subject, param: 'budgetAmount', details });
}

const isSpread = ({ ad, target }: UpdateSubject, { budget, isShared = false }: BudgetPlacement): boolean =>
  capabilityOf(target.adapter.platform).spreadsLifetimeBudgets !== undefined &&
  !isShared &&
  ad.settings.budget?.type === 'lifetime' &&
  budget?.type === 'daily';

function messageOf({ level, isShared }: BudgetPlacement): string {
  if (level === 'ad_set') return 'The ad set carries the budget, and the platform did not accept the new one';
  if (isShared) return 'Several campaigns share the budget: change the shared budget at the platform';
  return 'The campaign carries the budget for all of its ad sets: change it on the campaign, at the platform';
}

interface Mismatch {
  subject: UpdateSubject;
  param: string;
  details: Record<string, unknown>;
}

function mismatch(code: ErrorCode, message: string, { subject, param, details }: Mismatch): AppError {
  const { campaignId, adSetId } = subject.ref;
  const { platform } = subject.target.adapter;
  return new AppError(code, message, { param, platform, details: { ...details, campaignId, adSetId } });
}
