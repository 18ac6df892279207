import { CampaignDiscoveryResult, DiscoverCampaignsResult, DiscoveryInput } from '../contract/discovery.ts';
import { discoverCampaigns } from '../services/discovery/discover-campaigns.ts';
import { findDiscovery } from '../services/discovery/find-discovery.ts';
import { route } from './route.ts';

const path = '/v1/accounts/{accountId}/ads/sync';

export const discoveryRoutes = [
  route({
    name: 'discoverCampaigns',
    method: 'POST',
    path,
    summary: 'Start a discovery',
    description:
      'Queues a discovery, which reads the campaigns, ad sets and ads of an account from its platform. If one is running already, another run follows it.',
    input: DiscoveryInput,
    output: DiscoverCampaignsResult,
    status: 202,
    errors: [
      'account_not_found',
      'platform_token_expired',
      'linked_account_required',
      'ads_connection_required',
      'missing_platform_permission',
      'unsupported_platform_operation',
    ],
    run: discoverCampaigns,
  }),
  route({
    name: 'campaignDiscovery',
    method: 'GET',
    path,
    summary: 'Retrieve the discovery of an account',
    description: 'Returns the progress of the latest discovery, or null before the first.',
    input: DiscoveryInput,
    output: CampaignDiscoveryResult,
    errors: ['account_not_found'],
    run: findDiscovery,
  }),
];
