import { AdTreeResult, Campaign, ListCampaignsInput, ListCampaignsResult } from '../contract/campaign.ts';
import { adTree } from '../services/campaigns/get-ad-tree.ts';
import { campaignPage, listCampaigns } from '../services/campaigns/list-campaigns.ts';
import { operation } from './operation.ts';

export const campaignOperations = [
  operation({
    name: 'adTree',
    method: 'GET',
    path: '/v1/ads/tree',
    summary: 'Retrieve the ads tree',
    description: 'Returns campaigns with their ad sets and ads, a page of campaigns at a time.',
    input: ListCampaignsInput,
    output: AdTreeResult,
    errors: ['mutually_exclusive_fields'],
    graphql: { node: Campaign, list: campaignPage },
    run: adTree,
  }),
  operation({
    name: 'campaigns',
    method: 'GET',
    path: '/v1/ads/campaigns',
    summary: 'List campaigns',
    description: 'Returns the campaigns visible to the API key.',
    input: ListCampaignsInput,
    output: ListCampaignsResult,
    errors: ['mutually_exclusive_fields'],
    graphql: { list: campaignPage },
    run: listCampaigns,
  }),
];
