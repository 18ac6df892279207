import { z } from 'zod';
import { Account, AccountHealth } from '../contract/account.ts';
import { Ad } from '../contract/ad.ts';
import { SetCampaignStatusPayload } from '../contract/ad-update.ts';
import { ApiKey, NewApiKey } from '../contract/api-key.ts';
import { AdSet, Campaign } from '../contract/campaign.ts';
import { Delivery } from '../contract/delivery.ts';
import { CampaignDiscovery } from '../contract/discovery.ts';
import { CampaignDuplication, DuplicateCampaignPayload, DuplicationProgress } from '../contract/duplication.ts';
import {
  ListingAttributeMetadataResult,
  ListingAttributesResult,
  ListingLocationDetailsResult,
  SelectListingLocationPayload,
  UpdateListingAttributesPayload,
  UpdateListingLocationDetailsPayload,
} from '../contract/listing.ts';
import { AdAccount } from '../contract/lookup.ts';
import { Profile } from '../contract/profile.ts';
import { Recovery } from '../contract/recovery.ts';
import { HourOfAttempts, SaveWebhookPayload, Webhook } from '../contract/webhook.ts';
import { adSetRefOf, campaignRefOf } from '../services/campaigns/ids.ts';
import { adAccountKey } from '../services/related/lists.ts';
import * as records from '../services/related/records.ts';
import { toEach, toOne } from './relation-fields.ts';

const byId = ({ _id }: { _id: string }): string => _id;
const ofAccount = ({ accountId }: { accountId: string }): string => accountId;
const ofProfile = ({ profileId }: { profileId: string }): string => profileId;
const ofWebhook = ({ webhookId }: { webhookId: string }): string => webhookId;
const ofAdAccount = ({ accountId, platformAdAccountId }: { accountId: string; platformAdAccountId: string }): string =>
  adAccountKey(accountId, platformAdAccountId);
const campaignOf = (accountId: string, id: string | null): string | null =>
  id === null ? null : campaignRefOf(accountId, id);

// Never below what a connect token can select: it grants access to nothing but connecting.
toOne({
  parents: [
    AccountHealth,
    Ad,
    AdAccount,
    AdSet,
    Campaign,
    CampaignDiscovery,
    CampaignDuplication,
    DuplicationProgress,
    ListingAttributeMetadataResult,
    ListingAttributesResult,
    ListingLocationDetailsResult,
    SelectListingLocationPayload,
    SetCampaignStatusPayload,
    UpdateListingAttributesPayload,
    UpdateListingLocationDetailsPayload,
  ],
  name: 'account',
  description: 'The connected account; null once it is disconnected',
  type: Account,
  key: ofAccount,
  find: records.findAccounts,
});
toOne({
  parents: [Account, Ad, Campaign, CampaignDuplication, DuplicationProgress],
  name: 'profile',
  description: 'The profile that it belongs to',
  type: Profile,
  key: ofProfile,
  find: records.findProfiles,
});
toOne({
  parents: [Ad, Campaign],
  name: 'adAccount',
  description: 'The ad account that pays, as last read from the platform; null until it is read',
  type: AdAccount,
  key: ofAdAccount,
  find: records.findStoredAdAccounts,
});
toOne({
  parents: [Ad, AdSet],
  name: 'campaign',
  description: 'The campaign that it is in; null until it is recorded',
  type: Campaign,
  key: ({ accountId, platformCampaignId }) => campaignOf(accountId, platformCampaignId),
  find: records.findCampaigns,
});
toOne({
  parents: [SetCampaignStatusPayload],
  name: 'campaign',
  description: 'The campaign',
  type: Campaign,
  key: ({ accountId, campaignId }) => campaignOf(accountId, campaignId),
  find: records.findCampaigns,
});
toOne({
  parents: [Ad],
  name: 'adSet',
  description: 'The ad set that it is in; null until it is recorded',
  type: AdSet,
  key: ({ accountId, platformAdSetId: id }) => (id === null ? null : adSetRefOf(accountId, id)),
  find: records.findAdSets,
});
toOne({
  parents: [CampaignDuplication, DuplicationProgress],
  name: 'source',
  description: 'The campaign that is copied; null if it is not recorded',
  type: Campaign,
  key: ({ accountId, sourceCampaignId }) => campaignOf(accountId, sourceCampaignId),
  find: records.findCampaigns,
});
toOne({
  parents: [CampaignDuplication, DuplicationProgress],
  name: 'copy',
  description: 'The new campaign; null until it is recorded',
  type: Campaign,
  key: ({ accountId, copiedCampaignId }) => campaignOf(accountId, copiedCampaignId),
  find: records.findCampaigns,
});
toOne({
  parents: [DuplicateCampaignPayload],
  name: 'campaign',
  description: 'The new campaign; null until it is recorded',
  type: Campaign,
  key: ({ duplicationId }) => duplicationId,
  find: records.findCopies,
});
toOne({
  parents: [DuplicateCampaignPayload],
  name: 'duplication',
  description: 'The progress of the copy',
  type: DuplicationProgress,
  key: ({ duplicationId }) => duplicationId,
  find: records.findDuplications,
});
toOne({
  parents: [Account],
  name: 'health',
  description: 'Whether the connection works, and the cause and remedy of each issue',
  type: AccountHealth,
  key: byId,
  find: records.findHealths,
});
toOne({
  parents: [Account],
  name: 'discovery',
  description: 'The progress of the latest discovery; null before the first',
  type: CampaignDiscovery,
  key: byId,
  find: records.findDiscoveries,
});
toOne({
  parents: [Account],
  name: 'linkedAccounts',
  description: 'Accounts of the same profile that it belongs to, or that belong to it',
  type: z.array(Account),
  key: ({ profileId, platform }) => `${profileId} ${platform}`,
  find: records.findLinkedAccounts,
});
toOne({
  parents: [Delivery, Recovery],
  name: 'webhook',
  description: 'The webhook; null once it is deleted',
  type: Webhook,
  key: ofWebhook,
  find: records.findWebhooks,
});
toOne({
  parents: [Delivery],
  name: 'eventBody',
  description: 'The body of the event as it is sent; null once it has expired',
  type: z.unknown(),
  key: ({ eventId }) => eventId,
  find: records.findEventBodies,
});
toOne({
  parents: [Webhook],
  name: 'health',
  description: 'Attempts of the last 24 hours, oldest hour first; null if counting them would take too long',
  type: z.array(HourOfAttempts),
  key: byId,
  find: records.findWebhookHealths,
});
toOne({
  parents: [SaveWebhookPayload],
  name: 'recovery',
  description: 'The recovery started by `recover: failed`',
  type: Recovery,
  key: ({ recoveryId = null }) => recoveryId,
  find: records.findRecoveries,
});

toEach({
  parents: [ApiKey, NewApiKey],
  name: 'profiles',
  description: 'The profiles accessible to a key of scope `profiles`',
  type: Profile,
  keys: ({ profileIds }) => profileIds,
  find: records.findProfiles,
});
