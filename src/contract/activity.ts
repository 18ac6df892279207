import { z } from 'zod';
import { Cursor, inOrder, Instant, InstantOut, Limit, ObjectId, Page, Pagination } from './common.ts';
import { AccountPlatform } from './platforms.ts';

const namesOf = <T extends object>(values: T) => Object.keys(values) as [keyof T & string, ...(keyof T & string)[]];

/** Every action: the type of its object, then what was done, as in the names of events. */
const actions = {
  'account.budget_limits_changed': 'The budget limits of an ad account were changed',
  'account.connected': 'An account was connected, or connected again',
  'account.disconnected': 'An account was disconnected',
  'account.token_expired': 'The platform no longer accepted the connection of an account',
  'account.updated': 'A setting of an account was changed',
  'ad.change_failed': 'A change of an ad was sent to its platform and failed, or its outcome is unknown',
  'ad.created': 'An ad was created',
  'ad.failed': 'An ad could not be created',
  'ad.removed': 'An ad was deleted or archived',
  'ad.status_changed': 'An ad was paused or resumed',
  'ad.unconfirmed': 'The platform did not answer while an ad was created, so it may exist',
  'ad.updated': 'The name or the URL parameters of an ad were changed',
  'ad_set.budget_changed': 'The budget of an ad set was changed',
  'ad_set.change_failed': 'A change of an ad set was sent to its platform and failed, or its outcome is unknown',
  'ad_set.removed': 'An ad set was deleted or archived with its ads',
  'ad_set.status_changed': 'An ad set was paused or resumed',
  'ad_set.updated': 'The name or the end of an ad set was changed',
  'api_key.budget_limits_changed': 'The budget limits of an API key were changed',
  'api_key.created': 'An API key was created',
  'api_key.revoked': 'An API key was revoked',
  'api_key.rotated': 'An API key was replaced by another one',
  'campaign.budget_changed': 'The budget of a campaign was changed',
  'campaign.change_failed': 'A change of a campaign was sent to its platform and failed, or its outcome is unknown',
  'campaign.duplicated': 'A campaign was copied',
  'campaign.duplication_failed': 'A campaign could not be copied completely',
  'campaign.removed': 'A campaign was deleted or archived with its ad sets and ads',
  'campaign.status_changed': 'A campaign was paused or resumed',
  'campaign.updated': 'The name or the end of a campaign was changed',
  'listing.updated': 'Details or attributes of a location were changed',
  'profile.created': 'A profile was created',
  'profile.deleted': 'A profile was deleted',
  'profile.updated': 'The name, description or color of a profile was changed',
  'stop.lifted': 'An emergency stop was lifted',
  'stop.started': 'An emergency stop came into force',
  'webhook.created': 'A webhook was created',
  'webhook.deleted': 'A webhook was deleted',
  'webhook.disabled': 'A webhook was disabled after failures',
  'webhook.secret_rotated': 'The signing secret of a webhook was replaced',
  'webhook.updated': 'Settings of a webhook were changed',
} as const;

const objectTypes = {
  account: 'A connected account',
  ad: 'An ad',
  ad_set: 'An ad set',
  api_key: 'An API key',
  campaign: 'A campaign',
  listing: 'A location of a business',
  profile: 'A profile',
  stop: 'An emergency stop',
  webhook: 'A webhook',
} as const;

const actors = {
  api_key: 'A request with an API key',
  user: 'A person in the browser: on a page of this service, or in an OAuth callback',
  operator: 'A command of the command line',
  system: 'The service itself',
  platform: 'Someone at the platform itself, not through this API; a discovery found the change',
} as const;

const sources = {
  rest: 'The REST API',
  graphql: 'The GraphQL API',
  browser: 'A page or an OAuth callback',
  cli: 'The command line',
  worker: 'A background process',
  platform: 'The platform itself',
} as const;

const stepStates = {
  running: 'It was sent, and its process ended before the outcome was recorded',
  done: 'The platform executed it',
  unknown: 'There was no usable response: it may or may not have been executed',
  refused: 'The platform rejected it, or it was not sent',
} as const;

/** The meanings of the values, for the schema. */
export const activityValues = {
  ActivityAction: actions,
  ActivityObjectType: objectTypes,
  ActivitySource: sources,
  ActorType: actors,
  HistoryStepState: stepStates,
};

export const ActivityAction = z.enum(namesOf(actions)).meta({
  id: 'ActivityAction',
  description: 'What was done: the type of the object and the change, as in the names of webhook events',
});
export type ActivityAction = z.infer<typeof ActivityAction>;

const ActivityObjectType = z
  .enum(namesOf(objectTypes))
  .meta({ id: 'ActivityObjectType', description: 'What kind of object was changed' });
export type ActivityObjectType = z.infer<typeof ActivityObjectType>;

const ActorType = z.enum(namesOf(actors)).meta({ id: 'ActorType', description: 'Who made a change' });
export type ActorType = z.infer<typeof ActorType>;

const ActivitySource = z
  .enum(namesOf(sources))
  .meta({ id: 'ActivitySource', description: 'How a change was requested' });
export type ActivitySource = z.infer<typeof ActivitySource>;

const Actor = z
  .strictObject({
    type: ActorType,
    keyId: ObjectId.nullable().describe('Id of the API key; null if the type is not api_key or user'),
    keyName: z.string().nullable().describe('Name of the API key at that time'),
  })
  .meta({ id: 'ActivityActor', description: 'Who made a change' });

const ChangedObject = z
  .strictObject({
    type: ActivityObjectType,
    id: z.string().describe('Id of the object; of a campaign, an ad set or a location the id at the platform'),
    name: z.string().nullable().describe('Name of the object at that time'),
  })
  .meta({ id: 'ActivityObject', description: 'The object that was changed' });

const Free = z.record(z.string(), z.unknown());
const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), Free])), Free]).nullable();

const Change = z
  .strictObject({
    field: z.string().describe('Name of the field'),
    before: Value.describe(
      'Value before the change; null if there was none, or if values of this field are not recorded',
    ),
    after: Value.describe('Value after the change; null if there is none, or if values of this field are not recorded'),
  })
  .meta({ id: 'ActivityChange', description: 'A field that was changed. Secrets are named without their values' });

export const ActivityEntry = z
  .strictObject({
    id: ObjectId,
    at: InstantOut.describe('When the change was made'),
    action: ActivityAction,
    actor: Actor,
    source: ActivitySource,
    object: ChangedObject,
    profileId: ObjectId.nullable().describe('Id of the profile that the object belongs to'),
    accountId: ObjectId.nullable().describe('Id of the connected account that the object belongs to'),
    platform: AccountPlatform.nullable().describe('Platform of the connected account'),
    changes: z.array(Change).describe('The fields that were set; an amount has its currency'),
    requestId: z.string().nullable().describe('`X-Request-Id` of the request that made the change'),
  })
  .meta({ id: 'ActivityEntry', description: 'A change: who made it, when, and what it set' });
export type ActivityEntry = z.infer<typeof ActivityEntry>;

export const ListActivityInput = z
  .strictObject({
    page: Page,
    cursor: Cursor,
    limit: Limit,
    objectType: ActivityObjectType.optional().describe('Only changes of objects of this type'),
    objectId: z.string().min(1).max(255).optional().describe('Only changes of this object'),
    action: ActivityAction.optional().describe('Only this action'),
    keyId: ObjectId.optional().describe('Only changes made with this API key'),
    accountId: ObjectId.optional().describe('Only changes of objects of this account'),
    from: Instant.optional().describe('Only changes at or after this instant'),
    to: Instant.optional().describe('Only changes before this instant'),
  })
  .superRefine(...inOrder('from', 'to'))
  .meta({ id: 'ListActivityInput' });
export type ListActivityInput = z.output<typeof ListActivityInput>;

export const ListActivityResult = z
  .strictObject({ activity: z.array(ActivityEntry), pagination: Pagination })
  .meta({ id: 'ListActivityResult' });
export type ListActivityResult = z.infer<typeof ListActivityResult>;
