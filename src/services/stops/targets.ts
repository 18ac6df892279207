import type { AdStatus } from '../../contract/ad.ts';
import { adPlatformOf, platforms, type AdPlatform } from '../../contract/platforms.ts';
import type { StopDoc } from '../../models/stop.ts';
import type { Services } from '../context.ts';

type Target = Pick<StopDoc, 'userId' | 'accountId' | 'adAccountId' | 'budgetKeyId'>;

/** Filter of the campaigns of a stop. */
export const campaignsOf = ({ userId, accountId, adAccountId, budgetKeyId }: Target): object => ({
  userId,
  ...(accountId !== null && { accountId }),
  ...(adAccountId !== null && { platformAdAccountId: adAccountId }),
  ...(budgetKeyId !== null && { budgetKeyId }),
});

const off: AdStatus[] = ['paused', 'completed', 'cancelled', 'rejected', 'error'];

/** Filter of campaigns that are on at the platform, as far as it is known. */
export const isRunning = { platformStatus: { $nin: off }, removal: null };

/** Filter of open orders of a stop: they end paused. */
export const ordersOf = ({ userId, accountId, adAccountId, budgetKeyId }: Target): object => ({
  userId,
  ...(accountId !== null && { accountId }),
  ...(adAccountId !== null && { platformAdAccountId: adAccountId }),
  ...(budgetKeyId !== null && { 'order.budgetKeyId': budgetKeyId }),
});

/** Filter of copies of a stop. */
export const copiesOf = ({ userId, accountId, adAccountId, budgetKeyId }: Target) => ({
  userId,
  ...(accountId !== null && { accountId }),
  ...(adAccountId !== null && { 'adAccount.id': adAccountId }),
  ...(budgetKeyId !== null && { budgetKeyId }),
});

/** The connected accounts that a stop marks: all that reach the ad account, the account itself, or none. */
export async function markedAccounts({ db }: Pick<Services, 'db'>, stop: Target): Promise<object | undefined> {
  const { userId, accountId, adAccountId } = stop;
  if (accountId !== null) return { _id: accountId };
  if (adAccountId === null) return undefined;
  const reaching = await db.accounts.find({ userId, 'adAccounts.id': adAccountId }, { platform: 1 }).limit(100).lean();
  const adPlatforms = new Set(
    reaching.map(({ platform }) => adPlatformOf(platform)).filter((one) => one !== undefined),
  );
  return { userId, platform: { $in: [...adPlatforms].flatMap((one: AdPlatform) => [...platforms[one].accounts]) } };
}

/** The name under which a stop is marked on accounts. */
export const markOf = ({ adAccountId }: Pick<Target, 'adAccountId'>): string => `stops.${adAccountId ?? 'all'}`;
