import type { CreateAdInput } from '../../contract/ad.ts';
import type { Problem } from '../../contract/error.ts';
import type { Capability } from '../../contract/platforms.ts';
import type { AdFacts } from './check-ad.ts';

const dayMs = 86_400_000;
const wrong = (path: string, message: string): Problem => ({ code: 'invalid_field_value', path, message });

/** Currency, precision and minimum of the amounts, all in whole units of the ad account's currency. */
export function checkMoney(input: CreateAdInput, { budgetMinimum }: Capability, facts: AdFacts): Problem[] {
  const { currency } = facts.adAccount;
  const problems: Problem[] = [];
  if (input.currency && input.currency !== currency) {
    problems.push(wrong('currency', `is ${input.currency}, but the ad account is kept in ${currency}`));
  }
  const digits = Math.round(Math.log10(facts.currencyFactor(currency)));
  for (const field of ['budgetAmount', 'bidAmount'] as const) {
    const amount = input[field];
    if (amount !== undefined && decimalsOf(amount) > digits) {
      problems.push(wrong(field, digits === 0 ? `${currency} has no fractions` : `${currency} has at most ${digits} decimals`));
    }
  }
  const minimum = budgetMinimum.amount * (budgetMinimum.perDay && input.budgetType === 'lifetime' ? daysOf(input, facts.now) : 1);
  if (input.budgetAmount !== undefined && input.budgetAmount < minimum) {
    problems.push(wrong('budgetAmount', `must be at least ${minimum} ${currency}`));
  }
  return problems;
}

/** Decimals as written: 10.005 has three. No arithmetic, so nothing is rounded. */
export function decimalsOf(amount: number): number {
  const [digits = '', exponent = '0'] = String(amount).split('e');
  return Math.max(0, (digits.split('.')[1] ?? '').length - Number(exponent));
}

const daysOf = ({ endDate }: CreateAdInput, now: Date): number =>
  endDate ? Math.max(1, Math.ceil((new Date(endDate).getTime() - now.getTime()) / dayMs)) : 1;
