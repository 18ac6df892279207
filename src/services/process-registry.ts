import { randomUUID } from 'node:crypto';
import type { RegisteredSettings } from '../models/process.ts';
import { startStep } from '../models/start-error.ts';
import { registerKey, requireKeys, type KeyTools } from './encryption/key-registry.ts';
import { logOutage } from './unexpected-error.ts';

/** How long a registration is valid without a renewal. */
export const registrationMs = 90_000;
const renewMs = 20_000;
/** After this many renewals, the registrations of processes that had ended before the first one have expired. */
export const renewalsUntilExpiry = Math.ceil(registrationMs / renewMs) + 1;

/** Settings that running processes must have in common. */
export interface SharedSettings {
  own: () => Promise<RegisteredSettings>;
  /** Compares with the other processes; called at equal intervals. */
  compare: (own: RegisteredSettings) => Promise<void>;
}

/**
 * Registers the keys and shared settings of this process for the others while it runs. Returns the function that removes the
 * registration.
 */
export async function holdRegistration(tools: KeyTools, settings?: SharedSettings): Promise<() => Promise<void>> {
  const { db, encrypter, clock, log } = tools;
  const _id = randomUUID();
  const [encryptsWith = ''] = encrypter.keyIds;
  let isStopped = false;
  const renew = async (): Promise<void> => {
    const own = await settings?.own();
    if (isStopped) return;
    const expiresAt = new Date(clock.now().getTime() + registrationMs);
    const registered = { encryptsWith, keyIds: encrypter.keyIds, expiresAt, ...own };
    await db.processes.updateOne({ _id }, registered, { upsert: true });
    if (own) await settings?.compare(own);
  };
  const lacking = await startStep(db.processes.db, 'registering the process', async () => {
    await renew();
    return db.processes.countDocuments({ expiresAt: { $gt: clock.now() }, keyIds: { $ne: encryptsWith } });
  });
  log.info({ encryptsWith, keyIds: encrypter.keyIds }, 'encryption keys');
  if (lacking > 0) {
    const advice = 'append it everywhere before you put it first anywhere';
    log.warn(
      { keyId: encryptsWith, processes: lacking },
      `other running processes lack the key that this one encrypts with; ${advice}`,
    );
  }
  const timer = setInterval(() => {
    Promise.all([renew(), registerKey(tools, encryptsWith)]).catch((error: unknown) => {
      if (!logOutage(log, error)) log.warn({ err: error }, 'could not register this process');
    });
  }, renewMs).unref();
  return async () => {
    isStopped = true;
    clearInterval(timer);
    // The entry expires by itself; an unavailable database must not keep the process from stopping.
    await db.processes
      .deleteOne({ _id })
      .catch((error: unknown) => log.debug({ err: error }, 'could not unregister this process'));
  };
}

/** Fails the start if the keys do not match the stored data; otherwise registers the process until the returned function is called. */
export async function registerProcess(tools: KeyTools, settings?: SharedSettings): Promise<() => Promise<void>> {
  await requireKeys(tools);
  return holdRegistration(tools, settings);
}
