import {
  CampaignDiscovery,
  CampaignDiscoveryResult,
  DiscoverCampaignsPayload,
  DiscoveryInput,
} from '../contract/discovery.ts';
import { discoverCampaigns } from '../services/discovery/discover-campaigns.ts';
import { findDiscovery } from '../services/discovery/find-discovery.ts';
import { subscribeDiscovery } from '../services/discovery/subscribe-discovery.ts';
import { operation, subscription } from './operation.ts';

const path = '/v1/accounts/{accountId}/ads/sync';

export const discoveryOperations = [
  operation({
    name: 'discoverCampaigns',
    method: 'POST',
    path,
    summary: 'Start a discovery',
    description:
      'Queues a discovery, which reads the campaigns, ad sets and ads of an account from its platform. If one is already running, exactly one more run follows it.',
    input: DiscoveryInput,
    output: DiscoverCampaignsPayload,
    status: 202,
    errors: [
      'account_not_found',
      'platform_token_expired',
      'linked_account_required',
      'ads_connection_required',
      'missing_platform_permission',
      'unsupported_platform_operation',
    ],
    weight: 3,
    run: discoverCampaigns,
  }),
  operation({
    name: 'campaignDiscovery',
    method: 'GET',
    path,
    summary: 'Retrieve the discovery of an account',
    description: 'Returns the progress of the latest discovery of an account; null before the first.',
    input: DiscoveryInput,
    output: CampaignDiscoveryResult,
    errors: ['account_not_found'],
    graphql: { member: 'discovery' },
    run: findDiscovery,
  }),
];

export const discoveryProgress = subscription({
  name: 'discoveryProgress',
  description: 'Progress of the discovery of an account: the current state first, then every change until it is over.',
  input: DiscoveryInput,
  output: CampaignDiscovery,
  run: subscribeDiscovery,
});
