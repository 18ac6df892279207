import type { AccountDoc } from '../../models/account.ts';
import type { AdAccount, AdsAdapter } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { withAccess } from './use-token.ts';

const cacheMs = 3_600_000;

/** The ad accounts that a connection reaches, asked of the platform once an hour. Failures are PlatformErrors. */
export async function listAdAccounts(
  services: Services,
  adapter: AdsAdapter,
  account: AccountDoc,
): Promise<AdAccount[]> {
  const now = services.clock.now();
  if (account.adAccountsAt && now.getTime() - account.adAccountsAt.getTime() < cacheMs) return account.adAccounts;
  const adAccounts = await withAccess(services, account, (access) => adapter.listAdAccounts(access));
  await services.db.accounts.updateOne(
    { _id: account._id },
    { $set: { adAccounts, adAccountsAt: now } },
    { timestamps: false },
  );
  return adAccounts;
}
