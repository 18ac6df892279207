import type { Redis } from 'ioredis';
import { batched } from '../lib/batch.ts';
import type { Clock } from '../lib/clock.ts';

export interface DeliveryRateOptions {
  redis: Redis;
  prefix: string;
  clock: Clock;
}

/** A process's part of the capacity of one key in one second. */
interface Share {
  second: number;
  /** Counted in Redis and not used yet. */
  left: number;
  /** How many to take next: one, then two, four ... */
  next: number;
  isUsedUp: boolean;
  taking?: Promise<void>;
}

const maxTaken = 10;
const maxShares = 10_000;
/** Callers of several processes do not all continue at once. */
const spreadMs = 200;

/**
 * A limit per key and second across all processes: returns undefined if there is capacity, otherwise when to retry. A process
 * takes more at once the more it uses, at most as many as it has used in this second, so that it leaves the rest to others.
 */
export function createDeliveryRate({
  redis,
  prefix,
  clock,
}: DeliveryRateOptions): (id: string, perSecond: number) => Promise<Date | undefined> {
  const count = batched((takings: Taking[]) => countAll(redis, takings));
  const shares = new Map<string, Share>();
  const shareOf = (id: string): Share => {
    const second = Math.floor(clock.now().getTime() / 1000);
    const known = shares.get(id);
    if (known?.second === second) return known;
    if (shares.size >= maxShares) shares.clear();
    const share = { second, left: 0, next: 1, isUsedUp: false };
    shares.set(id, share);
    return share;
  };
  const take = async (id: string, perSecond: number, share: Share): Promise<void> => {
    const requested = Math.min(share.next, maxTaken);
    const used = await count({ key: `{${prefix}:pace:${id}}:${share.second}`, requested });
    const taken = Math.min(requested, Math.max(0, perSecond - used + requested));
    share.left += taken;
    share.next += requested;
    share.isUsedUp = taken < requested;
  };
  return async (id, perSecond) => {
    const share = shareOf(id);
    while (share.left === 0 && !share.isUsedUp)
      await (share.taking ??= take(id, perSecond, share).finally(() => (share.taking = undefined)));
    if (share.left === 0) return new Date((share.second + 1) * 1000 + Math.random() * spreadMs);
    share.left -= 1;
    return undefined;
  };
}

interface Taking {
  key: string;
  requested: number;
}

/** Increments each key in one round trip. Sets the expiry before the increment, so that no key stays for ever. */
async function countAll(redis: Redis, takings: Taking[]): Promise<(number | Error)[]> {
  const commands = takings.flatMap(({ key, requested }) => [
    ['set', key, 0, 'EX', 5, 'NX'],
    ['incrby', key, requested],
  ]);
  const results = (await redis.pipeline(commands).exec()) ?? [];
  return takings.map((_, at) => {
    const [error, used] = results[2 * at + 1] ?? [new Error('Redis returned no result')];
    return error ?? (used as number);
  });
}
