import { z } from 'zod';
import { Account } from '../contract/account.ts';
import { Ad, AdStatus } from '../contract/ad.ts';
import { AdSet, Campaign } from '../contract/campaign.ts';
import { attemptTexts, Delivery, ListDeliveriesInput } from '../contract/delivery.ts';
import { DuplicationProgress } from '../contract/duplication.ts';
import { AdAccount } from '../contract/lookup.ts';
import { accountKinds, AccountPlatform, adPlatformOf } from '../contract/platforms.ts';
import { Profile } from '../contract/profile.ts';
import { Webhook } from '../contract/webhook.ts';
import * as lists from '../services/related/lists.ts';
import { fromPlatform, toLog, toMany } from './relation-fields.ts';

const byId = ({ _id }: { _id: string }): string => _id;

const Unfiltered = z.strictObject({});
const ByStatus = z.strictObject({ status: AdStatus.optional().describe('Only those with this status') });
const ByPlatform = z.strictObject({ platform: AccountPlatform.optional().describe('Only accounts of this platform') });

toMany({
  parents: [Profile],
  name: 'accounts',
  description: 'Its connected accounts, newest first',
  type: Account,
  key: byId,
  filter: ByPlatform,
  list: lists.accountsOfProfiles,
});
toMany({
  parents: [Profile],
  name: 'campaigns',
  description: 'The campaigns of its accounts, newest first',
  type: Campaign,
  key: byId,
  filter: ByStatus,
  list: lists.campaignsOfProfiles,
});
toMany({
  parents: [Profile],
  name: 'ads',
  description: 'The ads of its accounts, newest first',
  type: Ad,
  key: byId,
  filter: ByStatus,
  list: lists.adsOfProfiles,
});
toMany({
  parents: [Account],
  name: 'campaigns',
  description: 'Its campaigns, newest first',
  type: Campaign,
  key: byId,
  filter: ByStatus,
  list: lists.campaignsOfAccounts,
});
toMany({
  parents: [Account],
  name: 'ads',
  description: 'Its ads, newest first',
  type: Ad,
  key: byId,
  filter: ByStatus,
  list: lists.adsOfAccounts,
});
toMany({
  parents: [AdAccount],
  name: 'campaigns',
  description: 'Its campaigns, newest first',
  type: Campaign,
  key: ({ accountId, id }) => lists.adAccountKey(accountId, id),
  filter: ByStatus,
  list: lists.campaignsOfAdAccounts,
});
toMany({
  parents: [Campaign],
  name: 'adSets',
  description: 'Its ad sets, newest first.',
  type: AdSet,
  key: byId,
  filter: Unfiltered,
  list: lists.adSetsInCampaigns,
  total: ({ adSetCount }) => adSetCount,
});
toMany({
  parents: [Campaign],
  name: 'ads',
  description: 'Its ads, newest first',
  type: Ad,
  key: byId,
  filter: ByStatus,
  list: lists.adsOfCampaigns,
});
toMany({
  parents: [Campaign],
  name: 'duplications',
  description: 'Copies that were made of it, newest first',
  type: DuplicationProgress,
  key: byId,
  filter: Unfiltered,
  list: lists.duplicationsOfCampaigns,
});
toMany({
  parents: [AdSet],
  name: 'ads',
  description: 'Its ads, newest first.',
  type: Ad,
  key: byId,
  filter: Unfiltered,
  list: lists.adsInAdSets,
  total: ({ adCount }) => adCount,
});
toLog({
  parents: [Webhook],
  name: 'deliveries',
  description: 'Its delivery log, newest first',
  type: Delivery,
  key: byId,
  filter: ListDeliveriesInput.pick({ status: true, event: true }),
  texts: attemptTexts,
  list: lists.deliveriesOfWebhooks,
});

fromPlatform({
  parents: [Account],
  name: 'adAccounts',
  description: 'The ad accounts that it can access, cached for up to an hour; null for an account without ads.',
  input: ({ _id, platform }) => (adPlatformOf(platform) ? { accountId: _id } : null),
});
fromPlatform({
  parents: [Account],
  name: 'listingLocations',
  description: 'The locations that it can access; null for an account without listings.',
  input: ({ _id, platform }) => (accountKinds[platform]?.hasListings ? { accountId: _id } : null),
});
