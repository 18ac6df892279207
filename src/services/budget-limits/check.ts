import { AppError } from '../../contract/error.ts';
import type { LimitName } from '../../contract/budget-limits.ts';
import type { BudgetReservation, ReservedBudget } from '../../models/budget-ledger.ts';
import type { StoredBudget } from '../../models/campaign.ts';
import { campaignRefOf } from '../campaigns/ids.ts';
import { markOf } from '../ads/order.ts';
import type { Services } from '../context.ts';
import { fromMillionths, toMillionths } from './amounts.ts';
import { recordedActive } from './active-budgets.ts';
import type { Limited } from './parties.ts';

type Sums = Map<string, bigint>;

/** The active budgets under a limit by their carrier: what is recorded, and what is about to become active. */
export async function usedBy(services: Services, limited: Limited, open: BudgetReservation[]): Promise<Sums> {
  const idsOf = (kind: BudgetReservation['kind']): string[] =>
    open.filter((one) => one.kind === kind).map(({ id }) => id);
  const marks = new Set(idsOf('order').map(markOf));
  const copies = await services.db.duplications
    .find({ _id: { $in: idsOf('copy') } }, { accountId: 1, copiedCampaignId: 1 })
    .limit(open.length + 1)
    .lean();
  const copied = new Set(copies.map((copy) => campaignRefOf(copy.accountId, copy.copiedCampaignId ?? '')));
  const recorded = await recordedActive(
    services.db,
    limited,
    ({ _id, naming }) => copied.has(_id) || (naming ? marks.has(naming.mark) : false),
  );
  return union(new Map(), [...recorded, ...open.flatMap(({ budgets }) => budgets)]);
}

/** Of several amounts for one carrier the highest counts. */
function union(sums: Sums, budgets: ReservedBudget[]): Sums {
  const all = new Map(sums);
  for (const { carrier, amount } of budgets) {
    const asked = toMillionths(amount);
    const known = all.get(carrier);
    if (known === undefined || asked > known) all.set(carrier, asked);
  }
  return all;
}

const total = (sums: Sums): bigint => [...sums.values()].reduce((sum, amount) => sum + amount, 0n);

/** Throws if the budgets do not fit under `maxActiveBudget`. What adds nothing is never refused. */
export function requireSumWithin(
  limited: Limited,
  { used, reservation }: { used: Sums; reservation: Pick<BudgetReservation, 'budgets'> },
): void {
  const allowed = limited.limits.maxActiveBudget;
  if (allowed === null) return;
  const before = total(used);
  const after = total(union(used, reservation.budgets));
  if (after === before || after <= toMillionths(allowed)) return;
  const [spent, asked] = [fromMillionths(before), fromMillionths(after - before)];
  throw exceeded(limited, { limit: 'maxActiveBudget', allowed, used: spent, requested: asked });
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
    `The budgets of campaign ${campaignId} are not known, so they cannot be compared with the limits of ${nameOf(limited)}: run a discovery of its account first`,
  );

const otherCurrency = (limited: Limited, currency: string): AppError =>
  refused(
    limited,
    `The limits of ${nameOf(limited)} are in ${limited.limits.currency}, but the ad account is kept in ${currency}: nothing is converted`,
  );

interface Exceeded {
  limit: LimitName;
  allowed: number;
  used: number;
  requested: number;
}

function exceeded(limited: Limited, { limit, allowed, used, requested }: Exceeded): AppError {
  const { currency } = limited.limits;
  const sum = limit === 'maxActiveBudget' ? `${used} ${currency} are active and ` : '';
  const message = `${limit} of ${nameOf(limited)} is ${allowed} ${currency}: ${sum}${requested} ${currency} more are requested`;
  return refused(limited, sum ? message : message.replace(' more', ''), { limit, allowed, used, requested });
}

const nameOf = ({ of, id }: Limited): string => (of === 'api_key' ? 'this API key' : `ad account ${id}`);

const refused = (limited: Limited, message: string, facts: Partial<Exceeded> = {}): AppError =>
  new AppError('budget_limit_exceeded', message, {
    details: { ...facts, currency: limited.limits.currency, limitOf: limited.of, limitedId: limited.id },
    holdsKey: false,
  });
