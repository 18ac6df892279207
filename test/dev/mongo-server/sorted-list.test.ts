import { describe, expect, it } from 'vitest';
import { SortedList } from '../../../src/dev/mongo-server/sorted-list.ts';
import { random } from './support.ts';

interface Entry {
  key: string;
  seq: number;
}
const inOrder = (a: Entry, b: Entry): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.seq - b.seq);
const all = (list: SortedList<Entry>, reverse = false): Entry[] => [...list.range('', '\xff', reverse)];

describe('a sorted list', () => {
  it('agrees with a sorted array over thousands of random changes', () => {
    const next = random(7);
    const list = new SortedList<Entry>();
    let model: Entry[] = [];
    for (let seq = 0; seq < 5000; seq++) {
      const entry = { key: String(Math.floor(next() * 800)).padStart(3, '0'), seq };
      list.add(entry);
      model.push(entry);
      const victim = next() < 0.4 ? model[Math.floor(next() * model.length)] : undefined;
      if (!victim) continue;
      list.remove(victim.key, victim.seq);
      model = model.filter((each) => each !== victim);
    }
    model.sort(inOrder);
    expect(all(list)).toEqual(model);
    expect(all(list, true)).toEqual(model.toReversed());
    expect(list.size).toBe(model.length);
    for (const [low, high] of [
      ['100', '200'],
      ['', '050'],
      ['790', '\xff'],
      ['300', '300'],
    ] as const) {
      const expected = model.filter(({ key }) => key >= low && key < high);
      expect([...list.range(low, high)]).toEqual(expected);
      expect([...list.range(low, high, true)]).toEqual(expected.toReversed());
      expect(list.first(low, high)).toEqual(expected[0]);
    }
  });

  it('gives and removes the very entry, and leaves the list alone when there is none', () => {
    const list = new SortedList<Entry>();
    const entry = { key: 'a', seq: 1 };
    list.add(entry);
    list.remove('a', 2);
    list.remove('b', 1);
    expect(list.get('a', 1)).toBe(entry);
    expect([list.get('a', 2), list.get('b', 1)]).toEqual([undefined, undefined]);
    list.remove('a', 1);
    expect(all(list)).toEqual([]);
    expect(list.size).toBe(0);
  });

  it('is empty at first, in both directions', () => {
    const list = new SortedList<Entry>();
    expect([all(list), all(list, true), list.first('', '\xff')]).toEqual([[], [], undefined]);
  });
});
