import {
  CampaignDuplicationResult,
  DuplicateCampaignInput,
  DuplicateCampaignResult,
  DuplicationInput,
} from '../contract/duplication.ts';
import { duplicateCampaign } from '../services/duplications/duplicate-campaign.ts';
import { findDuplication } from '../services/duplications/find-duplication.ts';
import { route } from './route.ts';

export const duplicationRoutes = [
  route({
    name: 'duplicateCampaign',
    method: 'POST',
    path: '/v1/ads/campaigns/{campaignId}/duplicate',
    summary: 'Copy a campaign',
    input: DuplicateCampaignInput,
    output: DuplicateCampaignResult,
    errors: [
      'ads_access_required',
      'account_not_found',
      'campaign_not_found',
      'linked_account_required',
      'ads_connection_required',
      'platform_token_expired',
      'platform_api_error',
      'unsupported_platform_operation',
    ],
    run: duplicateCampaign,
  }),
  route({
    name: 'campaignDuplication',
    method: 'GET',
    path: '/v1/ads/campaigns/duplications/{duplicationId}',
    summary: 'How far the copy of a campaign is',
    input: DuplicationInput,
    output: CampaignDuplicationResult,
    errors: ['job_not_found'],
    run: findDuplication,
  }),
];
