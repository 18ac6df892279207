import type { Limits } from '../../lib/platform-limits.ts';
import type { Answer } from '../http.ts';
import { awaitLimits, limited } from '../pacing.ts';
import { limitIn } from './errors.ts';
import { withoutHyphens } from './wire.ts';

/** Keeps all processes within the limits of the developer token and of each customer. */
export interface Quota {
  /** Waits for the platform to accept calls; rejects operations beyond the daily number of the developer token. */
  take: (customerId: string | undefined, operations: number) => Promise<void>;
  /** Stops the calls of a developer token or customer until the time that the platform names. */
  note: (customerId: string | undefined, answer: Answer) => Promise<void>;
}

const ofToken = 'B:developer-token';
const ofCustomer = (id: string): string => `B:customer:${withoutHyphens(id)}`;

export function createQuota(limits: Limits, operationsPerDay = 0): Quota {
  return {
    async take(id, operations) {
      const keys = [ofToken, ...(id === undefined ? [] : [ofCustomer(id)])];
      await awaitLimits({ limits, platform: 'B', keys });
      if (operationsPerDay === 0 || operations === 0) return;
      const waitMs = await limits.countOfDay(ofToken, operations, operationsPerDay);
      const message = `The developer token has used its ${operationsPerDay} operations of a day (PLATFORM_B_OPERATIONS_PER_DAY)`;
      if (waitMs > 0) throw limited('B', message, waitMs);
    },
    async note(id, answer) {
      const limit = limitIn(answer);
      if (!limit) return;
      const key = limit.scope === 'ACCOUNT' && id !== undefined ? ofCustomer(id) : ofToken;
      await limits.block(key, limit.seconds * 1000);
    },
  };
}
