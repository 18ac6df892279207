import type { Limits } from '../../../src/lib/platform-limits.ts';
import type { Db } from '../../../src/models/db.ts';
import type { Services } from '../../../src/services/context.ts';
import { adaptersAt, quickLimits, type CopyFixture } from './fixture.ts';

export interface Life {
  services: Pick<Services, 'db' | 'platforms'>;
  /** Resolves when the process is killed. */
  died: Promise<void>;
}

/**
 * A process that is killed at its n-th moment: before or after a write to the store, or before a call upstream. Nothing of
 * it runs afterwards, except requests that have left already.
 */
export function mortal({ services, sandbox }: CopyFixture, stepsBeforeCrash: number): Life {
  let left = stepsBeforeCrash;
  let isDead = false;
  let die = (): void => {};
  const died = new Promise<void>((resolve) => (die = resolve));
  const forever = new Promise<never>(() => {});
  const moment = (): Promise<void> => {
    left -= 1;
    if (!isDead && left > 0) return Promise.resolve();
    isDead = true;
    die();
    return forever;
  };
  const fragile = <T extends object>(model: T): T =>
    new Proxy(model, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        const call = member.bind(target) as (...args: unknown[]) => unknown;
        if (name !== 'updateOne' && name !== 'insertOne' && name !== 'bulkWrite') return call;
        return async (...args: unknown[]) => {
          await moment();
          const answer = await call(...args);
          await moment();
          return answer;
        };
      },
    });
  const usual = quickLimits();
  const limits: Limits = {
    ...usual,
    throttle: async () => {
      await moment();
      return 0;
    },
    withLock: async (key, run) => {
      await moment();
      return usual.withLock(key, run);
    },
  };
  const { db } = services;
  const dying: Db = {
    ...db,
    duplications: fragile(db.duplications),
    duplicationSteps: fragile(db.duplicationSteps),
  };
  return { services: { db: dying, platforms: adaptersAt(sandbox, limits) }, died };
}
