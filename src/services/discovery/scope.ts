import { isDeepStrictEqual } from 'node:util';
import { capabilityOf } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { TreeNode } from '../../models/campaign.ts';
import type { AdAccount, AdsAdapter, BudgetLevel, UpstreamAdStatus } from '../../platforms/platform.ts';

/** One ad account of one run. */
export interface Scope {
  account: AccountDoc;
  adapter: AdsAdapter;
  adAccount: AdAccount;
  /** The stamp of the run. */
  startedAt: Date;
}

/** One page of it. */
export interface PageScope extends Scope {
  /** When its reading began: what was changed here later than this, the page may not know of. */
  askedAt: Date;
  /** The campaigns read so far, by their ids at the platform. */
  campaigns: Map<string, ReadCampaign>;
}

export interface ReadCampaign {
  budgetLevel?: BudgetLevel;
  /** It is paused or was: the status of its ad sets may follow from it. */
  isHeld: boolean;
}

/** Whether a record says all this already. */
export function says<T extends object>(before: T, facts: Partial<T>): boolean {
  for (const key in facts) if (!isDeepStrictEqual(before[key], facts[key])) return false;
  return true;
}

/** Without the fields that a partially parsed object lacks. */
export const readable = <T extends object>(facts: T): Partial<T> =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null && value !== '')) as Partial<T>;

/** Whether the run has come across it already: a list that moves while it is read shows some twice. */
export const wasSeenInRun = ({ startedAt }: Scope, before: { seenAt: Date | null } | undefined): boolean =>
  isDeepStrictEqual(before?.seenAt, startedAt);

/** Whether a removed object is live again: a list that still shows it proves that only where archiving can be undone. */
export const isRestored = ({ adapter }: Scope, { removal }: Removed, found: UpstreamAdStatus): boolean =>
  removal === 'archived' && found !== 'cancelled' && capabilityOf(adapter.platform).restoresArchived === true;

type Removed = Pick<TreeNode, 'removal'>;

export const notRemoved = { removal: null, removedAt: null };
