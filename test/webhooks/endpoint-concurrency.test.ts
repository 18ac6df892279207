import { describe, expect, it } from 'vitest';
import { createEndpointConcurrency } from '../../src/services/webhooks/endpoint-concurrency.ts';

const take = (slots: ReturnType<typeof createEndpointConcurrency>, id: string, count: number): Promise<boolean[]> =>
  Promise.all(Array.from({ length: count }, () => slots.acquire(id)));

describe('the slots of an endpoint', () => {
  it('are four, and a slow request delays no other', async () => {
    const slots = createEndpointConcurrency();
    expect(await take(slots, 'slow', 6)).toEqual([true, true, true, true, false, false]);
    expect(await slots.acquire('another')).toBe(true);
  });

  it('hands each freed slot to a waiting delivery while the endpoint is fast', async () => {
    const slots = createEndpointConcurrency();
    await take(slots, 'quick', 4);
    slots.release('quick');
    expect(await slots.acquire('quick')).toBe(true);
    const next = take(slots, 'quick', 2);
    slots.release('quick');
    expect(await next).toEqual([true, false]);
    slots.release('quick');
    slots.release('quick');
    expect(await take(slots, 'quick', 2)).toEqual([true, true]);
  });

  it('keep ten waiting at most, all endpoints together', async () => {
    const slots = createEndpointConcurrency();
    for (const id of ['a', 'b']) {
      await take(slots, id, 4);
      slots.release(id);
      await slots.acquire(id);
    }
    const asked = [take(slots, 'a', 8), take(slots, 'b', 8)];
    for (const id of ['a', 'b']) for (let at = 0; at < 8; at++) slots.release(id);
    const got = (await Promise.all(asked)).flat();
    expect(got.filter(Boolean)).toHaveLength(10);
  });
});
