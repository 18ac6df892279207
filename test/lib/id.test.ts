import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { counterSize, markedIds } from '../../src/lib/id.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2027-01-31T09:00:00Z') }));
afterEach(() => void vi.useRealTimers());

// The counter may begin again only with a new second, and must do so before it is full.
it.each([0, counterSize / 2 - 500, counterSize / 2 - 1, counterSize - 1500])(
  'ids of one process are distinct and in order, within a second and after it, once its counter is at %i',
  (counter) => {
    const newId = markedIds(counter);
    let last = '';
    let faults = 0;
    for (let made = 0; made < 10_000; made++) {
      if (made % 1000 === 0) vi.setSystemTime(Date.now() + 1000);
      const id = newId('00000000');
      if (id <= last || id.length !== 24) faults++;
      last = id;
    }
    expect(faults).toBe(0);
  },
);
