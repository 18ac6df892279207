import type { AccountPlatform } from '../../contract/platforms.ts';
import type { Services } from '../context.ts';

/** The OAuth redirect URL; it is registered with each app. */
export const callbackUrl = ({ publicUrl }: Pick<Services, 'publicUrl'>, platform: AccountPlatform): string =>
  `${publicUrl}/v1/connect/${platform}/callback`;
