import type { UpdateAdInput } from '../../contract/ad-update.ts';
import { AppError, type ErrorCode } from '../../contract/error.ts';
import { capabilityOf } from '../../contract/platforms.ts';
import type { Budget, BudgetLevel, BudgetPlacement } from '../../platforms/platform.ts';
import type { Ctx } from '../context.ts';
import type { LevelSubject, RecordedTerms } from './level-subject.ts';
import { recordBudget } from './record-settings.ts';

export type RequestedSettings = Pick<UpdateAdInput, 'budgetAmount' | 'endDate'> & { expectedBudgetAmount?: number };

interface Requested {
  placement: BudgetPlacement;
  requested: RequestedSettings;
  recorded: RecordedTerms;
}

/** Throws if another level than the named one carries the budget or the end date, or if other campaigns share it. */
export async function requireOwnLevel(ctx: Ctx, subject: LevelSubject, { placement, requested, recorded }: Requested) {
  const { budgetAmount, expectedBudgetAmount, endDate } = requested;
  const isAboutBudget = budgetAmount !== undefined || expectedBudgetAmount !== undefined;
  if (isAboutBudget && isBudgetElsewhere(subject, placement))
    throw await budgetElsewhere(ctx, subject, { placement, recorded });
  if (endDate === undefined || !isEndElsewhere(subject, placement)) return;
  const { endLevel } = placement;
  const message =
    endLevel === 'campaign'
      ? 'The campaign carries the end date for all of its ad sets: change it with updateCampaign'
      : 'Each ad set of this campaign has its own end date: change it with updateAdSet';
  throw mismatch('schedule_level_mismatch', message, {
    subject,
    param: 'endDate',
    details: { level: endLevel, use: operationOf[endLevel] },
  });
}

const operationOf: Record<BudgetLevel, string> = { campaign: 'updateCampaign', ad_set: 'updateAdSet' };

/** An ad may change what its campaign carries if no other ad set shares it. */
function isBudgetElsewhere({ kind }: LevelSubject, { level, hasOtherAdSets, isShared = false }: BudgetPlacement) {
  if (kind === 'ad') return level === 'campaign' && (hasOtherAdSets || isShared);
  return kind !== level || isShared;
}

function isEndElsewhere({ kind }: LevelSubject, { endLevel, hasOtherAdSets, onlyAdSetId }: BudgetPlacement): boolean {
  if (kind === 'ad') return endLevel === 'campaign' && hasOtherAdSets;
  return kind === 'campaign' ? endLevel === 'ad_set' && onlyAdSetId === undefined : endLevel === 'campaign';
}

/** The error that names the level of the budget; also records it. */
export async function budgetElsewhere(
  ctx: Ctx,
  subject: LevelSubject,
  { placement, recorded }: Omit<Requested, 'requested'>,
): Promise<AppError> {
  const { level, budget, isShared = false } = placement;
  if (!isSpread(subject, placement, recorded)) await recordBudget(ctx, subject, { ...placement, source: 'platform' });
  return mismatch('budget_level_mismatch', messageOf(placement), {
    subject,
    param: 'budgetAmount',
    details: { level, shared: isShared, budget: shown(subject, budget), ...(!isShared && { use: operationOf[level] }) },
  });
}

/** The error of a budget that is not the expected one. */
export const budgetChanged = (subject: LevelSubject, level: BudgetLevel, budget: Budget | undefined): AppError =>
  mismatch(
    'budget_changed',
    `The budget is ${budget ? `${budget.amount} ${subject.ref.adAccount.currency}` : 'unknown'}: read it again, then decide`,
    { subject, param: 'expectedBudgetAmount', details: { level, budget: shown(subject, budget) } },
  );

const shown = ({ ref }: LevelSubject, budget: Budget | undefined) =>
  budget ? { amount: budget.amount, currency: ref.adAccount.currency, type: budget.type } : null;

function isSpread(
  { target }: LevelSubject,
  { budget, isShared }: BudgetPlacement,
  { budget: recorded }: RecordedTerms,
) {
  const { spreadsLifetimeBudgets } = capabilityOf(target.adapter.platform);
  return spreadsLifetimeBudgets !== undefined && !isShared && budget?.type === 'daily' && recorded?.type === 'lifetime';
}

function messageOf({ level, isShared }: BudgetPlacement): string {
  if (isShared) return 'Several campaigns share the budget: change the shared budget at the platform';
  return level === 'ad_set'
    ? 'The ad sets of this campaign carry the budget: change it with updateAdSet'
    : 'The campaign carries the budget for all of its ad sets: change it with updateCampaign';
}

interface Mismatch {
  subject: LevelSubject;
  param: string;
  details: Record<string, unknown>;
}

function mismatch(code: ErrorCode, message: string, { subject, param, details }: Mismatch): AppError {
  const { campaignId: platformCampaignId, adSetId: platformAdSetId } = subject.ref;
  const { platform } = subject.target.adapter;
  const ids = { platformCampaignId, ...(platformAdSetId && { platformAdSetId }) };
  return new AppError(code, message, { param, platform, details: { ...details, ...ids } });
}
