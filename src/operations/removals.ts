import type { ErrorCode } from '../contract/error.ts';
import { DeleteAdInput, DeleteAdSetInput, DeleteCampaignInput, RemovalPayload } from '../contract/removal.ts';
import { deleteAd } from '../services/removals/delete-ad.ts';
import { deleteAdSet, deleteCampaign } from '../services/removals/delete-level.ts';
import { adsCallErrors, operation } from './operation.ts';

const errors: ErrorCode[] = ['order_in_progress', 'ads_access_required', 'account_not_found', ...adsCallErrors];
const inQuery = ['platform', 'accountId', 'confirm', 'mode', 'validateOnly'];
const irreversible =
  'Records and metrics are kept. Deleting cannot be undone on any platform, archiving only on platform F.';

const shared = {
  method: 'DELETE' as const,
  output: RemovalPayload,
  dropNulls: true,
  weight: 2,
  isDryRun: ({ validateOnly }: { validateOnly: boolean }) => validateOnly,
};

export const removalOperations = [
  operation({
    ...shared,
    name: 'deleteAd',
    path: '/v1/ads/{adId}',
    inQuery: ['mode', 'validateOnly'],
    summary: 'Delete or archive an ad',
    description: `Deletes or archives an ad on its platform. ${irreversible}`,
    input: DeleteAdInput,
    errors: ['ad_not_found', ...errors],
    run: deleteAd,
  }),
  operation({
    ...shared,
    name: 'deleteAdSet',
    path: '/v1/ads/ad-sets/{adSetId}',
    inQuery,
    summary: 'Delete or archive an ad set',
    description: `Pauses an ad set, then deletes or archives it with its ads on its platform, also one that was not created here. \`confirm\` is the number of its ads, which a dry run returns. ${irreversible}`,
    input: DeleteAdSetInput,
    errors: ['ad_set_not_found', 'affected_changed', ...errors],
    run: deleteAdSet,
  }),
  operation({
    ...shared,
    name: 'deleteCampaign',
    path: '/v1/ads/campaigns/{campaignId}',
    inQuery,
    summary: 'Delete or archive a campaign',
    description: `Pauses a campaign, then deletes or archives it with its ad sets and ads on its platform, also one that was not created here. \`confirm\` is the number of its ads, which a dry run returns. Duplications of it that are still running fail. ${irreversible}`,
    input: DeleteCampaignInput,
    errors: ['campaign_not_found', 'affected_changed', ...errors],
    run: deleteCampaign,
  }),
];
