import type { AccountPlatform } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { Services } from '../context.ts';

type Tools = Pick<Services, 'refreshers'>;

/** The platforms whose tokens can be refreshed. */
export const refreshablePlatforms = ({ refreshers }: Tools): AccountPlatform[] =>
  (Object.keys(refreshers) as AccountPlatform[]).filter((platform) => refreshers[platform]);

/** Whether the token of an account is refreshed before it ends. */
export const renewsItself = (
  { refreshers }: Tools,
  { platform, encryptedRefreshToken }: Pick<AccountDoc, 'platform' | 'encryptedRefreshToken'>,
): boolean => encryptedRefreshToken !== null && refreshers[platform] !== undefined;
