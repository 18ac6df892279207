import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Binding, Encrypted, Encrypter } from '../lib/encryption.ts';

/** The signed-in caller, from the encrypted cookie: the hash of the key, never the key. */
export interface Session {
  id: string;
  keyId: string;
  keyHash: string;
  /** CSRF token that every form contains. */
  token: string;
  /** Milliseconds since 1970. */
  until: number;
}

const texts = ['id', 'keyId', 'keyHash', 'token'] as const;
const isSession = (value: Session): boolean =>
  texts.every((name) => typeof value[name] === 'string') && typeof value.until === 'number';

export const sessionUses = ['ads', 'deliveries', 'stops'] as const;

/** The page that a cookie belongs to: it is no session of another page. A login sets one for each page. */
export type SessionUse = (typeof sessionUses)[number];

/** No other request carries the cookie. */
export const cookiePath = (use: SessionUse): `/${SessionUse}` => `/${use}`;

export const cookieName = (use: SessionUse): string => `${use}_session`;
const bindingOf = (use: SessionUse): Binding => ({ purpose: 'page.session', documentId: use });

export const newSession = (
  { id, until }: { id: string; until: Date },
  { keyId, keyHash }: Pick<Session, 'keyId' | 'keyHash'>,
): Session => ({ id, keyId, keyHash, token: randomBytes(24).toString('base64url'), until: until.getTime() });

export const encryptSession = (encrypter: Encrypter, use: SessionUse, session: Session): string =>
  encrypter.encrypt(JSON.stringify(session), bindingOf(use));

/** Decrypts a session cookie; undefined if it is forged, for another use, or expired. */
export function openSession(
  encrypter: Encrypter,
  { use, cookie, now }: { use: SessionUse; cookie: string | undefined; now: Date },
): Session | undefined {
  if (!cookie) return undefined;
  try {
    const session = JSON.parse(encrypter.decrypt(cookie as Encrypted, bindingOf(use))) as Session;
    return isSession(session) && session.until > now.getTime() ? session : undefined;
  } catch {
    return undefined;
  }
}

export function isToken({ token }: Session, given: unknown): boolean {
  const [own, other] = [Buffer.from(token), Buffer.from(typeof given === 'string' ? given : '')];
  return own.length === other.length && timingSafeEqual(own, other);
}
