import { AppError } from '../../contract/error.ts';
import { accountKinds, adPlatformOf, type AccountPlatform } from '../../contract/platforms.ts';
import type { Author } from '../../models/activity.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { ConnectStateDoc } from '../../models/connect-state.ts';
import type { Connector, Grant } from '../../platforms/connect.ts';
import { PlatformError } from '../../platforms/error.ts';
import { requireGranted } from '../accounts/scopes.ts';
import { callerWithKey } from '../api-keys/verify-api-key.ts';
import type { Caller, Services } from '../context.ts';
import { stateSecret } from '../encryption/bindings.ts';
import { appErrorFromPlatform } from '../platform-error.ts';
import { callbackUrl } from './callback-url.ts';
import { connectAccount } from './connect-account.ts';
import { connectAds } from './connect-ads.ts';
import { storeGrant } from './connect-grant.ts';
import { storeOutcome, claimState } from './connect-state.ts';
import { requireConnector, requireOpenProfile } from './connect-target.ts';
import { withParams } from './with-params.ts';
import { oneLine, refusalIn, type Refusal } from './refusal.ts';
import { connectedUrl } from './to-connected-account.ts';
import { toAppError } from '../unexpected-error.ts';

/** The browser's response: a redirect, or a page if the caller gave no redirect URL. */
export interface Outcome {
  /** Parameters for the caller that started the flow. */
  params: Record<string, string | undefined>;
  redirect?: string;
  account?: Pick<AccountDoc, 'displayName'>;
  problem?: Refusal;
}

type Params = Record<string, string>;
type Begun = ConnectStateDoc & { callerState: string };

/** Handles the OAuth callback. If the state is unknown, only the browser can be informed. */
export async function handleCallback(services: Services, platform: AccountPlatform, params: Params): Promise<Outcome> {
  const taken = params['state'] ? await claimState(services, platform, params) : undefined;
  if (!taken) {
    return failed(undefined, {
      code: 'invalid_state',
      message: 'This connect flow is already complete, or was started more than ten minutes ago',
    });
  }
  if (taken.outcome !== undefined) return JSON.parse(taken.outcome) as Outcome;
  const { begun } = taken;
  const outcome = await outcomeOf(
    services,
    { ...begun, callerState: begun.callerState ?? params['state'] ?? '' },
    params,
  );
  await storeOutcome(services, begun, JSON.stringify(outcome)).catch((error: unknown) => {
    services.log.error({ err: error, platform }, 'could not store the outcome of a connect flow');
  });
  return outcome;
}

async function outcomeOf(services: Services, begun: Begun, params: Params): Promise<Outcome> {
  const refusal = refusalIn(params);
  if (refusal) return failed(begun, refusal);
  try {
    return await finish(services, begun, params);
  } catch (error) {
    const known = knownError(error);
    if (known.status === 500) {
      services.log.error({ err: error, platform: begun.platform }, 'connect flow failed');
    }
    return failed(begun, { code: known.code, message: oneLine(known.message) });
  }
}

function knownError(error: unknown): AppError {
  return error instanceof PlatformError ? appErrorFromPlatform(error) : toAppError(error);
}

function failed(begun: Begun | undefined, problem: Refusal): Outcome {
  const { code, message } = problem;
  const params = { error: code, error_description: message, ...(begun && common(begun)) };
  const redirect = begun?.redirectUrl ? withParams(begun.redirectUrl, params) : undefined;
  return { params, redirect, problem };
}

const common = ({ platform, profileId, callerState }: Begun): Params => ({
  platform,
  profileId,
  state: callerState,
});

async function finish(services: Services, begun: Begun, params: Params): Promise<Outcome> {
  // Ten minutes are long enough for a key to be revoked or a plan to shrink.
  const caller = await callerWithKey(services, begun.keyId);
  if (!caller)
    throw new AppError('invalid_credentials', 'The API key that started this connect flow is no longer valid');
  await requireOpenProfile({ ...services, caller: callerFor(caller, begun) }, begun.profileId);
  const connector = requireConnector(services, begun.platform);
  const { keyId, keyName } = caller;
  const author: Author = { type: 'user', keyId, keyName, source: 'browser' };
  if (begun.isForAds) return connected(begun, await connectAds(services, connector, { author, begun, params }));
  const code = params['code'] ?? params['auth_code'];
  if (!code) throw new AppError('platform_api_error', 'The platform redirected without a code');
  const grant = await connector.exchange({
    code,
    redirectUri: callbackUrl(services, begun.platform),
    codeVerifier: begun.encryptedSecret
      ? services.encrypter.decrypt(begun.encryptedSecret, stateSecret(begun._id))
      : undefined,
  });
  requireGranted(services, begun.platform, grant.scopes);
  return connector.choices
    ? toChoose(services, connector, { begun, grant })
    : connected(begun, await connectDirectly(services, connector, { author, begun, grant }));
}

const callerFor = (caller: Caller, { profileId }: ConnectStateDoc): Caller =>
  caller.scope === 'full' ? { ...caller, scope: 'profiles', profileIds: [profileId] } : caller;

interface Given {
  begun: Begun;
  grant: Grant;
}

async function connectDirectly(
  services: Services,
  connector: Connector,
  { author, begun, grant }: Given & { author: Author },
): Promise<AccountDoc> {
  const { selectedLocationId, profilePicture, ...who } = await connector.identify(grant);
  const { userId, profileId, platform } = begun;
  const expiresAt = grant.expiresIn === undefined ? null : services.clock.now().getTime() + grant.expiresIn * 1000;
  return connectAccount(
    services,
    {
      ...who,
      userId,
      profileId,
      platform,
      profilePicture: profilePicture ?? null,
      selectedLocationId: selectedLocationId ?? null,
      token: grant.token,
      refreshToken: grant.refreshToken,
      tokenExpiresAt: expiresAt === null ? null : new Date(expiresAt),
      scopes: grant.scopes ?? null,
      // On platforms with a separate ads connection, the existing one is kept.
      ...(!connector.ads && { adsConnected: adPlatformOf(platform) !== undefined }),
    },
    { author, requested: begun.accountId ?? undefined },
  );
}

/** The person has several choices: the next step selects one, with two secrets limited to it. */
async function toChoose(services: Services, connector: Connector, { begun, grant }: Given): Promise<Outcome> {
  const who = await connector.identify(grant);
  const { tempToken, connectToken } = await storeGrant(services, begun, grant);
  const isProfiles = accountKinds[begun.platform]?.selects === 'publicProfile';
  const userProfile = isProfiles
    ? {
        id: who.platformAccountId,
        username: who.username,
        displayName: who.displayName,
        profilePicture: who.profilePicture,
      }
    : { id: who.platformAccountId, name: who.displayName, profilePicture: who.profilePicture };
  const params = {
    step: isProfiles ? 'select_profile' : 'select_page',
    ...common(begun),
    tempToken,
    connect_token: connectToken,
    userProfile: JSON.stringify(userProfile),
  };
  return { params, redirect: begun.redirectUrl ? withParams(begun.redirectUrl, params) : undefined };
}

function connected(begun: Begun, account: AccountDoc): Outcome {
  const params = { state: begun.callerState };
  return {
    params,
    account: { displayName: account.displayName },
    redirect: begun.redirectUrl ? connectedUrl(begun.redirectUrl, account, params) : undefined,
  };
}
