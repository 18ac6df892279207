import { describe, expect, it } from 'vitest';
import { localPlatformLimits } from '../../src/lib/platform-limits.ts';
import { createUsageWatch, keyOf } from '../../src/platforms/meta/usage.ts';
import { createWriteTurns } from '../../src/platforms/meta/write-turn.ts';
import { dollars } from './fixtures.ts';

function setUp(turnMs?: number) {
  const local = localPlatformLimits();
  const asked = { locks: 0, usage: 0 };
  const limits: typeof local = {
    ...local,
    withLock: (key, run) => {
      asked.locks += 1;
      return local.withLock(key, run);
    },
    usageOf: (key) => {
      asked.usage += 1;
      return local.usageOf(key);
    },
  };
  const usage = createUsageWatch(limits);
  const inTurns = createWriteTurns(limits, usage, turnMs);
  const order = (run: () => Promise<void>): Promise<void> => local.withLock(keyOf(dollars.id), run);
  return { asked, limits, usage, inTurns, order };
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

describe('background writes of an ad account', () => {
  it('take the write lock once, and ask once for the quota that is used', async () => {
    const { asked, inTurns } = setUp(600_000);
    await inTurns(dollars, async (write) => {
      for (let writes = 0; writes < 20; writes += 1) await write(soon);
    });
    expect(asked).toEqual({ locks: 1, usage: 1 });
  });

  it('let an order of the ad account have its turn although there are always more of them', async () => {
    const { inTurns, order } = setUp(20);
    let isOrdered = false;
    let isAlone = true;
    let isWriting = false;
    await inTurns(dollars, async (write) => {
      await write(soon);
      void order(async () => {
        isOrdered = true;
        isAlone = !isWriting;
        await soon();
        isAlone &&= !isWriting;
      });
      while (!isOrdered)
        await write(async () => {
          isWriting = true;
          await soon();
          isWriting = false;
        });
    });
    expect({ isOrdered, isAlone }).toEqual({ isOrdered: true, isAlone: true });
  });

  it('let an order have its turn while none of them is sent, such as when the database does not respond', async () => {
    const { inTurns, order } = setUp(20);
    await inTurns(dollars, async (write) => {
      await write(soon);
      await order(soon);
      await write(soon);
    });
  });

  it('release the lock after a failure', async () => {
    const { inTurns, order } = setUp();
    const failing = inTurns(dollars, (write) => write(() => Promise.reject(new Error('no'))));
    await expect(failing).rejects.toThrow('no');
    await order(soon);
  });

  it('ask before each write while the quota is nearly exhausted', async () => {
    const { asked, usage, inTurns } = setUp();
    const calls = { call_count: 75, total_cputime: 1, total_time: 1 };
    await usage.note(dollars.id, { 'x-app-usage': JSON.stringify(calls) });
    await inTurns(dollars, async (write) => {
      for (let writes = 0; writes < 3; writes += 1) await write(soon);
    });
    expect(asked).toEqual({ locks: 3, usage: 3 });
  });
});
