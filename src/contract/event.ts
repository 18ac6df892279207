import { z } from 'zod';

/** Where an object was changed: by a request to this service, or at the platform. */
export const updateSources = ['api', 'platform'] as const;
export type UpdateSource = (typeof updateSources)[number];

const changeNote =
  '`changed` names the members; `source` is `api` for a request to this service and `platform` for a change found by a discovery';

interface EventKind {
  description: string;
  /** The named block beside id, event and timestamp. */
  block: 'account' | 'apiKey' | 'ad' | 'adSet' | 'campaign' | 'duplication' | 'listing' | 'stop' | 'webhook';
}

/** Every event type. */
export const eventKinds = {
  'account.connected': {
    description: 'An account was connected, or connected again; the event with the higher `sequence` is newer',
    block: 'account',
  },
  'account.disconnected': {
    description: 'An account was disconnected by its owner; its tokens were deleted',
    block: 'account',
  },
  'account.token_expired': {
    description: 'The platform no longer accepts the connection: nothing works until its owner connects it again',
    block: 'account',
  },
  'account.token_expiring': {
    description:
      'The token of an account ends in at most `daysLeft` days (14, 7, 1) and cannot renew itself: its owner has to connect the account again',
    block: 'account',
  },
  'account.ads.initial_sync_completed': {
    description: 'The ads of a newly connected account were read for the first time; `discovery` counts what was seen',
    block: 'account',
  },
  'ad.created': { description: 'An ad was created on its platform.', block: 'ad' },
  'ad.failed': {
    description: 'An ad could not be created; `rejectionReason` contains the reason',
    block: 'ad',
  },
  'ad.status_changed': {
    description: 'The status of an ad changed on its platform; `previousStatus` is what it was',
    block: 'ad',
  },
  'ad.updated': {
    description: 'The name, the budget, the end or the URL parameters of an ad changed. ' + changeNote,
    block: 'ad',
  },
  'ad_set.updated': {
    description: 'The name, the budget, the end or the status of an ad set changed. ' + changeNote,
    block: 'adSet',
  },
  'campaign.updated': {
    description: 'The name, the budget, the end or the status of a campaign changed. ' + changeNote,
    block: 'campaign',
  },
  'ad_set.removed': {
    description: 'An ad set was deleted or archived through this API with its ads; `removal` says which',
    block: 'adSet',
  },
  'campaign.removed': {
    description: 'A campaign was deleted or archived through this API with its ad sets and ads; `removal` says which',
    block: 'campaign',
  },
  'campaign.discovery_completed': {
    description:
      'A discovery of an account completed; `discovery` counts the objects that it read and changed, and lists those that it could not read',
    block: 'account',
  },
  'listing.updated': {
    description: 'Details or attributes of a location were changed; `fields` names them as the mask did',
    block: 'listing',
  },
  'api_key.created': { description: 'An API key was made', block: 'apiKey' },
  'api_key.expiring': {
    description: 'An API key expires within seven days',
    block: 'apiKey',
  },
  'api_key.revoked': { description: 'An API key was revoked.', block: 'apiKey' },
  'campaign.duplicated': {
    description: 'A campaign was duplicated completely.',
    block: 'duplication',
  },
  'campaign.duplication_failed': {
    description: 'A campaign could not be copied completely; `error` contains the reason, and what exists is counted',
    block: 'duplication',
  },
  'stop.completed': {
    description:
      'An emergency stop paused every campaign, or gave up on those in `failures`; it stays in force until it is lifted',
    block: 'stop',
  },
  'stop.lifted': {
    description: 'An emergency stop was lifted: activations are allowed again, and what it paused stays paused',
    block: 'stop',
  },
  'webhook.failing': {
    description:
      'A webhook keeps failing: after the first exhausted delivery, and at the fifth and eighth consecutive failure',
    block: 'webhook',
  },
  'webhook.disabled': {
    description: 'A webhook was disabled: ten consecutive failures, or its receiver responded with 410',
    block: 'webhook',
  },
} as const satisfies Record<string, EventKind>;

export type EventName = keyof typeof eventKinds;
export const eventNames = Object.keys(eventKinds) as EventName[];

/** Sent only by the test action, so it cannot be subscribed to. */
export const testEvent = 'webhook.test';
export const testKind: EventKind = {
  description: 'Sent only to the webhook that `testWebhook` tests; webhooks cannot subscribe to it',
  block: 'webhook',
};

export const EventType = z
  .strictObject({
    name: z.string().describe('Name of the event, as in `events` of a webhook and `event` of the body'),
    description: z.string().describe('When it is sent'),
    schema: z.record(z.string(), z.unknown()).describe('JSON Schema of the whole body'),
    sample: z.record(z.string(), z.unknown()).describe('A whole body as it is sent'),
  })
  .meta({ id: 'EventType', description: 'A kind of event that webhooks receive' });
export type EventType = z.infer<typeof EventType>;

export const ListEventTypesResult = z
  .strictObject({ eventTypes: z.array(EventType) })
  .meta({ id: 'ListEventTypesResult' });
export type ListEventTypesResult = z.infer<typeof ListEventTypesResult>;
