import { renaming, type Migration } from './migration.ts';

interface OldSecret {
  sealed: string;
}

const encryptedSecrets = (secrets: unknown): unknown =>
  (secrets as OldSecret[]).map(({ sealed, ...secret }) => ({ ...secret, encrypted: sealed }));

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
    deadLetters,
    ...removed('run'),
  ]),
  renaming('campaign_discoveries', [deadLetters, ...removed('run', 'leaseUntil')], { lease: null }),
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
      deadLetters,
    ],
    { lease: null },
  ),
  renaming('duplication_steps', [{ from: 'run', to: 'fencingToken' }]),
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
  ]),
  renaming('api_keys', [deadLetters]),
];
