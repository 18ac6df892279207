import {
  CampaignDuplicationResult,
  DuplicateCampaignInput,
  DuplicateCampaignPayload,
  DuplicationInput,
  DuplicationProgress,
} from '../contract/duplication.ts';
import { duplicateCampaign } from '../services/duplications/duplicate-campaign.ts';
import { findDuplication } from '../services/duplications/find-duplication.ts';
import { subscribeDuplication } from '../services/duplications/subscribe-duplication.ts';
import { adsCallErrors, operation, subscription } from './operation.ts';

export const duplicationOperations = [
  operation({
    name: 'duplicateCampaign',
    method: 'POST',
    path: '/v1/ads/campaigns/{campaignId}/duplicate',
    summary: 'Duplicate a campaign',
    description:
      'Duplicates a campaign within its ad account, paused by default. A small campaign is copied completely before the response; the rest of a larger one is copied in the background, and `duplicationId` identifies the progress.',
    input: DuplicateCampaignInput,
    output: DuplicateCampaignPayload,
    errors: [
      'ads_access_required',
      'budget_limit_exceeded',
      'stop_in_force',
      'account_not_found',
      'campaign_not_found',
      ...adsCallErrors,
    ],
    weight: 5,
    run: duplicateCampaign,
  }),
  operation({
    name: 'campaignDuplication',
    method: 'GET',
    path: '/v1/ads/campaigns/duplications/{duplicationId}',
    summary: 'Retrieve a duplication',
    description: 'Returns the progress of a duplication and the objects that it has created, or `job_not_found`.',
    input: DuplicationInput,
    output: CampaignDuplicationResult,
    errors: ['job_not_found'],
    graphql: { member: 'duplication' },
    run: findDuplication,
  }),
];

export const duplicationProgress = subscription({
  name: 'duplicationProgress',
  description: 'Progress of a duplication: the current state first, then every change until it is over.',
  input: DuplicationInput,
  output: DuplicationProgress,
  run: subscribeDuplication,
});
