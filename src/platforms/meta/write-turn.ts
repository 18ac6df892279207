import type { Limits } from '../../lib/platform-limits.ts';
import type { AdAccount } from '../platform.ts';
import { keyOf, type UsageWatch } from './usage.ts';

/** A background write: the platform permits one at a time per ad account. */
export type Write = <T>(run: () => Promise<T>) => Promise<T>;

export type WriteTurns = <T>(adAccount: AdAccount, work: (write: Write) => Promise<T>) => Promise<T>;

/** How long other writes of an ad account wait at most for a background write to begin. */
const maxTurnMs = 2_000;

/**
 * Background writes of an ad account that follow each other: the write lock is held from one to the next, and released every
 * two seconds, so that orders and changes get their turn. While the quota is nearly exhausted, every write waits for itself.
 */
export function createWriteTurns(limits: Limits, usage: UsageWatch, turnMs = maxTurnMs): WriteTurns {
  return async (adAccount, work) => {
    let end: (() => Promise<void>) | undefined;
    let isWriting = false;
    let isOver = false;

    const begin = async (): Promise<void> => {
      await usage.throttle(adAccount);
      let release = (): void => undefined;
      let held: Promise<void> = Promise.resolve();
      await new Promise<void>((resolve, reject) => {
        held = limits.withLock(keyOf(adAccount.id), () => {
          resolve();
          return new Promise<void>((free) => (release = free));
        });
        held.catch(reject);
      });
      isOver = false;
      const timer = setTimeout(() => {
        isOver = true;
        if (!isWriting) void end?.();
      }, turnMs);
      end = async () => {
        end = undefined;
        clearTimeout(timer);
        release();
        await held;
      };
    };

    try {
      return await work(async (run) => {
        isWriting = true;
        try {
          if (usage.isNearlyFull(adAccount)) await end?.();
          if (!end) await begin();
          return await run();
        } finally {
          isWriting = false;
          if (isOver) await end?.();
        }
      });
    } finally {
      await end?.();
    }
  };
}
