import type { Ad } from '../../contract/ad.ts';
import { complete } from '../../contract/complete.ts';
import { Metrics } from '../../contract/metrics.ts';
import type { StoredBudget } from '../../models/campaign.ts';
import type { TreeOwner } from '../../models/tree-owner.ts';
import type { Services } from '../context.ts';

type Owned = Pick<TreeOwner, 'accountId' | 'platformAdAccountId' | 'currency'>;

/** A budget with its currency. */
export const budgetIn = (currency: string | null | undefined, budget: StoredBudget | null | undefined): Ad['budget'] =>
  budget ? { amount: budget.amount, currency: currency ?? null, type: budget.type } : null;

/** Figures with the currency of their spend. */
export const metricsIn = (currency: string | null | undefined, metrics: object | null): Ad['metrics'] =>
  complete(Metrics, metrics && { ...metrics, currency });

/** Adds the currency of the ad account to records of earlier versions, with one query for all. */
export async function withCurrency<T extends Owned>({ db }: Pick<Services, 'db'>, docs: T[]): Promise<T[]> {
  const lacking = docs.filter(({ currency }) => !currency);
  if (lacking.length === 0) return docs;
  const ids = [...new Set(lacking.map(({ accountId }) => accountId))];
  const accounts = await db.accounts.find({ _id: { $in: ids } }, { adAccounts: 1 }).lean();
  const known = new Map(
    accounts.flatMap(({ _id, adAccounts }) => adAccounts.map(({ id, currency }) => [`${_id} ${id}`, currency])),
  );
  return docs.map((doc) =>
    doc.currency ? doc : { ...doc, currency: known.get(`${doc.accountId} ${doc.platformAdAccountId}`) ?? null },
  );
}
