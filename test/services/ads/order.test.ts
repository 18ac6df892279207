import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/lib/id.ts';
import { orderAdIds, toAdOrder, upstreamName } from '../../../src/services/ads/order.ts';
import { severalAds } from './fixture.ts';

const input = {
  accountId: newId(),
  adAccountId: 'act_1',
  name: 'Winter',
  status: 'ACTIVE',
  validateOnly: false,
} as const;

describe('names upstream', () => {
  it.each([
    ['Winter', 400, 'Winter 89abcdef'],
    ['Winter', 15, 'Winter 89abcdef'],
    ['Winter', 14, 'Winte 89abcdef'],
    ['Winter sale', 16, 'Winter 89abcdef'],
    ['a😀b', 12, 'a😀 89abcdef'],
    ['a😀b', 11, 'a 89abcdef'],
  ])('of %s with at most %i characters is %s', (name, max, expected) => {
    expect(upstreamName(name, '0123456789abcdef', max)).toBe(expected);
  });

  it('never exceed the limit, never split a character and always end in the id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 20, max: 300 }), (name, max) => {
        const unique = upstreamName(name, '0123456789abcdef', max);
        expect(unique.length).toBeLessThanOrEqual(max);
        expect(unique.endsWith(' 89abcdef')).toBe(true);
        expect(unique.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('the ids of an order', () => {
  it('are its own for a single ad', () => {
    const id = newId();
    expect(orderAdIds(id, input)).toEqual([id]);
    expect(orderAdIds(id, { ...input, adSetId: '1' })).toEqual([id]);
  });

  it('are distinct and the same on every run for several', () => {
    const id = newId();
    const ids = orderAdIds(id, { ...input, ...severalAds(50) });
    expect(ids[0]).toBe(id);
    expect(new Set(ids).size).toBe(50);
    expect(ids.every((each) => /^[0-9a-f]{24}$/.test(each))).toBe(true);
    expect(orderAdIds(id, { ...input, ...severalAds(50) })).toEqual(ids);
  });

  it('give each ad its own name', () => {
    const adAccount = { id: 'act_1', name: 'Main', currency: 'USD', isActive: true };
    const order = { orderId: newId(), input: { ...input, ...severalAds(3) }, adAccount, placedAt: new Date() };
    expect(new Set(toAdOrder(order, { platform: 'A', maxNameLength: 100 }).names.ads).size).toBe(3);
  });
});
