import { AppError } from '../../contract/error.ts';
import { accountPlatformOf, type StartAdsConnectInput, type StartConnectPayload } from '../../contract/connect.ts';
import { PlatformError } from '../../platforms/error.ts';
import { requireAccount } from '../access.ts';
import type { Ctx } from '../context.ts';
import { appErrorFromPlatform } from '../platform-error.ts';
import { callbackUrl } from './callback-url.ts';
import { storeState, newState } from './connect-state.ts';
import { platformName, requireConnector, requireOpenProfile } from './connect-target.ts';

/** Starts the ads connection of an account, on platforms with separate OAuth connections for posting and ads. */
export async function startAdsConnect(ctx: Ctx, input: StartAdsConnectInput): Promise<StartConnectPayload> {
  const platform = accountPlatformOf(input.platform);
  const account = await requireAccount(ctx, input.accountId);
  if (account.platform !== platform) {
    const message = `The account ${account._id} is of platform ${account.platform}`;
    throw new AppError('reconnect_account_mismatch', message, { param: 'accountId' });
  }
  await requireOpenProfile(ctx, account.profileId);
  const { ads } = requireConnector(ctx, platform);
  if (!ads) {
    const message = `Accounts of ${platform} need no ads connection of their own`;
    throw new AppError('unsupported_platform_operation', message, { platform: platformName(platform) });
  }
  const state = newState();
  const { authUrl, secret } = await ads
    .begin({ redirectUri: callbackUrl(ctx, platform), state })
    .catch((error: unknown) => {
      throw error instanceof PlatformError ? appErrorFromPlatform(error) : error;
    });
  const { userId, keyId } = ctx.caller;
  const { redirect_url: redirectUrl = null, state: callerState = null } = input;
  const begun = { userId, keyId, profileId: account.profileId, platform, accountId: account._id };
  await storeState(ctx, { ...begun, isForAds: true, redirectUrl, callerState }, { state, secret });
  return { authUrl, state: callerState ?? state };
}
