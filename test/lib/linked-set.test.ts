import { expect, it } from 'vitest';
import { LinkedSet } from '../../src/lib/linked-set.ts';

const values = ['a', 'b', 'c'].map((name) => ({ name }));
const [a, b, c] = values as [{ name: string }, { name: string }, { name: string }];
const setOf = (...members: object[]): LinkedSet<object> => {
  const set = new LinkedSet<object>();
  for (const member of members) set.add(member);
  return set;
};

it('has each value once, in the order in which it was added', () => {
  const set = setOf(a, b, a);
  expect([...set]).toEqual([a, b]);
  expect([set.size, set.has(a), set.has(c)]).toEqual([2, true, false]);
  set.clear();
});

it('says whether it had the value that it deletes, which can be added again', () => {
  const set = setOf(a, b);
  expect([set.delete(a), set.delete(a), set.delete(c)]).toEqual([true, false, false]);
  expect([...set.add(a)]).toEqual([b, a]);
  set.clear();
});

it('can lose each value while it is read, and all at once', () => {
  const set = setOf(a, b, c);
  expect(Array.from(set, (value) => set.delete(value))).toEqual([true, true, true]);
  expect(set.size).toBe(0);
  const others = setOf(a, b);
  others.clear();
  expect([[...others], others.size, others.has(a)]).toEqual([[], 0, false]);
});
