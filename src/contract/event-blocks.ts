import { z } from 'zod';
import { Ad, AdStatus } from './ad.ts';
import { ApiKey } from './api-key.ts';
import { AdSet, Campaign } from './campaign.ts';
import { InstantOut, ObjectId } from './common.ts';
import { CampaignDiscovery } from './discovery.ts';
import { DuplicationProgress } from './duplication.ts';
import { updateSources, type EventName, type testEvent } from './event.ts';
import { AccountPlatform } from './platforms.ts';
import { Stop } from './stop.ts';
import { Webhook } from './webhook.ts';

const EventAccount = z.strictObject({
  accountId: ObjectId,
  profileId: ObjectId,
  platform: AccountPlatform,
  username: z.string().describe('Its handle at the platform'),
  displayName: z.string().describe('Its name at the platform'),
});
const SequencedAccount = EventAccount.extend({
  sequence: z.int().describe('Counted up with each event of the account; the highest is the newest'),
});

const discovery = CampaignDiscovery.pick({
  adAccounts: true,
  campaigns: true,
  adSets: true,
  ads: true,
  problems: true,
  problemCount: true,
}).extend({
  changed: z.int().describe('Objects that changed at the platform'),
  cancelled: z.int().describe('Ads that no longer exist at the platform'),
  failedAdAccounts: z.int().describe('Ad accounts that could not be read'),
});

const change = {
  changed: z.array(z.string()).describe('The members that changed'),
  source: z.enum(updateSources).describe('Where it was changed'),
};
// Without what follows from its ads.
const EventAdSet = AdSet.omit({ status: true, adCount: true, metrics: true }).extend({
  platform: AccountPlatform,
  profileId: ObjectId,
});
const EventCampaign = Campaign.omit({ status: true, adCount: true, adSetCount: true, metrics: true });

const EventDuplication = DuplicationProgress.omit({ _id: true, createdAt: true, finishedAt: true }).extend({
  duplicationId: ObjectId,
});
const EventStop = Stop.omit({ _id: true }).extend({ stopId: ObjectId });
const EventWebhook = Webhook.omit({ warnings: true });

/** What the named block of each event contains. */
export const eventBlocks = {
  'account.connected': SequencedAccount,
  'account.disconnected': SequencedAccount,
  'account.token_expired': SequencedAccount,
  'account.token_expiring': SequencedAccount.extend({
    tokenExpiresAt: InstantOut,
    daysLeft: z.int().describe('14, 7 or 1'),
  }),
  'account.ads.initial_sync_completed': SequencedAccount.extend({ discovery }),
  'ad.created': Ad,
  'ad.failed': Ad,
  'ad.status_changed': Ad.extend({ previousStatus: AdStatus }),
  'ad.updated': Ad.extend(change),
  'ad_set.updated': EventAdSet.extend(change),
  'campaign.updated': EventCampaign.extend(change),
  'ad_set.removed': EventAdSet,
  'campaign.removed': EventCampaign,
  'campaign.discovery_completed': EventAccount.extend({ discovery }),
  'listing.updated': z.strictObject({
    accountId: ObjectId,
    profileId: ObjectId,
    locationId: z.string(),
    fields: z.array(z.string()),
  }),
  'api_key.created': ApiKey,
  'api_key.expiring': ApiKey,
  'api_key.revoked': ApiKey,
  'campaign.duplicated': EventDuplication,
  'campaign.duplication_failed': EventDuplication,
  'stop.completed': EventStop,
  'stop.lifted': EventStop,
  'webhook.failing': EventWebhook,
  'webhook.disabled': EventWebhook,
  'webhook.test': EventWebhook.pick({ _id: true, name: true }),
} satisfies Record<EventName | typeof testEvent, z.ZodObject>;
