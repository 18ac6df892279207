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
    summary: 'Duplicate a campaign',
    description:
      'Copies a campaign within its ad account. A small campaign is copied whole before the response; of a larger one the rest is copied in the background, and `duplicationId` retrieves its progress.',
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
      'missing_platform_permission',
      'unsupported_platform_operation',
    ],
    run: duplicateCampaign,
  }),
  route({
    name: 'campaignDuplication',
    method: 'GET',
    path: '/v1/ads/campaigns/duplications/{duplicationId}',
    summary: 'Retrieve a duplication',
    description: 'Returns the progress of a duplication and the objects that it has created.',
    input: DuplicationInput,
    output: CampaignDuplicationResult,
    errors: ['job_not_found'],
    run: findDuplication,
  }),
];
