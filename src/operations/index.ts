import { accountOperations } from './accounts.ts';
import { activityOperations } from './activity.ts';
import { adOperations } from './ads.ts';
import { apiKeyOperations } from './api-keys.ts';
import { connectOperations } from './connect.ts';
import { campaignOperations } from './campaigns.ts';
import { discoveryOperations, discoveryProgress } from './discovery.ts';
import { listingOperations } from './listings.ts';
import { duplicationOperations, duplicationProgress } from './duplications.ts';
import { lookUpOperations } from './lookups.ts';
import { profileOperations } from './profiles.ts';
import { removalOperations } from './removals.ts';
import { reportOperations } from './reports.ts';
import { stopOperations, stopProgress } from './stops.ts';
import { deliveries, webhookOperations } from './webhooks.ts';
import type { Operation, Subscription } from './operation.ts';

export interface OperationGroup {
  name: string;
  description: string;
  operations: Operation[];
}

/** All operations, grouped by the headings of the reference. */
export const operationGroups: OperationGroup[] = [
  {
    name: 'API keys',
    description: 'Keys authenticate requests. A key can be limited to reading, or to some profiles.',
    operations: apiKeyOperations,
  },
  {
    name: 'Profiles',
    description: 'A profile groups connected accounts: a client, a brand or a shop.',
    operations: profileOperations,
  },
  { name: 'Accounts', description: 'Accounts at platforms that users have connected.', operations: accountOperations },
  {
    name: 'Connect',
    description: 'The flow in which a person authorises the connection of an account.',
    operations: connectOperations,
  },
  {
    name: 'Listings',
    description: 'Locations of a business and what its listing says about them.',
    operations: listingOperations,
  },
  {
    name: 'Look-ups',
    description:
      'Values that createAd accepts: targeting options, interests, ad accounts and the capabilities of each platform.',
    operations: lookUpOperations(rateWeights),
  },
  {
    name: 'Campaigns',
    description: 'Campaigns with their ad sets and ads, created here or found at a platform.',
    operations: campaignOperations,
  },
  {
    name: 'Reports',
    description: 'Figures of ads by date range.',
    operations: reportOperations,
  },
  {
    name: 'Discovery',
    description: 'Reads the campaigns of an account from its platform.',
    operations: discoveryOperations,
  },
  { name: 'Ads', description: 'Paid ads on six platforms.', operations: [...adOperations, ...removalOperations] },
  {
    name: 'Emergency stops',
    description: 'Pause every running campaign of an account, an ad account or an API key.',
    operations: stopOperations,
  },
  { name: 'Duplications', description: 'Copies of campaigns.', operations: duplicationOperations },
  {
    name: 'Webhooks',
    description: 'Signed deliveries of events, their log, redelivery and recovery.',
    operations: webhookOperations,
  },
  {
    name: 'Activity',
    description: 'Who changed what, and when.',
    operations: activityOperations,
  },
];

export const operations: Operation[] = operationGroups.flatMap((group) => group.operations);

export const subscriptions: Subscription[] = [deliveries, discoveryProgress, duplicationProgress, stopProgress];

const byName = new Map(operations.map((operation) => [operation.name, operation]));

/** The operation of that name, which is also the name of its GraphQL field. */
export const findOperation = (name: string): Operation | undefined => byName.get(name);

/** The units of the operations that count more than one, by name. */
export function rateWeights(): Record<string, number> {
  return Object.fromEntries(operations.filter(({ weight }) => weight > 1).map(({ name, weight }) => [name, weight]));
}
