import { randomBytes } from 'node:crypto';
import { sha256 } from '../lib/hash.ts';
import { earlier } from './api-keys/lifetime.ts';
import type { Ctx, Services } from './context.ts';

const lifeMs = 8 * 3_600_000;

/** Creates a session of a page, which expires no later than the API key. */
export async function beginPageSession({ db, clock, encrypter, caller }: Ctx): Promise<{ id: string; until: Date }> {
  const id = randomBytes(24).toString('base64url');
  const end = new Date(clock.now().getTime() + lifeMs);
  const until = earlier(end, caller.endsAt) ?? end;
  const encryptionKeyId = encrypter.keyIds[0] ?? '';
  await db.pageSessions.create({ _id: sha256(id), apiKeyId: caller.keyId, encryptionKeyId, expiresAt: until });
  return { id, until };
}

/** Returns false after the session was signed out, in any process. */
export const isPageSessionOpen = async ({ db, clock }: Pick<Services, 'db' | 'clock'>, id: string): Promise<boolean> =>
  (await db.pageSessions.exists({ _id: sha256(id), expiresAt: { $gt: clock.now() } })) !== null;

export async function endPageSession({ db }: Pick<Services, 'db'>, id: string): Promise<void> {
  await db.pageSessions.deleteOne({ _id: sha256(id) });
}
