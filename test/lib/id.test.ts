import { afterEach, expect, it, vi } from 'vitest';
import { newMarkedId } from '../../src/lib/id.ts';

afterEach(() => vi.useRealTimers());

it('ids of one process are distinct and in order, also within a second and after millions', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const start = Date.parse('2027-01-31T09:00:00Z');
  let last = '';
  let faults = 0;
  // The counter is full after 16.7 million.
  for (let made = 0; made < 20_000_000; made++) {
    if (made % 4_000_000 === 0) vi.setSystemTime(start + (made / 4_000_000) * 1000);
    const id = newMarkedId('00000000');
    if (id <= last || id.length !== 24) faults++;
    last = id;
  }
  expect(faults).toBe(0);
});
