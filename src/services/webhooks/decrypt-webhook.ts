import { AppError } from '../../contract/error.ts';
import { DamagedValueError, type Binding, type Encrypted } from '../../lib/encryption.ts';
import type { Services } from '../context.ts';

type Decrypts = Pick<Services, 'encrypter'>;

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
