import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/hash.ts';
import type { Author } from '../../models/activity.ts';
import type { ApiKeyDoc } from '../../models/api-key.ts';
import { system } from '../activity/author.ts';
import { changesOf, newActivity } from '../activity/new-activity.ts';
import { newOutboxEvent } from '../durable/outbox.ts';
import type { Services } from '../context.ts';
import { toApiKey } from './to-api-key.ts';

type Settings = Pick<
  ApiKeyDoc,
  'userId' | 'name' | 'scope' | 'profileIds' | 'permission' | 'expiresAt' | 'budgetLimits' | 'budgetKeyId' | 'stopId'
>;

/** Stores a key as its hash, with its event; returns the only copy of the key itself. */
export async function storeNewKey(
  { db, clock, wakeRelay }: Services,
  id: string,
  settings: Settings,
  author: Author = system,
): Promise<{ doc: ApiKeyDoc; key: string }> {
  const key = `sk_${randomBytes(32).toString('hex')}`;
  const now = clock.now();
  const doc: ApiKeyDoc = {
    _id: id,
    ...settings,
    keyHash: sha256(key),
    keyPreview: `${key.slice(0, 11)}...${key.slice(-8)}`,
    lastUsedAt: null,
    revokedAt: null,
    expiryNotifiedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  // One event id per key, so that a second run after a crash emits no second event.
  const eventId = `evt_${sha256(`api_key.created ${id}`).slice(0, 24)}`;
  const { scope, permission, profileIds, budgetLimits, expiresAt } = settings;
  const values = { scope, permission, profileIds, budgetLimits: budgetLimits ?? undefined };
  const changes = changesOf(null, { ...values, expiresAt: expiresAt?.toISOString() });
  const object = { id, name: settings.name };
  doc.pendingEvents = [
    { ...newOutboxEvent('api_key.created', { apiKey: toApiKey(doc) }, now), eventId },
    newActivity({ action: 'api_key.created', author, object, changes }, { at: now, once: id }),
  ];
  // A second run after a crash gives the object of the first one a new key: the old one was never returned.
  await db.apiKeys.replaceOne({ _id: id }, doc, { upsert: true });
  wakeRelay();
  return { doc, key };
}
