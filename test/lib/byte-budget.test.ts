import { describe, expect, it } from 'vitest';
import { createByteBudget } from '../../src/lib/byte-budget.ts';

describe('a byte budget', () => {
  it('lets through what fits and makes the rest wait for what is freed, first come first served', async () => {
    const budget = createByteBudget(100);
    const started: string[] = [];
    const reserve = async (name: string, bytes: number): Promise<() => void> => {
      const release = await budget.reserve(bytes, 10_000);
      started.push(name);
      return release ?? (() => undefined);
    };
    const [first, second] = [await reserve('first', 60), await reserve('second', 40)];
    const waiting = [reserve('third', 70), reserve('fourth', 10)];
    await Promise.resolve();
    expect([started, budget.reserved]).toEqual([['first', 'second'], 100]);
    second();
    second();
    await Promise.resolve();
    expect([started, budget.reserved]).toEqual([['first', 'second'], 60]);
    first();
    for (const release of await Promise.all(waiting)) release();
    expect([started, budget.reserved]).toEqual([['first', 'second', 'third', 'fourth'], 0]);
  });

  it('gives up after the wait, and what waited behind goes on', async () => {
    const budget = createByteBudget(100);
    await budget.reserve(60, 1);
    const [large, small] = await Promise.all([budget.reserve(50, 20), budget.reserve(40, 10_000)]);
    expect([large, typeof small, budget.reserved]).toEqual([undefined, 'function', 100]);
  });

  it('gives the whole of itself to a request for more', async () => {
    const budget = createByteBudget(100);
    expect(await budget.reserve(500, 1)).toBeTypeOf('function');
    expect(budget.reserved).toBe(100);
  });
});
