import type { Clock } from '../lib/clock.ts';
import type { Db } from '../models/db.ts';
import type { KeyHolderDoc } from '../models/encryption-key.ts';
import type { Log } from '../telemetry/log.ts';
import { lastingRounds } from './encryption/key-registry.ts';

/** Settings that must be the same in all processes, as registered for the others. */
type Registered = Required<Pick<KeyHolderDoc, 'redisId' | 'publicUrl'>>;

export interface SettingsCheck {
  own: () => Promise<Registered>;
  /** Compares with the other processes; called at equal intervals. */
  compare: (own: Registered) => Promise<void>;
  /** The differences found, for `/readyz`. */
  warnings: () => string[];
}

const settings = [
  ['redisId', 'REDIS_URL or REDIS_PREFIX'],
  ['publicUrl', 'PUBLIC_URL'],
] as const;
const mostProcesses = 1_000;

/**
 * Finds other processes of the database whose settings differ. A difference counts once several comparisons in a row have
 * found it: the registrations of processes that ended have expired by then.
 */
export function createSettingsCheck(
  { db, clock, log }: { db: Pick<Db, 'keyHolders'>; clock: Clock; log: Log },
  redisId: () => Promise<string>,
  config: { publicUrl: string; hasPublicUrl: boolean },
): SettingsCheck {
  const publicUrl = config.hasPublicUrl ? config.publicUrl : null;
  const found = new Map<string, number>();
  const textOf = (name: string): string =>
    `${name} differs from that of other running processes with this database; it must be the same in all of them`;
  return {
    own: async () => ({ redisId: await redisId().catch(() => null), publicUrl }),
    async compare(own) {
      const processes = await db.keyHolders
        .find({ expiresAt: { $gt: clock.now() } }, { redisId: 1, publicUrl: 1 })
        .limit(mostProcesses)
        .lean();
      for (const [field, name] of settings) {
        const differs = own[field] !== null && processes.some((one) => (one[field] ?? own[field]) !== own[field]);
        const count = differs ? (found.get(name) ?? 0) + 1 : 0;
        found.set(name, count);
        if (count === lastingRounds) log.warn(textOf(name));
      }
    },
    warnings: () => [...found].flatMap(([name, count]) => (count >= lastingRounds ? [textOf(name)] : [])),
  };
}
