import { describe, expect, it } from 'vitest';
import { batched } from '../../src/lib/batch.ts';

/** Doubles numbers and remembers its batches; each ends when the test lets it. */
function doubler() {
  const batches: number[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const double = batched(async (items: number[]) => {
    batches.push(items);
    await new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
    return items.map((item) => (item < 0 ? new Error(`${item} is refused`) : 2 * item));
  });
  return { batches, ends, double };
}

describe('work in batches', () => {
  it('is done once for all that is asked for in a moment, and each gets its own result', async () => {
    const { batches, ends, double } = doubler();
    const all = Promise.all([1, 2, 3].map(double));
    await expect.poll(() => ends.length).toBe(1);
    ends[0]!();
    expect(await all).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it('takes with the next batch what is asked for while one is under way', async () => {
    const { batches, ends, double } = doubler();
    const first = double(1);
    await expect.poll(() => ends.length).toBe(1);
    const next = Promise.all([double(2), double(3)]);
    ends[0]!();
    expect(await first).toBe(2);
    await expect.poll(() => ends.length).toBe(2);
    ends[1]!();
    expect(await next).toEqual([4, 6]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('fails for one alone when that one is refused', async () => {
    const { ends, double } = doubler();
    const all = Promise.allSettled([1, -1, 2].map(double));
    await expect.poll(() => ends.length).toBe(1);
    ends[0]!();
    expect((await all).map((result) => ('value' in result ? result.value : String(result.reason)))).toEqual([
      2,
      'Error: -1 is refused',
      4,
    ]);
  });

  it('fails for all of a batch that fails, and the next one goes on', async () => {
    const { ends, double } = doubler();
    const failing = Promise.allSettled([double(1), double(2)]);
    await expect.poll(() => ends.length).toBe(1);
    ends[0]!(new Error('the store is away'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = double(3);
    await expect.poll(() => ends.length).toBe(2);
    ends[1]!();
    expect(await next).toBe(6);
  });

  it('that never ends delays no later request', async () => {
    const { ends, double } = doubler();
    void double(1);
    await expect.poll(() => ends.length).toBe(1);
    const later = double(2);
    await expect.poll(() => ends.length).toBe(2);
    ends[1]!();
    expect(await later).toBe(4);
  });
});
