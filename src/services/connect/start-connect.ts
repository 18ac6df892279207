import { AppError } from '../../contract/error.ts';
import { accountPlatformOf, type StartConnectInput, type StartConnectPayload } from '../../contract/connect.ts';
import type { AccountDoc } from '../../models/account.ts';
import { requireAccount } from '../access.ts';
import type { Ctx } from '../context.ts';
import { storeState, newChallenge, newState } from './connect-state.ts';
import { callbackUrl } from './callback-url.ts';
import { requireConnector, requireOpenProfile } from './connect-target.ts';

/** Starts a connect flow; returns the authorisation URL. */
export async function startConnect(ctx: Ctx, input: StartConnectInput): Promise<StartConnectPayload> {
  const platform = accountPlatformOf(input.platform);
  const { profileId, redirect_url: redirectUrl = null, accountId = null } = input;
  await requireOpenProfile(ctx, profileId);
  const known = accountId ? await requireReconnectable(ctx, { ...input, accountId, platform }) : undefined;
  const connector = requireConnector(ctx, platform);
  const state = newState();
  const { verifier, challenge } = newChallenge();
  const { userId, keyId } = ctx.caller;
  const callerState = input.state ?? null;
  const begun = { userId, keyId, profileId, platform, accountId, isForAds: false, redirectUrl, callerState };
  await storeState(ctx, begun, { state, secret: connector.usesChallenge ? verifier : undefined });
  const authUrl = connector.authorizeUrl({
    redirectUri: callbackUrl(ctx, platform),
    state,
    ...(connector.usesChallenge && { codeChallenge: challenge }),
    ...(known && { loginHint: known.username }),
  });
  return { authUrl, state: callerState ?? state };
}

async function requireReconnectable(
  ctx: Ctx,
  { accountId, profileId, platform }: { accountId: string; profileId: string; platform: string },
): Promise<AccountDoc> {
  const account = await requireAccount(ctx, accountId);
  if (account.platform === platform && account.profileId === profileId) return account;
  const message = `The account ${accountId} is not of this platform and profile`;
  throw new AppError('reconnect_account_mismatch', message, { param: 'accountId' });
}
