import { AppError } from '../../contract/error.ts';
import { DamagedValueError, type Binding, type Encrypted, type Encrypter } from '../../lib/encryption.ts';

export interface Decrypts {
  encrypter: Pick<Encrypter, 'decrypt'>;
}

/** Decrypts a stored value of a webhook; a damaged one is an error that says how to replace it. */
export function decryptOfWebhook(services: Decrypts, value: Encrypted, binding: Binding): string {
  const text = decryptUnlessDamaged(services, value, binding);
  if (text !== undefined) return text;
  const message = `A stored secret of webhook ${binding.documentId} is damaged and cannot be decrypted: update the webhook with a new \`secret\` and the whole \`customHeaders\``;
  throw new AppError('webhook_secret_damaged', message);
}

/** Returns undefined if the value is damaged; still throws if its key is missing. */
export function decryptUnlessDamaged({ encrypter }: Decrypts, value: Encrypted, binding: Binding): string | undefined {
  try {
    return encrypter.decrypt(value, binding);
  } catch (error) {
    if (error instanceof DamagedValueError) return undefined;
    throw error;
  }
}

/** A webhook has fewer values. */
const maxCached = 10;

/** Caches the decrypted values of one webhook, because deriving its key takes longer than signing a delivery. */
export function withDecryptionCache({ encrypter }: Decrypts): Decrypts {
  const cache = new Map<string, string>();
  return {
    encrypter: {
      decrypt(secret, binding) {
        const key = `${binding.purpose} ${binding.documentId} ${secret}`;
        const plain = cache.get(key) ?? encrypter.decrypt(secret, binding);
        if (cache.size >= maxCached) cache.clear();
        cache.set(key, plain);
        return plain;
      },
    },
  };
}
