import type { AdStatus } from '../../contract/ad.ts';
import { adPlatformOf, platforms, type AdPlatform } from '../../contract/platforms.ts';
import type { StopDoc } from '../../models/stop.ts';
import type { Services } from '../context.ts';

type Target = Pick<StopDoc, 'userId' | 'accountId' | 'adAccountId' | 'budgetKeyId'>;

/** Filter of the documents of a stop, by the paths of the ad account and of the key in them. */
const filterBy =
  (adAccountPath: string, keyPath: string) =>
  ({ userId, accountId, adAccountId, budgetKeyId }: Target): object => ({
    userId,
    ...(accountId !== null && { accountId }),
    ...(adAccountId !== null && { [adAccountPath]: adAccountId }),
    ...(budgetKeyId !== null && { [keyPath]: budgetKeyId }),
  });

export const campaignsOf = filterBy('platformAdAccountId', 'budgetKeyId');
export const ordersOf = filterBy('platformAdAccountId', 'order.budgetKeyId');
export const copiesOf = filterBy('adAccount.id', 'budgetKeyId');

const inactive: AdStatus[] = ['paused', 'completed', 'cancelled', 'rejected', 'error'];

/** Filter of campaigns that are not recorded as inactive at the platform. */
export const isRunning = { platformStatus: { $nin: inactive }, removal: null };

/** Filter of the connected accounts that a stop marks: the account itself, or all that can access the ad account. */
export async function markedAccounts({ db }: Pick<Services, 'db'>, stop: Target): Promise<object | undefined> {
  const { userId, accountId, adAccountId } = stop;
  if (accountId !== null) return { _id: accountId };
  if (adAccountId === null) return undefined;
  const withAccess = await db.accounts
    .find({ userId, 'adAccounts.id': adAccountId }, { platform: 1 })
    .limit(100)
    .lean();
  const adPlatforms = new Set(
    withAccess.map(({ platform }) => adPlatformOf(platform)).filter((one) => one !== undefined),
  );
  return { userId, platform: { $in: [...adPlatforms].flatMap((one: AdPlatform) => [...platforms[one].accounts]) } };
}

/** The path of the mark of a stop in an account. */
export const markOf = ({ adAccountId }: Pick<Target, 'adAccountId'>): string => `stops.${adAccountId ?? 'all'}`;
