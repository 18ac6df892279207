import type { Warning } from '../../contract/common.ts';
import { AppError, invalidField, invalidInput, type Problem } from '../../contract/error.ts';
import { capabilityOf } from '../../contract/platforms.ts';
import type { Budget, BudgetLevel, BudgetPlacement, LevelChange } from '../../platforms/platform.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import type { Ctx } from '../context.ts';
import { minimumOf } from './check-money.ts';
import { budgetChanged, budgetElsewhere, requireOwnLevel, type RequestedSettings } from './level-mismatch.ts';
import type { LevelSubject, RecordedTerms } from './level-subject.ts';
import { recordBudget, recordEnd, touchRecords } from './record-settings.ts';
import { notFound, writeLevel } from './write-level.ts';

/** A change of budget or end date, and the level that carries them. */
export type PlannedSettings = Pick<LevelChange, 'budget' | 'endDate' | 'currentBudget'> & {
  placement: BudgetPlacement;
  recorded: RecordedTerms;
};

/** Validates a change against the platform's current state; undefined if neither budget nor end date changes. */
export async function planSettings(
  ctx: Ctx,
  subject: LevelSubject,
  { requested, recorded }: { requested: RequestedSettings; recorded: RecordedTerms },
): Promise<PlannedSettings | undefined> {
  const { budgetAmount: amount, endDate, expectedBudgetAmount: expected } = requested;
  if (amount === undefined && endDate === undefined && expected === undefined) return undefined;
  const placement = await readBudget(ctx, subject);
  await requireOwnLevel(ctx, subject, { placement, requested, recorded });
  const currentBudget = currentOf(subject, placement, recorded);
  // A repetition of the same request may find the budget that it has set itself, and no other.
  const accepted = ctx.isFirstAttempt === false ? [expected, amount] : [expected];
  if (expected !== undefined && !accepted.includes(currentBudget?.amount))
    throw budgetChanged(subject, placement.level, currentBudget);
  if (amount !== undefined && !currentBudget)
    throw invalidField('budgetAmount', 'cannot be changed: the platform reports no budget');
  if (endDate === null && currentBudget?.type === 'lifetime') {
    throw invalidField('endDate', 'cannot be removed: a lifetime budget needs an end');
  }
  const problems = tooLittle(requested, { subject, placement, currentBudget, recorded });
  if (problems.length > 0) throw invalidInput(problems);
  const budget = amount === undefined || !currentBudget ? undefined : { amount, type: currentBudget.type };
  return { budget, endDate, currentBudget, placement, recorded };
}

const readBudget = (ctx: Ctx, subject: LevelSubject): Promise<BudgetPlacement> =>
  callPlatform(
    ctx,
    subject.target.account,
    (access) => subject.target.adapter.readBudget(access, subject.ref),
    notFound[subject.kind],
  );

/** The budget as the caller set it: the platform may store a lifetime budget as a daily one. */
function currentOf(
  { target }: LevelSubject,
  { budget }: BudgetPlacement,
  { budget: recorded }: RecordedTerms,
): Budget | undefined {
  const spreads = capabilityOf(target.adapter.platform).spreadsLifetimeBudgets !== undefined;
  return spreads && recorded?.type === 'lifetime' ? recorded : (budget ?? recorded);
}

/** What the platform makes of the change: a lifetime budget that it stores as a daily one, a budget that counts later. */
export function budgetWarnings(
  { target }: LevelSubject,
  { budget, currentBudget, placement }: PlannedSettings,
): Warning[] {
  const { spreadsLifetimeBudgets, lowerDailyBudget } = capabilityOf(target.adapter.platform);
  const isSpread = currentBudget?.type === 'lifetime' && placement.budget?.type === 'daily';
  const isLower = budget?.type === 'daily' && budget.amount < (currentBudget?.amount ?? 0);
  const messages = [isSpread && spreadsLifetimeBudgets, isLower && lowerDailyBudget];
  return messages.flatMap((message) => (message ? [{ param: 'budgetAmount', message }] : []));
}

interface BudgetCheck {
  subject: LevelSubject;
  placement: BudgetPlacement;
  currentBudget: Budget | undefined;
  recorded: RecordedTerms;
}

/** Checks the minimum for the new run: a longer one may need more than the current budget. */
function tooLittle(
  { budgetAmount, endDate }: RequestedSettings,
  { subject, placement, currentBudget, recorded }: BudgetCheck,
): Problem[] {
  const { target, ref } = subject;
  const amount = budgetAmount ?? (endDate ? currentBudget?.amount : undefined);
  if (amount === undefined) return [];
  const { startDate } = recorded;
  const problems = minimumOf(capabilityOf(target.adapter.platform), {
    amount,
    type: currentBudget?.type,
    level: placement.level,
    adAccount: ref.adAccount,
    from: startDate === undefined ? undefined : new Date(startDate),
    endDate: endDate ?? recorded.endDate,
  });
  const code = 'invalid_field_value';
  return problems.map((message) =>
    budgetAmount === undefined
      ? { code, path: 'endDate', message: `is too late for the budget of ${amount}: it ${message}` }
      : { code, path: 'budgetAmount', message },
  );
}

/** Changes the platform, verifies that the change took effect, and records it. Adds to `done` what has been changed. */
export async function changeSettings(
  ctx: Ctx,
  subject: LevelSubject,
  settings: PlannedSettings,
  done: string[] = [],
): Promise<void> {
  const { budget, endDate, currentBudget, placement } = settings;
  const isApart = budget !== undefined && endDate !== undefined && placement.level !== placement.endLevel;
  if (!isApart) return changeTogether(ctx, subject, settings);
  // They belong to two objects, so these are two writes, and the second may fail after the first: never spend more meanwhile.
  const parts = [
    { ...settings, endDate: undefined },
    { ...settings, budget: undefined },
  ];
  const isLess = currentBudget?.type === 'lifetime' && budget.amount < currentBudget.amount;
  for (const part of isLess ? parts.toReversed() : parts) {
    await changeTogether(ctx, subject, part);
    done.push(part.budget ? 'budgetAmount' : 'endDate');
  }
}

async function changeTogether(ctx: Ctx, subject: LevelSubject, settings: PlannedSettings): Promise<void> {
  const { budget, endDate, currentBudget, placement } = settings;
  if (!budget && endDate === undefined) return;
  const level: BudgetLevel = budget ? placement.level : placement.endLevel;
  const adSetId = subject.ref.adSetId ?? placement.onlyAdSetId;
  const carrier = { ...subject, ref: { ...subject.ref, ...(adSetId && { adSetId }) } };
  await touchRecords(ctx, carrier);
  await writeLevel(ctx, carrier, level, { budget, endDate, currentBudget }).catch(async (error: unknown) => {
    // The rejection may be caused by a level that changed since it was read.
    if (budget && isRefusal(error)) await requireUnmoved(ctx, subject, settings, error);
    throw error;
  });
  if (endDate !== undefined)
    await recordEnd(ctx, carrier, { endDate, level: placement.endLevel, ends: placement.ends });
  if (!budget) return;
  if (subject.target.adapter.ignoresForeignBudgets) await requireUnmoved(ctx, subject, settings);
  await recordBudget(ctx, carrier, { level: placement.level, budget, source: 'api' });
}

const isRefusal = (error: unknown): boolean => error instanceof AppError && error.status === 400;

/** Reads the budget again; throws if its level has changed or if the write had no effect. */
async function requireUnmoved(
  ctx: Ctx,
  subject: LevelSubject,
  { budget, placement, recorded }: PlannedSettings,
  refusal?: unknown,
): Promise<void> {
  const now = await readBudget(ctx, subject).catch((error: unknown) => {
    throw refusal ?? error;
  });
  const isMoved = now.level !== placement.level;
  const isIgnored = refusal === undefined && now.budget?.amount !== budget?.amount;
  if (isMoved || isIgnored) throw await budgetElsewhere(ctx, subject, { placement: now, recorded });
}
