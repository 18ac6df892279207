import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

declare const sealed: unique symbol;
/** A secret as it may be stored: `keyId.iv.tag.ciphertext`. The brand keeps a plain token from being saved by mistake. */
export type Sealed = string & { readonly [sealed]: true };

export interface Sealer {
  seal: (plain: string) => Sealed;
  open: (secret: Sealed) => string;
  /** True when the secret is sealed under an older key and should be sealed anew. */
  isStale: (secret: Sealed) => boolean;
}

/** AES-256-GCM under the first of the keys; the others only open. Keys are `id:base64` of 32 bytes. */
export function createSealer(keys: string[]): Sealer {
  const ring = new Map(keys.map(parseKey));
  const first = ring.entries().next().value;
  if (!first) throw new Error('SEALING_KEYS needs at least one key, written id:base64');
  const [currentId, currentKey] = first;
  return {
    seal(plain) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', currentKey, iv);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return [currentId, ...[iv, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join(
        '.',
      ) as Sealed;
    },
    open(secret) {
      const [id = '', iv = '', tag = '', body = ''] = secret.split('.');
      const key = ring.get(id);
      if (!key) throw new Error(`No sealing key "${id}" is configured`);
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), { authTagLength: 16 });
      decipher.setAuthTag(Buffer.from(tag, 'base64url'));
      return decipher.update(Buffer.from(body, 'base64url'), undefined, 'utf8') + decipher.final('utf8');
    },
    isStale: (secret) => !secret.startsWith(`${currentId}.`),
  };
}

function parseKey(text: string): [string, Buffer] {
  const at = text.indexOf(':');
  const id = text.slice(0, at);
  const key = Buffer.from(text.slice(at + 1), 'base64');
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(id) || key.length !== 32) {
    throw new Error('A sealing key is written id:base64 with 32 bytes behind the colon');
  }
  return [id, key];
}
