import { expect, it } from 'vitest';
import { idsBelow } from '../../src/platforms/removal.ts';

it('reads what is below many objects in as many queries as their limit requires', async () => {
  const asked: string[][] = [];
  const read = (parents: string[]): Promise<string[]> => {
    asked.push(parents);
    return Promise.resolve(parents.map((id) => `${id}1`));
  };
  expect(await idsBelow(['a', 'b', 'c'], 2, read)).toEqual(['a1', 'b1', 'c1']);
  expect(asked).toEqual([['a', 'b'], ['c']]);
  expect(await idsBelow([], 2, read)).toEqual([]);
  expect(asked).toHaveLength(2);
});
