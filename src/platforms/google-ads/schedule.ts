import type { CreateAdInput } from '../../contract/ad-input.ts';
import { platforms } from '../../contract/platforms.ts';
import type { OrderFacts, OrderProblem } from '../platform.ts';
import { channelOf } from './goals.ts';
import { dayEndBy, daysBetween } from './time.ts';

/** How many days a campaign with a total budget runs. */
const totalBudgetDays = { least: 3, most: 90 };

/** Only search campaigns take a total budget; any other lifetime budget is spread over the days. */
export function isSpread(input: CreateAdInput, { adAccount: { timezone }, now }: OrderFacts): boolean {
  if (input.budgetType !== 'lifetime' || input.endDate === undefined) return false;
  const days = daysBetween(now, dayEndBy(new Date(input.endDate), timezone), timezone);
  return channelOf(input) !== 'SEARCH' || days < totalBudgetDays.least || days > totalBudgetDays.most;
}

export const spreadWarning: OrderProblem = { path: 'budgetAmount', message: platforms.B.spreadsLifetimeBudgets };

export const warningsOf = (input: CreateAdInput, facts: OrderFacts): OrderProblem[] =>
  isSpread(input, facts) ? [spreadWarning] : [];
