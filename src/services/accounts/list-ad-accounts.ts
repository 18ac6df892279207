import type { AccountDoc } from '../../models/account.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { AdAccount, AdsAdapter, NoteProblem } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { withAccess } from './platform-access.ts';
import { storedDates } from '../stored-dates.ts';

const { time } = storedDates('accounts');

const cacheMs = 3_600_000;
/** A refreshed list is at most this old. */
const renewMs = 10_000;

export interface Lister {
  account: AccountDoc;
  adapter: AdsAdapter;
  /** Receives the entries that cannot be parsed. */
  note?: NoteProblem;
}

/** The ad accounts that a connection reaches, asked of the platform once an hour. Failures are PlatformErrors. */
export function listAdAccounts(services: Services, lister: Lister, { refresh = false } = {}): Promise<AdAccount[]> {
  const age = services.clock.now().getTime() - (time(lister.account, 'adAccountsAt') ?? 0);
  return age < (refresh ? renewMs : cacheMs)
    ? Promise.resolve(lister.account.adAccounts)
    : readAdAccounts(services, lister);
}

/** The list from the platform; the stored list if the platform is unavailable. */
export async function renewedAdAccounts(services: Services, lister: Lister): Promise<AdAccount[]> {
  const { adAccounts, adAccountsAt, _id: accountId } = lister.account;
  try {
    return await readAdAccounts(services, lister);
  } catch (error) {
    const isPassing = error instanceof PlatformError && ['unavailable', 'rate_limited'].includes(error.fault);
    if (!isPassing || adAccountsAt === null) throw error;
    services.log.warn({ accountId, err: error.message }, 'could not refresh the list of ad accounts');
    return adAccounts;
  }
}

async function readAdAccounts(services: Services, { account, adapter, note }: Lister): Promise<AdAccount[]> {
  const adAccountsAt = services.clock.now();
  const known = new Map(account.adAccounts.map((adAccount) => [adAccount.id, adAccount]));
  /** Null for an entry without a readable id: it may be any of those that are missing. */
  const unread = new Set<string | null>();
  const listed = await withAccess(services, account, (access) =>
    adapter.listAdAccounts(access, (problem) => {
      note?.(problem);
      if (problem.isSkipped) unread.add(problem.platformId);
    }),
  );
  // A list that changes while its pages are read can repeat an entry.
  const found = new Map(listed.map((one) => [one.id, one]));
  const named = [...found.values()].map((one) => ({
    ...one,
    // Of a closed ad account some platforms report only the status.
    name: one.name || (known.get(one.id)?.name ?? one.id),
    currency: one.currency || (known.get(one.id)?.currency ?? ''),
  }));
  const isUnread = (id: string): boolean => unread.has(id) || unread.has(null);
  const kept = account.adAccounts.filter(({ id }) => !found.has(id) && isUnread(id));
  const adAccounts = [...named, ...kept];
  const { _id } = account;
  await services.db.accounts.updateOne({ _id }, { $set: { adAccounts, adAccountsAt } }, { timestamps: false });
  return adAccounts;
}

/** Why no ads run in an ad account, as a sentence. */
export const closedBecause = ({ status, statusReason }: Pick<AdAccount, 'status' | 'statusReason'>): string => {
  const said = [status, statusReason].filter(Boolean).join(': ');
  return `The ad account is not active at the platform${said && ` (${said})`}`;
};
