import { AdTreeResult, ListCampaignsInput, ListCampaignsResult } from '../contract/campaign.ts';
import { adTree } from '../services/campaigns/ad-tree.ts';
import { listCampaigns } from '../services/campaigns/list-campaigns.ts';
import { route } from './route.ts';

export const campaignRoutes = [
  route({
    name: 'adTree',
    method: 'GET',
    path: '/v1/ads/tree',
    summary: 'Campaigns with their ad sets and ads',
    input: ListCampaignsInput,
    output: AdTreeResult,
    run: adTree,
  }),
  route({
    name: 'campaigns',
    method: 'GET',
    path: '/v1/ads/campaigns',
    summary: 'The campaigns that the key reaches',
    input: ListCampaignsInput,
    output: ListCampaignsResult,
    run: listCampaigns,
  }),
];
