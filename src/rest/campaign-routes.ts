import { AdTreeResult, ListCampaignsInput, ListCampaignsResult } from '../contract/campaign.ts';
import { adTree } from '../services/campaigns/get-ad-tree.ts';
import { listCampaigns } from '../services/campaigns/list-campaigns.ts';
import { route } from './route.ts';

export const campaignRoutes = [
  route({
    name: 'adTree',
    method: 'GET',
    path: '/v1/ads/tree',
    summary: 'Retrieve the ads tree',
    description: 'Returns campaigns with their ad sets and ads, a page of campaigns at a time.',
    input: ListCampaignsInput,
    output: AdTreeResult,
    run: adTree,
  }),
  route({
    name: 'campaigns',
    method: 'GET',
    path: '/v1/ads/campaigns',
    summary: 'List campaigns',
    description: 'Returns the campaigns that the key can access.',
    input: ListCampaignsInput,
    output: ListCampaignsResult,
    run: listCampaigns,
  }),
];
