import {
  ConnectChoicesInput,
  ConnectPagesResult,
  ConnectPublicProfilesResult,
  SelectEphemeralMessagingProfileInput,
  SelectResult,
  SelectSocialNetworkPageInput,
  StartAdsConnectInput,
  StartConnectInput,
  StartConnectResult,
} from '../contract/connect.ts';
import { listConnectPages, listConnectPublicProfiles } from '../services/connect/list-pages.ts';
import { selectSocialNetworkPage } from '../services/connect/select-page.ts';
import { selectEphemeralMessagingProfile } from '../services/connect/select-profile.ts';
import { startAdsConnect } from '../services/connect/start-ads-connect.ts';
import { startConnect } from '../services/connect/start-connect.ts';
import type { ErrorCode } from '../contract/error.ts';
import { route } from './route.ts';

const onProfile: ErrorCode[] = ['insufficient_permissions', 'profile_forbidden', 'profile_limit_exceeded'];
const onToken: ErrorCode[] = [...onProfile, 'platform_token_expired', 'platform_api_error'];
const unsupported: ErrorCode = 'unsupported_platform_operation';

export const connectRoutes = [
  route({
    name: 'startConnect',
    method: 'GET',
    path: '/v1/connect/{platform}',
    summary: 'Where a person agrees to connect an account',
    input: StartConnectInput,
    output: StartConnectResult,
    errors: [...onProfile, 'account_not_found', 'reconnect_account_mismatch', unsupported],
    connects: true,
    run: startConnect,
  }),
  route({
    name: 'startAdsConnect',
    method: 'GET',
    path: '/v1/connect/{platform}/ads',
    summary: 'Where a person agrees to the ads of a connected account',
    input: StartAdsConnectInput,
    output: StartConnectResult,
    errors: [...onToken, 'account_not_found', 'reconnect_account_mismatch', unsupported],
    connects: true,
    run: startAdsConnect,
  }),
  route({
    name: 'connectPages',
    method: 'GET',
    path: '/v1/connect/social-network/select-page',
    summary: 'The pages that a person may connect',
    input: ConnectChoicesInput,
    output: ConnectPagesResult,
    errors: [...onToken, unsupported],
    connects: true,
    run: listConnectPages,
  }),
  route({
    name: 'selectSocialNetworkPage',
    method: 'POST',
    path: '/v1/connect/social-network/select-page',
    summary: 'Connect a page',
    input: SelectSocialNetworkPageInput,
    output: SelectResult,
    errors: [...onToken, 'page_not_available', 'reconnect_account_mismatch', 'connection_failed', unsupported],
    connects: true,
    run: selectSocialNetworkPage,
  }),
  route({
    name: 'connectPublicProfiles',
    method: 'GET',
    path: '/v1/connect/ephemeral-messaging/select-profile',
    summary: 'The public profiles that a person may connect',
    input: ConnectChoicesInput,
    output: ConnectPublicProfilesResult,
    errors: [...onToken, unsupported],
    connects: true,
    run: listConnectPublicProfiles,
  }),
  route({
    name: 'selectEphemeralMessagingProfile',
    method: 'POST',
    path: '/v1/connect/ephemeral-messaging/select-profile',
    summary: 'Connect a public profile',
    input: SelectEphemeralMessagingProfileInput,
    output: SelectResult,
    errors: [...onToken, 'reconnect_account_mismatch', 'connection_failed', unsupported],
    connects: true,
    run: selectEphemeralMessagingProfile,
  }),
];
