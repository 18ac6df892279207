import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { parseKeys } from './encryption-keys.ts';

declare const encrypted: unique symbol;
/** An encrypted secret as it may be stored. The brand keeps a plain token from being saved by mistake. */
export type Encrypted = string & { readonly [encrypted]: true };

/** Purposes of encrypted values; a value of one does not decrypt for another. True if values in the former format may exist. */
const purposes = {
  'account.token': true,
  'account.refresh_token': true,
  'account.ads_token': true,
  'account.ads_token_secret': true,
  'webhook.secret': true,
  'webhook.headers': true,
  'connect_grant.token': false,
  'connect_grant.refresh_token': false,
  'connect_state.secret': false,
  'connect_state.outcome': false,
  'page.session': false,
  'key.check': false,
} as const;
export type Purpose = keyof typeof purposes;

/** What a value is bound to: it does not decrypt for another document or purpose. */
export interface Binding {
  purpose: Purpose;
  documentId: string;
}

export interface Encrypter {
  /** The key ids; the first key encrypts. */
  keyIds: string[];
  /** Encrypts with the first key, or with the given one. */
  encrypt: (plain: string, binding: Binding, keyId?: string) => Encrypted;
  /** Throws a MissingKeyError if the key is not configured, a DamagedValueError if the value is damaged or bound elsewhere. */
  decrypt: (secret: Encrypted, binding: Binding) => string;
  /** True if a value has an older key or the former format and must be re-encrypted. */
  isStale: (secret: Encrypted) => boolean;
}

/** This process lacks the key of a value. Others may have it, so the value is not damaged. */
export class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
  readonly keyId: string;

  constructor(keyId: string) {
    super(`The encryption key "${keyId}" is not in ENCRYPTION_KEYS`);
    this.keyId = keyId;
  }
}

/** A value is damaged or bound elsewhere: its key is at hand and does not decrypt it. */
export class DamagedValueError extends Error {
  override readonly name = 'DamagedValueError';
}

const version = 'v2';

interface Parts {
  isFormer: boolean;
  keyId: string;
  iv: Buffer;
  tag: Buffer;
  body: Buffer;
}

/** `v2.keyId.iv.tag.ciphertext`; the former format lacks the first part and any binding. */
function partsOf(secret: string): Parts {
  const segments = secret.split('.');
  const isFormer = segments.length === 4;
  if (!isFormer && (segments.length !== 5 || segments[0] !== version))
    throw new DamagedValueError('Not an encrypted value');
  const [keyId = '', ...texts] = isFormer ? segments : segments.slice(1);
  const bytes = texts.map((text) => Buffer.from(text, 'base64url'));
  const [iv, tag, body] = bytes;
  const isCanonical = bytes.every((part, at) => part.toString('base64url') === texts[at]);
  if (!iv || !tag || !body || !isCanonical || iv.length !== 12 || tag.length !== 16) {
    throw new DamagedValueError('Not an encrypted value');
  }
  return { isFormer, keyId, iv, tag, body };
}

/** The id of the key that a value is encrypted with, and whether its format is the former one. */
export const formatOf = (secret: string): Pick<Parts, 'keyId' | 'isFormer'> => partsOf(secret);

// One key per document: a single key would reach the limit for random nonces after 2^32 values.
const derive = (key: Buffer, { purpose, documentId }: Binding): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `${version} ${purpose} ${documentId}`, 32));

const boundTo = (keyId: string, { purpose, documentId }: Binding): Buffer =>
  Buffer.from(JSON.stringify([version, keyId, purpose, documentId]));

/** AES-256-GCM under the first of the keys; the others only decrypt. Keys are `id:base64` of 32 bytes. */
export function createEncrypter(keys: string[]): Encrypter {
  const ring = parseKeys(keys);
  const [current] = ring;
  if (!current) throw new Error('At least one encryption key is required');
  const keyOf = (keyId: string): Buffer => {
    const found = ring.find(({ id }) => id === keyId);
    if (!found) throw new MissingKeyError(keyId);
    return found.key;
  };
  return {
    keyIds: ring.map(({ id }) => id),
    encrypt(plain, binding, keyId = current.id) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', derive(keyOf(keyId), binding), iv);
      cipher.setAAD(boundTo(keyId, binding));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      const parts = [iv, cipher.getAuthTag(), body].map((part) => part.toString('base64url'));
      return [version, keyId, ...parts].join('.') as Encrypted;
    },
    decrypt(secret, binding) {
      const { isFormer, keyId, iv, tag, body } = partsOf(secret);
      // Purposes that live for hours have no values in the former format: one there is forged.
      if (isFormer && !purposes[binding.purpose]) throw new DamagedValueError('Not an encrypted value of this purpose');
      const key = keyOf(keyId);
      const decipher = createDecipheriv('aes-256-gcm', isFormer ? key : derive(key, binding), iv, {
        authTagLength: 16,
      });
      if (!isFormer) decipher.setAAD(boundTo(keyId, binding));
      decipher.setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch (error) {
        throw new DamagedValueError('The encrypted value is damaged or belongs elsewhere', { cause: error });
      }
    },
    isStale: (secret) => !secret.startsWith(`${version}.${current.id}.`),
  };
}
