import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { Capability } from '../../contract/capability.ts';
import { budgetLevelOf } from '../../contract/platforms.ts';
import { invalidValue, type Problem } from '../../contract/error.ts';
import { daysBetween as calendarDays } from '../../lib/account-time.ts';
import type { AdAccount, BudgetLevel } from '../../platforms/platform.ts';
import type { AdCheckContext } from './ad-check-context.ts';

const dayMs = 86_400_000;
/** Currency, precision and minimum of the amounts, all in whole units of the ad account's currency. */
export const checkMoney = (input: CreateAdInput, row: Capability, facts: AdCheckContext): Problem[] => [
  ...otherCurrency(input, facts),
  ...tooPrecise(input, facts),
  ...tooLittle(input, row, facts),
  ...bidAboveBudget(input, row),
];

function bidAboveBudget({ bidAmount, budgetAmount }: CreateAdInput, { bidBelowBudget }: Capability): Problem[] {
  if (!bidBelowBudget || bidAmount === undefined || budgetAmount === undefined || bidAmount < budgetAmount) return [];
  return [invalidValue('bidAmount', `must be lower than the budget of ${budgetAmount}`)];
}

function otherCurrency({ currency }: CreateAdInput, { adAccount }: AdCheckContext): Problem[] {
  if (!currency || currency === adAccount.currency) return [];
  return [invalidValue('currency', `is ${currency}, but the ad account is kept in ${adAccount.currency}`)];
}

function tooPrecise(input: CreateAdInput, { adAccount: { currency }, currencyFactor }: AdCheckContext): Problem[] {
  return (['budgetAmount', 'bidAmount'] as const).flatMap((field) =>
    precisionProblems(field, input[field] ?? 0, { currency, factor: currencyFactor(currency) }),
  );
}

/** The problem with an amount that has more decimals than its currency. */
export function precisionProblems(
  field: string,
  amount: number,
  { currency, factor }: { currency: string; factor: number },
): Problem[] {
  const digits = Math.round(Math.log10(factor));
  const message = digits === 0 ? `${currency} has no fractions` : `${currency} has at most ${digits} decimals`;
  return decimalsOf(amount) > digits ? [invalidValue(field, message)] : [];
}

function tooLittle(
  { budgetAmount, budgetType, budgetLevel, startDate, endDate }: CreateAdInput,
  row: Capability,
  facts: AdCheckContext,
): Problem[] {
  if (budgetAmount === undefined) return [];
  const { platform, adAccount, now } = facts;
  const level = budgetLevelOf(platform, budgetLevel);
  const from = startDate === undefined ? now : new Date(startDate);
  const spending = { amount: budgetAmount, type: budgetType, level, adAccount, from, endDate };
  return minimumOf(row, spending).map((message) => invalidValue('budgetAmount', message));
}

export interface Spending {
  amount: number;
  type?: 'daily' | 'lifetime';
  /** The level that carries it; the ad set by default. */
  level?: BudgetLevel;
  adAccount: Pick<AdAccount, 'currency' | 'minDailyBudget' | 'timezone'>;
  /** When it begins, where that is known. */
  from?: Date;
  endDate?: string;
}

/** The problem with a budget below the minimum; a lifetime budget must have the daily minimum for each day of the run. */
export function minimumOf(row: Capability, { amount, type, level, adAccount, from, endDate }: Spending): string[] {
  const { currency, minDailyBudget, timezone } = adAccount;
  const { amount: usual, ofCampaign = usual, inCurrency } = row.budgetMinimum;
  const listed = inCurrency?.[currency] ?? (level === 'campaign' ? ofCampaign : usual);
  // The platform's minimum for the ad account takes precedence over the table.
  const least = minDailyBudget ?? listed;
  const daysBetween = (start: Date, end: Date): number =>
    row.startPrecision === 'day' ? calendarDays(start, end, timezone) : elapsedDays(start, end);
  const days = type === 'lifetime' && from && endDate ? daysBetween(from, new Date(endDate)) : 1;
  const average = days > 1 ? `, ${least} a day over ${days} days` : '';
  return amount < least * days ? [`must be at least ${least * days} ${currency}${average}`] : [];
}

/** Decimals as written: 10.005 has three. No arithmetic, so nothing is rounded. */
export function decimalsOf(amount: number): number {
  const [digits = '', exponent = '0'] = String(amount).split('e');
  return Math.max(0, (digits.split('.')[1] ?? '').length - Number(exponent));
}

const elapsedDays = (start: Date, end: Date): number =>
  Math.max(1, Math.ceil((end.getTime() - start.getTime()) / dayMs));
