import { describe, expect, it, vi } from 'vitest';
import { Cursors } from '../../../src/dev/mongo-server/cursors.ts';
import { decode, encode } from '../../../src/dev/mongo-server/values.ts';

const docs = (count: number): Uint8Array[] => Array.from({ length: count }, (_, n) => encode({ n }));
const numbersOf = ({ docs: batch }: { docs: Uint8Array[] }): number[] => batch.map((doc) => decode(doc).n);

describe('a cursor', () => {
  it('gives everything in batches and is then closed', () => {
    const cursors = new Cursors();
    const first = cursors.open('db.c', docs(5), { batchSize: 2 });
    expect(numbersOf(first)).toEqual([0, 1]);
    const second = cursors.next(first.id, 'db.c', 2);
    expect([numbersOf(second), second.id]).toEqual([[2, 3], first.id]);
    const last = cursors.next(first.id, 'db.c', 0);
    expect([numbersOf(last), last.id]).toEqual([[4], 0n]);
    expect(() => cursors.next(first.id, 'db.c', 1)).toThrow('not found');
  });

  it('is not opened for what fits in one batch, nor when only one is requested', () => {
    const cursors = new Cursors();
    expect(cursors.open('db.c', docs(101), {}).id).toBe(0n);
    expect(cursors.open('db.c', docs(5), { batchSize: 2, isSingle: true }).id).toBe(0n);
    expect(cursors.open('db.c', docs(5), { batchSize: 0 })).toMatchObject({ docs: [] });
  });

  it('gives a batch of at most 16 MB, and at least one document', () => {
    const large = Array.from({ length: 3 }, () => encode({ pad: 'x'.repeat(9 * 1024 * 1024) }));
    const cursors = new Cursors();
    const first = cursors.open('db.c', large, {});
    expect(first.docs).toHaveLength(1);
    expect(cursors.next(first.id, 'db.c', 0).docs).toHaveLength(1);
  });

  it('belongs to its namespace and can be killed', () => {
    const cursors = new Cursors();
    const { id } = cursors.open('db.c', docs(5), { batchSize: 1 });
    expect(() => cursors.next(id, 'db.other', 1)).toThrow('not found');
    expect([cursors.kill(id), cursors.kill(id)]).toEqual([true, false]);
  });

  it('is refused beyond the limit, until others have expired', () => {
    vi.useFakeTimers();
    try {
      const cursors = new Cursors({ most: 2, lifetimeMs: 1000 });
      const { id } = cursors.open('db.c', docs(5), { batchSize: 1 });
      cursors.open('db.c', docs(5), { batchSize: 1 });
      expect(() => cursors.open('db.c', docs(5), { batchSize: 1 })).toThrow('at most 2 cursors');
      expect(cursors.open('db.c', docs(1), {}).docs).toHaveLength(1);
      vi.advanceTimersByTime(800);
      cursors.next(id, 'db.c', 1);
      vi.advanceTimersByTime(800);
      expect(cursors.open('db.c', docs(5), { batchSize: 1 }).id).not.toBe(0n);
      expect(numbersOf(cursors.next(id, 'db.c', 1))).toEqual([2]);
      vi.advanceTimersByTime(1100);
      expect(() => cursors.next(id, 'db.c', 1)).toThrow('not found');
    } finally {
      vi.useRealTimers();
    }
  });
});
