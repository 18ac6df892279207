import type { CreateAdInput } from '../../contract/ad-input.ts';
import { platforms } from '../../contract/platforms.ts';
import type { AdOrder, OrderFacts, OrderProblem } from '../platform.ts';
import { channelOf } from './goals.ts';
import { dayEndBy, dayStartFrom, daysBetween } from '../../lib/account-time.ts';

/** How many days a campaign with a total budget runs. */
const totalBudgetDays = { least: 3, most: 90 };

/** Only search campaigns take a total budget; any other lifetime budget is spread over the days. */
export function isSpread(
  input: CreateAdInput,
  { adAccount: { timezone }, from }: Pick<OrderFacts, 'adAccount'> & { from: Date },
): boolean {
  if (input.budgetType !== 'lifetime' || input.endDate === undefined) return false;
  const days = daysBetween(from, dayEndBy(new Date(input.endDate), timezone), timezone);
  return channelOf(input) !== 'SEARCH' || days < totalBudgetDays.least || days > totalBudgetDays.most;
}

export const spreadWarning: OrderProblem = { path: 'budgetAmount', message: platforms.B.spreadsLifetimeBudgets };

export const warningsOf = (input: CreateAdInput, { adAccount, now }: OrderFacts): OrderProblem[] => {
  const from = input.startDate === undefined ? now : new Date(input.startDate);
  return isSpread(input, { adAccount, from }) ? [spreadWarning] : [];
};

/** The first day of a campaign with a requested start; of an order that comes too late, the next day of the account. */
export function firstDayOf({ input, adAccount: { timezone } }: AdOrder, now: Date): Date | undefined {
  if (input.startDate === undefined) return undefined;
  const requested = new Date(input.startDate);
  return dayStartFrom(requested > now ? requested : now, timezone);
}
