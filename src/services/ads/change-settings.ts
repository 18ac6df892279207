import type { UpdateAdInput } from '../../contract/ad-update.ts';
import type { Warning } from '../../contract/common.ts';
import { AppError, invalidInput, type Problem } from '../../contract/error.ts';
import { capabilityOf } from '../../contract/platforms.ts';
import type { Budget, BudgetLevel, BudgetPlacement, LevelChange } from '../../platforms/platform.ts';
import { callPlatform } from '../accounts/call-platform.ts';
import type { Ctx } from '../context.ts';
import { minimumOf } from './check-money.ts';
import { budgetElsewhere, requireOwnLevel } from './level-mismatch.ts';
import { recordBudget, recordEnd } from './record-settings.ts';
import type { UpdateSubject } from './set-ad-status.ts';

/** A change of budget or end date, and the level that carries them. */
export type PlannedSettings = Pick<LevelChange, 'budget' | 'endDate' | 'currentBudget'> & {
  placement: BudgetPlacement;
};

type RequestedSettings = Pick<UpdateAdInput, 'budgetAmount' | 'endDate'>;

/** Validates a change against the platform's current state; undefined if neither budget nor end date changes. */
export async function planSettings(
  ctx: Ctx,
  subject: UpdateSubject,
  requested: RequestedSettings,
): Promise<PlannedSettings | undefined> {
  const { budgetAmount: amount, endDate } = requested;
  if (amount === undefined && endDate === undefined) return undefined;
  const placement = await readBudget(ctx, subject);
  await requireOwnLevel(ctx, subject, { placement, requested });
  const currentBudget = await readCurrentBudget(ctx, subject, placement);
  if (amount !== undefined && !currentBudget)
    throw wrong('budgetAmount', 'cannot be changed: the platform reports no budget');
  if (endDate === null && currentBudget?.type === 'lifetime') {
    throw wrong('endDate', 'cannot be removed: a lifetime budget needs an end');
  }
  const problems = tooLittle(requested, { subject, placement, currentBudget });
  if (problems.length > 0) throw invalidInput(problems);
  const budget = amount === undefined || !currentBudget ? undefined : { amount, type: currentBudget.type };
  return { budget, endDate, currentBudget, placement };
}

const wrong = (path: string, message: string): Error => invalidInput([{ code: 'invalid_field_value', path, message }]);

const readBudget = (ctx: Ctx, { target, ref }: UpdateSubject): Promise<BudgetPlacement> =>
  callPlatform(ctx, target.account, (access) => target.adapter.readBudget(access, ref), 'ad_not_found');

/** The budget as the caller set it: the platform may store a lifetime budget as a daily one. */
async function readCurrentBudget(
  { db }: Ctx,
  { ad, target }: UpdateSubject,
  { budget }: BudgetPlacement,
): Promise<Budget | undefined> {
  const { settings } = await db.ads.findOne({ _id: ad._id }, { settings: 1 }).lean().orFail();
  const recorded =
    settings.budget ?? (await db.adSets.findOne({ _id: ad.adSetRef ?? '' }, { budget: 1 }).lean())?.budget ?? undefined;
  const spreads = capabilityOf(target.adapter.platform).spreadsLifetimeBudgets !== undefined;
  const isSpread = spreads && recorded?.type === 'lifetime';
  return isSpread ? recorded : (budget ?? recorded);
}

/** A changed lifetime budget that the platform stores as a daily one is not a hard limit. */
export function spreadWarnings(
  { target }: UpdateSubject,
  { currentBudget, placement }: Pick<PlannedSettings, 'currentBudget' | 'placement'>,
): Warning[] {
  const { spreadsLifetimeBudgets: message } = capabilityOf(target.adapter.platform);
  const isSpread = currentBudget?.type === 'lifetime' && placement.budget?.type === 'daily';
  return message !== undefined && isSpread ? [{ param: 'budgetAmount', message }] : [];
}

interface BudgetCheck {
  subject: UpdateSubject;
  placement: BudgetPlacement;
  currentBudget: Budget | undefined;
}

/** Checks the minimum for the new run: a longer one may need more than the current budget. */
function tooLittle(
  { budgetAmount, endDate }: RequestedSettings,
  { subject, placement, currentBudget }: BudgetCheck,
): Problem[] {
  const { ad, target, ref } = subject;
  const amount = budgetAmount ?? (endDate ? currentBudget?.amount : undefined);
  if (amount === undefined) return [];
  const { startDate } = ad.settings;
  const said = minimumOf(capabilityOf(target.adapter.platform), {
    amount,
    type: currentBudget?.type,
    level: placement.level,
    adAccount: ref.adAccount,
    from: startDate === undefined ? undefined : new Date(startDate),
    endDate: endDate ?? ad.settings.endDate,
  });
  const code = 'invalid_field_value';
  return said.map((message) =>
    budgetAmount === undefined
      ? { code, path: 'endDate', message: `is too late for the budget of ${amount}: it ${message}` }
      : { code, path: 'budgetAmount', message },
  );
}

interface Change {
  settings: PlannedSettings;
  write: (level: BudgetLevel, change: LevelChange) => Promise<void>;
}

/** Changes the platform, verifies that the change took effect, and records it. */
export async function changeSettings(ctx: Ctx, subject: UpdateSubject, { settings, write }: Change): Promise<void> {
  const { budget, endDate, placement } = settings;
  const isApart = budget !== undefined && endDate !== undefined && placement.level !== placement.endLevel;
  if (!isApart) return changeTogether(ctx, subject, { settings, write });
  // They belong to two objects, so these are two writes, and the second may fail after the first.
  await changeTogether(ctx, subject, { settings: { ...settings, endDate: undefined }, write });
  await changeTogether(ctx, subject, { settings: { ...settings, budget: undefined }, write });
}

async function changeTogether(ctx: Ctx, subject: UpdateSubject, { settings, write }: Change): Promise<void> {
  const { budget, endDate, currentBudget, placement } = settings;
  const level = budget ? placement.level : placement.endLevel;
  await write(level, { budget, endDate, currentBudget }).catch(async (error: unknown) => {
    // The rejection may be caused by a level that changed since it was read.
    if (budget && isRefusal(error)) await requireUnmoved(ctx, subject, settings, error);
    throw error;
  });
  if (endDate !== undefined) await recordEnd(ctx, subject.ad, { endDate, level: placement.endLevel });
  if (!budget) return;
  if (subject.target.adapter.ignoresForeignBudgets) await requireUnmoved(ctx, subject, settings);
  await recordBudget(ctx, subject.ad, { ...placement, budget });
}

const isRefusal = (error: unknown): boolean => error instanceof AppError && error.status === 400;

/** Reads the budget again; throws if its level has changed or if the write had no effect. */
async function requireUnmoved(
  ctx: Ctx,
  subject: UpdateSubject,
  { budget, placement }: PlannedSettings,
  refusal?: unknown,
) {
  const now = await readBudget(ctx, subject).catch((error: unknown) => {
    throw refusal ?? error;
  });
  const isMoved = now.level !== placement.level;
  const isIgnored = refusal === undefined && now.budget?.amount !== budget?.amount;
  if (isMoved || isIgnored) throw await budgetElsewhere(ctx, subject, now);
}
