import { AppError } from '../../contract/error.ts';
import { atMostEvery } from '../../lib/at-most-every.ts';
import type { Log } from '../../lib/log.ts';
import { MissingKeyError, type Sealer } from '../../lib/seal.ts';
import { encryptionKeyMissing } from '../../lib/signals.ts';

export const deferSeconds = 30;

/**
 * A value whose key this process lacks defers whatever needs it: a 503 before anything is recorded. It is counted, and
 * logged with the key's id at most once a second.
 */
export function deferring(sealer: Sealer, log: Log): Sealer {
  const report = atMostEvery(1_000, ({ keyId, message }: MissingKeyError, purpose: string) =>
    log.error({ keyId, purpose }, `${message}: what needs it is deferred`),
  );
  return {
    ...sealer,
    open(secret, binding) {
      try {
        return sealer.open(secret, binding);
      } catch (error) {
        if (!(error instanceof MissingKeyError)) throw error;
        encryptionKeyMissing.say({});
        report(error, binding.purpose);
        const message =
          'Something stored for this call cannot be read at the moment; nothing was done, repeat the call';
        throw new AppError('temporarily_unavailable', message, { retryAfterSeconds: deferSeconds }, { cause: error });
      }
    },
  };
}

/** True where a missing key deferred the work: its outcome must not be recorded as a failure. */
export const isDeferred = (error: unknown): error is AppError =>
  error instanceof AppError && error.cause instanceof MissingKeyError;
