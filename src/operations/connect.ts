import {
  accountPlatformOf,
  ConnectChoicesInput,
  ConnectPagesResult,
  ConnectPlatform,
  ConnectPublicProfilesResult,
  SelectEphemeralMessagingProfileInput,
  SelectAccountPayload,
  SelectSocialNetworkPageInput,
  StartAdsConnectInput,
  StartConnectInput,
  StartConnectPayload,
} from '../contract/connect.ts';
import { listConnectPages, listConnectPublicProfiles } from '../services/connect/list-pages.ts';
import { selectSocialNetworkPage } from '../services/connect/select-page.ts';
import { selectEphemeralMessagingProfile } from '../services/connect/select-profile.ts';
import { startAdsConnect } from '../services/connect/start-ads-connect.ts';
import { startConnect } from '../services/connect/start-connect.ts';
import type { ErrorCode } from '../contract/error.ts';
import type { AccountPlatform } from '../contract/platforms.ts';
import { kindsThatSelect } from '../services/connect/list-choices.ts';
import { operation } from './operation.ts';

const onProfile: ErrorCode[] = ['insufficient_permissions', 'profile_forbidden', 'profile_limit_exceeded'];
const onToken: ErrorCode[] = [
  ...onProfile,
  'platform_token_expired',
  'platform_api_error',
  'missing_platform_permission',
];
const unsupported: ErrorCode = 'unsupported_platform_operation';

function kindNamedIn({ platform }: Record<string, unknown>): AccountPlatform[] | undefined {
  const { success, data } = ConnectPlatform.safeParse(platform);
  return success ? [accountPlatformOf(data)] : undefined;
}

export const connectOperations = [
  operation({
    name: 'startConnect',
    method: 'GET',
    path: '/v1/connect/{platform}',
    summary: 'Start connecting an account',
    description:
      'Returns the address at which a person authorises the connection. Redirect the browser there within ten minutes; the address works once. Requires a key with permission `read-write`; the response is not stored with an `Idempotency-Key`.',
    input: StartConnectInput,
    output: StartConnectPayload,
    errors: [...onProfile, 'account_not_found', 'reconnect_account_mismatch', unsupported],
    connects: kindNamedIn,
    graphql: { type: 'mutation', args: [] },
    run: startConnect,
  }),
  operation({
    name: 'startAdsConnect',
    method: 'GET',
    path: '/v1/connect/{platform}/ads',
    summary: 'Start connecting ads',
    description:
      'Returns the address at which a person authorises ads for a connected account, on platforms with a separate ads authorisation (D and E). Requires a key with permission `read-write`; the response is not stored with an `Idempotency-Key`.',
    input: StartAdsConnectInput,
    output: StartConnectPayload,
    errors: [...onToken, 'account_not_found', 'reconnect_account_mismatch', unsupported],
    connects: kindNamedIn,
    weight: 2,
    graphql: { type: 'mutation', args: [] },
    run: startAdsConnect,
  }),
  operation({
    name: 'connectPages',
    method: 'GET',
    path: '/v1/connect/social-network/select-page',
    summary: 'List pages to connect',
    description:
      'Returns all pages of the person who authorised the connection: those that can be connected and those that cannot.',
    input: ConnectChoicesInput,
    output: ConnectPagesResult,
    errors: [...onToken, unsupported],
    connects: () => kindsThatSelect('page'),
    weight: 2,
    run: listConnectPages,
  }),
  operation({
    name: 'selectSocialNetworkPage',
    method: 'POST',
    path: '/v1/connect/social-network/select-page',
    summary: 'Connect a page',
    description: 'Connects one of the offered pages as an account, or returns `page_not_available`.',
    input: SelectSocialNetworkPageInput,
    output: SelectAccountPayload,
    errors: [...onToken, 'page_not_available', 'reconnect_account_mismatch', 'connection_failed', unsupported],
    connects: () => kindsThatSelect('page'),
    weight: 2,
    run: selectSocialNetworkPage,
  }),
  operation({
    name: 'connectPublicProfiles',
    method: 'GET',
    path: '/v1/connect/ephemeral-messaging/select-profile',
    summary: 'List public profiles to connect',
    description: 'Returns all public profiles that the person who authorised the connection can connect.',
    input: ConnectChoicesInput,
    output: ConnectPublicProfilesResult,
    errors: [...onToken, unsupported],
    connects: () => kindsThatSelect('publicProfile'),
    weight: 2,
    run: listConnectPublicProfiles,
  }),
  operation({
    name: 'selectEphemeralMessagingProfile',
    method: 'POST',
    path: '/v1/connect/ephemeral-messaging/select-profile',
    summary: 'Connect a public profile',
    description: 'Connects one of the offered public profiles as an account.',
    input: SelectEphemeralMessagingProfileInput,
    output: SelectAccountPayload,
    errors: [...onToken, 'reconnect_account_mismatch', 'connection_failed', unsupported],
    connects: () => kindsThatSelect('publicProfile'),
    weight: 2,
    run: selectEphemeralMessagingProfile,
  }),
];
