import { renaming, type Migration } from './migration.ts';

interface OldSecret {
  sealed: string;
}

const encryptedSecrets = (secrets: unknown): unknown =>
  (secrets as OldSecret[]).map(({ sealed, ...secret }) => ({ ...secret, encrypted: sealed }));

const failureOf = (trouble: unknown): unknown => {
  const { count, said } = trouble as { count: number; said: string };
  return { count, message: said };
};

const ofParents = [
  { from: 'touch', to: 'aggregateVersion' },
  { from: 'ownStatus', to: 'platformStatus' },
];
const deadLetters = { from: 'refusedEvents', to: 'deadLetterEvents' };
const removed = (...fields: string[]): { from: string }[] => fields.map((from) => ({ from }));

/**
 * Standard names of fields, and leases as `{ token, until }`. No process runs during a migration, so the leases of the old
 * format are free.
 */
export const toVersion2: Migration = [
  renaming(
    'accounts',
    [
      { from: 'sealedToken', to: 'encryptedToken' },
      { from: 'sealedRefreshToken', to: 'encryptedRefreshToken' },
      { from: 'sealedAdsToken', to: 'encryptedAdsToken' },
      { from: 'sealedAdsTokenSecret', to: 'encryptedAdsTokenSecret' },
      { from: 'refreshTrouble', to: 'lastRefreshError' },
      { from: 'kept', to: 'platformState' },
      deadLetters,
      ...removed('refreshRun', 'refreshUntil'),
    ],
    { refreshLease: null },
  ),
  renaming('ads', [
    { from: 'batchId', to: 'orderId' },
    { from: 'isOff', to: 'isPaused' },
    { from: 'order.isOn', to: 'order.isActivated' },
    { from: 'settleAfter', to: 'reconcileAt' },
    { from: 'missedAt', to: 'firstMissedAt' },
    { from: 'terms', to: 'settings' },
    deadLetters,
    ...removed('run'),
  ]),
  renaming('ad_sets', ofParents),
  renaming('campaigns', ofParents),
  renaming(
    'campaign_discoveries',
    [
      { from: 'wanted', to: 'isRequested' },
      { from: 'seen', to: 'counts' },
      deadLetters,
      ...removed('run', 'leaseUntil'),
    ],
    { lease: null },
  ),
  renaming('connect_grants', [
    { from: 'sealedToken', to: 'encryptedToken' },
    { from: 'sealedRefreshToken', to: 'encryptedRefreshToken' },
  ]),
  renaming('connect_states', [{ from: 'sealedSecret', to: 'encryptedSecret' }]),
  renaming(
    'duplications',
    [
      { from: 'likeness', to: 'conflictKey' },
      { from: 'run', to: 'fencingToken' },
      { from: 'dueAt', to: 'runAt' },
      { from: 'tries', to: 'attempts' },
      { from: 'tree.campaign.isHeld', to: 'tree.campaign.isOnHold' },
      deadLetters,
    ],
    { lease: null },
  ),
  renaming('duplication_steps', [{ from: 'standing', to: 'existingCopyIds' }, ...removed('run')]),
  renaming('idempotency_keys', [{ from: 'leaseUntil', to: 'lease', value: () => null }]),
  renaming('listing_edits', [{ from: 'settleAfter', to: 'reconcileAt' }], { lease: null }),
  renaming('webhooks', [
    { from: 'sealedSecret', to: 'encryptedSecret' },
    { from: 'sealedHeaders', to: 'encryptedHeaders' },
    { from: 'oldSecrets', to: 'previousSecrets', value: encryptedSecrets },
    { from: 'epoch', to: 'generation' },
    { from: 'lastStrikeAt', to: 'lastFailureAt' },
    { from: 'hasExhausted', to: 'exhaustedNotified' },
    deadLetters,
    ...removed('turn'),
  ]),
  renaming('webhook_deliveries', [
    { from: 'attemptNo', to: 'attemptCount' },
    { from: 'ladderStep', to: 'retryCount' },
    { from: 'cycle', to: 'replay' },
    { from: 'trouble', to: 'failure', value: failureOf },
  ]),
  renaming('api_keys', [{ from: 'expiryToldAt', to: 'expiryNotifiedAt' }, deadLetters]),
];
