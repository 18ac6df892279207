import { describe, expect, it } from 'vitest';
import { LinkedList } from '../../src/lib/linked-list.ts';

const listOf = (...names: string[]) => {
  const list = new LinkedList<{ name: string }>();
  const entries = new Map(names.map((name) => [name, list.add({ name })]));
  const remove = (name: string): void => {
    const entry = entries.get(name);
    if (entry) list.remove(entry);
  };
  return { list, entries, remove, names: () => [...list.entries()].map(({ value }) => value.name) };
};

describe('a linked list', () => {
  it('returns its values in the order in which they were added', () => {
    const { list, names } = listOf('a', 'b', 'c');
    expect(names()).toEqual(['a', 'b', 'c']);
    expect(list.size).toBe(3);
  });

  it.each([
    ['a', ['b', 'c', 'd']],
    ['b', ['a', 'c', 'd']],
    ['c', ['a', 'b', 'd']],
  ])('without %s, keeps the others and appends the next', (removed, kept) => {
    const { list, names, remove } = listOf('a', 'b', 'c');
    remove(removed);
    list.add({ name: 'd' });
    expect(names()).toEqual(kept);
    expect(list.size).toBe(3);
  });

  it('removes an entry once, however often it is asked to', () => {
    const { list, names, remove } = listOf('a', 'b');
    remove('a');
    remove('a');
    expect(names()).toEqual(['b']);
    expect(list.size).toBe(1);
  });

  it('is empty after the last entry, and can be filled again', () => {
    const { list, names, remove } = listOf('a');
    remove('a');
    expect([list.size, names()]).toEqual([0, []]);
    list.add({ name: 'b' });
    expect(names()).toEqual(['b']);
  });

  it('goes on if the current entry is removed', () => {
    const { list, names } = listOf('a', 'b', 'c');
    for (const entry of list.entries()) if (entry.value.name !== 'c') list.remove(entry);
    expect(names()).toEqual(['c']);
  });

  it('keeps nothing reachable from an entry that was removed', () => {
    const { entries, remove } = listOf('a', 'b', 'c');
    remove('b');
    expect(entries.get('b')).toEqual({ value: undefined, previous: undefined, next: undefined });
  });
});
