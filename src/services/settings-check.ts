import type { Clock } from '../lib/clock.ts';
import type { Db } from '../models/db.ts';
import type { KeyHolderDoc } from '../models/encryption-key.ts';
import type { Log } from '../telemetry/log.ts';
import { renewalsUntilExpiry } from './encryption/key-registry.ts';

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
/** Far more than a response takes, far less than receivers of signed requests accept. */
const mostClockMs = 30_000;

/**
 * Finds other processes of the database whose settings differ. A difference counts once several comparisons in a row have
 * found it: the registrations of processes that ended have expired by then.
 */
export function createSettingsCheck(
  { db, clock, log }: { db: Pick<Db, 'keyHolders'>; clock: Clock; log: Log },
  redis: () => Promise<{ id: string; time: number }>,
  config: { publicUrl: string; hasPublicUrl: boolean },
): SettingsCheck {
  const publicUrl = config.hasPublicUrl ? config.publicUrl : null;
  /** How many comparisons in a row have found a difference, by the name of the setting. */
  const differences = new Map<string, number>();
  const textOf = (name: string): string =>
    `${name} differs from that of other running processes with this database; it must be the same in all of them`;
  let isClockOff = false;
  const compareClock = (time: number): void => {
    const ms = clock.now().getTime() - time;
    const wasOff = isClockOff;
    isClockOff = Math.abs(ms) > mostClockMs;
    if (!isClockOff || wasOff) return;
    const effects = 'its signatures carry a wrong time, and what it schedules is due too early or too late';
    log.warn({ seconds: Math.round(ms / 1_000) }, `the clock of this process differs from that of Redis: ${effects}`);
  };
  return {
    async own() {
      const seen = await redis().catch(() => null);
      if (seen) compareClock(seen.time);
      return { redisId: seen?.id ?? null, publicUrl };
    },
    async compare(own) {
      const processes = await db.keyHolders
        .find({ expiresAt: { $gt: clock.now() } }, { redisId: 1, publicUrl: 1 })
        .limit(mostProcesses)
        .lean();
      for (const [field, name] of settings) {
        const differs = own[field] !== null && processes.some((one) => (one[field] ?? own[field]) !== own[field]);
        const count = differs ? (differences.get(name) ?? 0) + 1 : 0;
        differences.set(name, count);
        if (count === renewalsUntilExpiry) log.warn(textOf(name));
      }
    },
    warnings: () => [...differences].flatMap(([name, count]) => (count >= renewalsUntilExpiry ? [textOf(name)] : [])),
  };
}
