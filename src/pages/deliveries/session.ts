import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Sealed, Sealer } from '../../lib/seal.ts';

/** Who is signed in, as the sealed cookie says: the key's hash and never the key. */
export interface Session {
  keyId: string;
  keyHash: string;
  /** Stands in every form, so that no other site can make one. */
  token: string;
  /** Milliseconds since 1970. */
  until: number;
}

export const cookieName = 'deliveries_session';
export const sessionSeconds = 8 * 3600;

/** Other things are sealed with the same keys and must not pass for a session. */
const use = 'deliveries-session';

export const newSession = (keyId: string, keyHash: string, now: Date): Session => ({
  keyId,
  keyHash,
  token: randomBytes(24).toString('base64url'),
  until: now.getTime() + sessionSeconds * 1000,
});

export const sealSession = (sealer: Sealer, session: Session): string =>
  sealer.seal(JSON.stringify({ use, ...session }));

/** The session in a cookie; nothing when it is forged, of another use, or over. */
export function openSession(sealer: Sealer, cookie: string | undefined, now: Date): Session | undefined {
  if (!cookie) return undefined;
  try {
    const session = JSON.parse(sealer.open(cookie as Sealed)) as Session & { use: string };
    return session.use === use && session.until > now.getTime() ? session : undefined;
  } catch {
    return undefined;
  }
}

export function isToken({ token }: Session, given: unknown): boolean {
  const [own, other] = [Buffer.from(token), Buffer.from(typeof given === 'string' ? given : '')];
  return own.length === other.length && timingSafeEqual(own, other);
}
