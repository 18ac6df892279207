import type { Clock } from '../lib/clock.ts';
import type { Db } from '../models/db.ts';
import type { Log } from '../telemetry/log.ts';
import { renewalsUntilExpiry, type SharedSettings } from './process-registry.ts';

export interface SettingsCheck extends SharedSettings {
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

const warningOf = (name: string, shared: string): string =>
  `${name} differs from that of other running processes with ${shared}; it must be the same in all of them`;

/**
 * Finds other processes of the database, or of Redis, whose settings differ. A difference counts once several comparisons in a row have
 * found it: the registrations of processes that ended have expired by then.
 */
export function createSettingsCheck(
  { db, clock, log }: { db: Pick<Db, 'processes'>; clock: Clock; log: Log },
  redis: () => Promise<{ id: string; time: number; databases: string[] }>,
  config: { publicUrl: string; hasPublicUrl: boolean },
): SettingsCheck {
  const publicUrl = config.hasPublicUrl ? config.publicUrl : null;
  /** How many comparisons in a row have found a difference, by its warning. */
  const differences = new Map<string, number>();
  /** The databases of the processes with this Redis. */
  let databases: string[] = [];
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
      databases = seen?.databases ?? [];
      return { redisId: seen?.id ?? null, publicUrl };
    },
    async compare(own) {
      const processes = await db.processes
        .find({ expiresAt: { $gt: clock.now() } }, { redisId: 1, publicUrl: 1 })
        .limit(mostProcesses)
        .lean();
      const found = settings.map(([field, name]): [string, boolean] => {
        const differs = own[field] !== null && processes.some((one) => (one[field] ?? own[field]) !== own[field]);
        return [warningOf(name, 'this database'), differs];
      });
      found.push([warningOf('The database of MONGODB_URI', 'this Redis and REDIS_PREFIX'), databases.length > 1]);
      for (const [warning, differs] of found) {
        const count = differs ? (differences.get(warning) ?? 0) + 1 : 0;
        differences.set(warning, count);
        if (count === renewalsUntilExpiry) log.warn(warning);
      }
    },
    warnings: () => [...differences].flatMap(([warning, count]) => (count >= renewalsUntilExpiry ? [warning] : [])),
  };
}
