import { expect, it } from 'vitest';
import { collect } from '../../src/lib/collect.ts';

it('collects a page with more items than a call can have arguments', async () => {
  const page = Array.from({ length: 300_000 }, (_, at) => at);
  async function* pages(): AsyncGenerator<number[]> {
    await Promise.resolve();
    yield [-1];
    yield page;
  }
  const items = await collect(pages());
  expect([items.length, items[0], items.at(-1)]).toEqual([300_001, -1, 299_999]);
});
