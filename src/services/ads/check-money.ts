import type { CreateAdInput } from '../../contract/ad.ts';
import type { Capability } from '../../contract/capability.ts';
import type { Problem } from '../../contract/error.ts';
import type { AdFacts } from './ad-facts.ts';

const dayMs = 86_400_000;
const wrong = (path: string, message: string): Problem => ({ code: 'invalid_field_value', path, message });

/** Currency, precision and minimum of the amounts, all in whole units of the ad account's currency. */
export const checkMoney = (input: CreateAdInput, row: Capability, facts: AdFacts): Problem[] => [
  ...otherCurrency(input, facts),
  ...tooPrecise(input, facts),
  ...tooLittle(input, row, facts),
];

function otherCurrency({ currency }: CreateAdInput, { adAccount }: AdFacts): Problem[] {
  if (!currency || currency === adAccount.currency) return [];
  return [wrong('currency', `is ${currency}, but the ad account is kept in ${adAccount.currency}`)];
}

function tooPrecise(input: CreateAdInput, { adAccount: { currency }, currencyFactor }: AdFacts): Problem[] {
  const digits = Math.round(Math.log10(currencyFactor(currency)));
  const message = digits === 0 ? `${currency} has no fractions` : `${currency} has at most ${digits} decimals`;
  return (['budgetAmount', 'bidAmount'] as const)
    .filter((field) => decimalsOf(input[field] ?? 0) > digits)
    .map((field) => wrong(field, message));
}

/** A platform with a minimum for each day wants it of a lifetime budget on average. */
function tooLittle({ budgetAmount, budgetType, endDate }: CreateAdInput, row: Capability, facts: AdFacts): Problem[] {
  const { amount, perDay } = row.budgetMinimum;
  const { currency } = facts.adAccount;
  const days = perDay && budgetType === 'lifetime' && endDate ? daysUntil(endDate, facts.now) : 1;
  if (budgetAmount === undefined || budgetAmount >= amount * days) return [];
  const average = days > 1 ? `, ${amount} a day over ${days} days` : '';
  return [wrong('budgetAmount', `must be at least ${amount * days} ${currency}${average}`)];
}

/** Decimals as written: 10.005 has three. No arithmetic, so nothing is rounded. */
export function decimalsOf(amount: number): number {
  const [digits = '', exponent = '0'] = String(amount).split('e');
  return Math.max(0, (digits.split('.')[1] ?? '').length - Number(exponent));
}

const daysUntil = (endDate: string, now: Date): number =>
  Math.max(1, Math.ceil((new Date(endDate).getTime() - now.getTime()) / dayMs));
