import { AppError } from '../../contract/error.ts';
import { atMostEvery } from '../../lib/throttle.ts';
import type { Log } from '../../telemetry/log.ts';
import { MissingKeyError, type Encrypter } from '../../lib/encryption.ts';
import { encryptionKeyMissing } from '../../telemetry/events.ts';

export const deferSeconds = 30;

/**
 * Defers work that needs a key this process lacks: throws a 503 before anything is recorded, counts it, and logs the key
 * id at most once a second.
 */
export function deferring(encrypter: Encrypter, log: Log): Encrypter {
  const report = atMostEvery(1_000, ({ keyId, message }: MissingKeyError, purpose: string) =>
    log.error({ keyId, purpose }, `${message}: work that needs it is deferred`),
  );
  return {
    ...encrypter,
    decrypt(secret, binding) {
      try {
        return encrypter.decrypt(secret, binding);
      } catch (error) {
        if (!(error instanceof MissingKeyError)) throw error;
        encryptionKeyMissing.emit({});
        report(error, binding.purpose);
        const message =
          'A stored value that this call needs cannot be decrypted at the moment; nothing was changed, retry the call';
        throw new AppError('temporarily_unavailable', message, { retryAfterSeconds: deferSeconds }, { cause: error });
      }
    },
  };
}

/** Whether a missing key deferred the work, which must then not be recorded as failed. */
export const isDeferred = (error: unknown): error is AppError =>
  error instanceof AppError && error.cause instanceof MissingKeyError;
