import { z } from 'zod';
import {
  accountSample,
  adSample,
  adSetRemovedSample,
  adSetSample,
  adUpdatedSample,
  at,
  campaignRemovedSample,
  campaignSample,
  discoverySample,
  duplicationSample,
  id,
  keySample,
  listingSample,
  quietAccountSample,
  stopSample,
  webhookSample,
} from './event-samples.ts';

/** Where an object was changed: by a request to this service, or at the platform. */
export type UpdateSource = 'api' | 'platform';

const changeNote =
  '`changed` names the members; `source` is `api` for a request to this service and `platform` for a change found by a discovery';

interface EventKind {
  description: string;
  /** The named block beside id, event and timestamp. */
  block: 'account' | 'apiKey' | 'ad' | 'adSet' | 'campaign' | 'duplication' | 'listing' | 'stop' | 'webhook';
  sample: Record<string, unknown>;
}

/** Every event type, with its description and an example of its block. */
export const eventKinds = {
  'account.connected': {
    description: 'An account was connected, or connected again; the event with the higher `sequence` is newer',
    block: 'account',
    sample: { ...accountSample, sequence: 1 },
  },
  'account.disconnected': {
    description: 'An account was disconnected by its owner; its tokens were deleted',
    block: 'account',
    sample: { ...accountSample, sequence: 3 },
  },
  'account.token_expired': {
    description: 'The platform no longer accepts the connection: nothing works until its owner connects it again',
    block: 'account',
    sample: accountSample,
  },
  'account.token_expiring': {
    description:
      'The token of an account ends in at most `daysLeft` days (14, 7, 1) and cannot renew itself: its owner has to connect the account again',
    block: 'account',
    sample: { ...accountSample, tokenExpiresAt: '2027-02-07T09:00:00.000Z', daysLeft: 7 },
  },
  'account.ads.initial_sync_completed': {
    description: 'The ads of a newly connected account were read for the first time; `discovery` counts what was seen',
    block: 'account',
    sample: { ...accountSample, discovery: { ...discoverySample, changed: 0, cancelled: 0 } },
  },
  'ad.created': { description: 'An ad was created on its platform.', block: 'ad', sample: adSample },
  'ad.failed': {
    description: 'An ad could not be created; `rejectionReason` contains the reason',
    block: 'ad',
    sample: { ...adSample, status: 'error', rejectionReason: 'Budget too low' },
  },
  'ad.status_changed': {
    description: 'The status of an ad changed on its platform; `previousStatus` is what it was',
    block: 'ad',
    sample: { ...adSample, status: 'paused', previousStatus: 'active' },
  },
  'ad.updated': {
    description: 'The name, the budget, the end or the URL parameters of an ad changed. ' + changeNote,
    block: 'ad',
    sample: { ...adUpdatedSample, changed: ['budget', 'schedule'], source: 'api' },
  },
  'ad_set.updated': {
    description: 'The name, the budget, the end or the status of an ad set changed. ' + changeNote,
    block: 'adSet',
    sample: adSetSample,
  },
  'campaign.updated': {
    description: 'The name, the budget, the end or the status of a campaign changed. ' + changeNote,
    block: 'campaign',
    sample: campaignSample,
  },
  'ad_set.removed': {
    description: 'An ad set was deleted or archived through this API with its ads; `removal` says which',
    block: 'adSet',
    sample: { ...adSetRemovedSample, removal: 'deleted' },
  },
  'campaign.removed': {
    description: 'A campaign was deleted or archived through this API with its ad sets and ads; `removal` says which',
    block: 'campaign',
    sample: { ...campaignRemovedSample, removal: 'archived' },
  },
  'campaign.discovery_completed': {
    description:
      'A discovery of an account completed; `discovery` counts the objects that it read and changed, and lists those that it could not read',
    block: 'account',
    sample: { ...quietAccountSample, discovery: discoverySample },
  },
  'listing.updated': {
    description: 'Details or attributes of a location were changed; `fields` names them as the mask did',
    block: 'listing',
    sample: listingSample,
  },
  'api_key.created': { description: 'An API key was made', block: 'apiKey', sample: keySample },
  'api_key.expiring': {
    description: 'An API key expires within seven days',
    block: 'apiKey',
    sample: { ...keySample, expiresAt: '2027-02-07T09:00:00.000Z' },
  },
  'api_key.revoked': { description: 'An API key was revoked.', block: 'apiKey', sample: keySample },
  'campaign.duplicated': {
    description: 'A campaign was duplicated completely.',
    block: 'duplication',
    sample: duplicationSample,
  },
  'campaign.duplication_failed': {
    description: 'A campaign could not be copied completely; `error` contains the reason, and what exists is counted',
    block: 'duplication',
    sample: { ...duplicationSample, status: 'failed', ads: { copied: 7, total: 20 }, error: 'Budget too low' },
  },
  'stop.completed': {
    description:
      'An emergency stop paused every campaign, or gave up on those in `failures`; it stays in force until it is lifted',
    block: 'stop',
    sample: stopSample,
  },
  'stop.lifted': {
    description: 'An emergency stop was lifted: activations are allowed again, and what it paused stays paused',
    block: 'stop',
    sample: { ...stopSample, status: 'lifted', liftedAt: at },
  },
  'webhook.failing': {
    description:
      'A webhook keeps failing: after the first exhausted delivery, and at the fifth and eighth consecutive failure',
    block: 'webhook',
    sample: webhookSample,
  },
  'webhook.disabled': {
    description: 'A webhook was disabled: ten consecutive failures, or its receiver responded with 410',
    block: 'webhook',
    sample: { ...webhookSample, isActive: false, consecutiveFailures: 10, disabledReason: 'consecutive_failures' },
  },
} as const satisfies Record<string, EventKind>;

export type EventName = keyof typeof eventKinds;
export const eventNames = Object.keys(eventKinds) as EventName[];

/** Sent only by the test action, so it cannot be subscribed to. */
export const testEvent = 'webhook.test';
const testKind: EventKind = {
  description: 'Sent only to the webhook that `testWebhook` tests; webhooks cannot subscribe to it',
  block: 'webhook',
  sample: { _id: webhookSample._id, name: webhookSample.name },
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

const shapeOf = (value: unknown): Record<string, unknown> => {
  if (value === null) return { type: ['string', 'null'] };
  if (Array.isArray(value)) return { type: 'array' };
  if (typeof value !== 'object') return { type: typeof value };
  const properties = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
  return { type: 'object', properties, required: Object.keys(value) };
};

/** The catalogue as callers read it: the envelope is the same for all. */
export const eventTypes: EventType[] = Object.entries({ ...eventKinds, [testEvent]: testKind }).map(([name, kind]) => {
  const { description, block, sample } = kind;
  const body = { id: `evt_${id('e1')}`, event: name, timestamp: at, [block]: sample };
  return { name, description, sample: body, schema: shapeOf(body) };
});
