import { AppError } from '../../contract/error.ts';
import type { LimitName } from '../../contract/budget-limits.ts';
import type { BudgetReservation, ReservedBudget } from '../../models/budget-ledger.ts';
import type { StoredBudget } from '../../models/campaign.ts';
import { campaignRefOf } from '../campaigns/ids.ts';
import { markOf } from '../ads/order.ts';
import type { Services } from '../context.ts';
import { fromMillionths, toMillionths } from './amounts.ts';
import { recordedActiveBudgets } from './active-budgets.ts';
import { reservationIds } from './open-reservations.ts';
import type { Limited } from './parties.ts';

/** Millionths of the currency by the campaign or ad set that has the budget. */
type Amounts = Map<string, bigint>;

/** The budgets that count for a limit: recorded active ones, and reserved ones. */
export async function usedBy(services: Services, limited: Limited, open: BudgetReservation[]): Promise<Amounts> {
  const marks = new Set(reservationIds(open, 'order').map(markOf));
  const copies = await services.db.duplications
    .find({ _id: { $in: reservationIds(open, 'copy') } }, { accountId: 1, copiedCampaignId: 1 })
    .limit(open.length + 1)
    .lean();
  const copied = new Set(copies.map((copy) => campaignRefOf(copy.accountId, copy.copiedCampaignId ?? '')));
  const recorded = await recordedActiveBudgets(
    services.db,
    limited,
    ({ _id, naming }) => copied.has(_id) || (naming ? marks.has(naming.mark) : false),
  );
  return withBudgets(new Map(), [...recorded, ...open.flatMap(({ budgets }) => budgets)]);
}

/** If one campaign or ad set has several amounts, the highest counts. */
function withBudgets(amounts: Amounts, budgets: ReservedBudget[]): Amounts {
  const all = new Map(amounts);
  for (const { carrier, amount } of budgets) {
    const asked = toMillionths(amount);
    const known = all.get(carrier);
    if (known === undefined || asked > known) all.set(carrier, asked);
  }
  return all;
}

const total = (amounts: Amounts): bigint => [...amounts.values()].reduce((sum, amount) => sum + amount, 0n);

/** Throws if the budgets would exceed `maxActiveBudget`. Budgets that add nothing are never refused. */
export function requireSumWithin(
  limited: Limited,
  { used, reservation }: { used: Amounts; reservation: Pick<BudgetReservation, 'budgets'> },
): void {
  const allowed = limited.limits.maxActiveBudget;
  if (allowed === null) return;
  const before = total(used);
  const after = total(withBudgets(used, reservation.budgets));
  if (after === before || after <= toMillionths(allowed)) return;
  const [active, requested] = [fromMillionths(before), fromMillionths(after - before)];
  throw exceeded(limited, { limit: 'maxActiveBudget', allowed, used: active, requested });
}

/** Throws if a single budget is above its limit, or if the limit is in another currency. */
export function requireEachWithin(limited: Limited[], budgets: StoredBudget[], currency: string): void {
  for (const one of limited) {
    const { limits } = one;
    if (budgets.length > 0 && currency !== limits.currency) throw otherCurrency(one, currency);
    for (const { amount, type } of budgets) {
      const limit = type === 'daily' ? 'maxDailyBudget' : 'maxLifetimeBudget';
      const allowed = limits[limit];
      if (allowed !== null && toMillionths(amount) > toMillionths(allowed))
        throw exceeded(one, { limit, allowed, used: 0, requested: amount });
    }
  }
}

/** The error of a budget that cannot be compared with a limit. */
export const budgetUnknown = (limited: Limited, campaignId: string): AppError =>
  refused(
    limited,
    `The budgets of campaign ${campaignId} are not recorded, so they cannot be compared with the budget limits of ${nameOf(limited)}; run a discovery of the account first`,
  );

const otherCurrency = (limited: Limited, currency: string): AppError =>
  refused(
    limited,
    `The budget limits of ${nameOf(limited)} are in ${limited.limits.currency}, but the ad account uses ${currency}; amounts are not converted`,
  );

interface Exceeded {
  limit: LimitName;
  allowed: number;
  used: number;
  requested: number;
}

function exceeded(limited: Limited, { limit, allowed, used, requested }: Exceeded): AppError {
  const { currency } = limited.limits;
  const amount = `${requested} ${currency}`;
  const detail =
    limit === 'maxActiveBudget'
      ? `budgets of ${used} ${currency} are active, and ${amount} more are requested`
      : `a budget of ${amount} is requested`;
  const message = `${limit} of ${nameOf(limited)} is ${allowed} ${currency}, but ${detail}`;
  return refused(limited, message, { limit, allowed, used, requested });
}

const nameOf = ({ of, id }: Limited): string => (of === 'api_key' ? 'this API key' : `ad account ${id}`);

const refused = (limited: Limited, message: string, facts: Partial<Exceeded> = {}): AppError =>
  new AppError('budget_limit_exceeded', message, {
    details: { ...facts, currency: limited.limits.currency, limitOf: limited.of, limitedId: limited.id },
    holdsKey: false,
  });
