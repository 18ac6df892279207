import { describe, expect, it } from 'vitest';
import { startDeadline } from '../../src/lib/abort.ts';

describe('a deadline', () => {
  it('ends what takes too long', async () => {
    const { signal } = startDeadline(10);
    await expect.poll(() => signal.aborted).toBe(true);
  });

  it('ends with the other signal, also when that one was first', () => {
    const other = new AbortController();
    const { signal } = startDeadline(60_000, other.signal);
    expect(signal.aborted).toBe(false);
    other.abort();
    expect(signal.aborted).toBe(true);
    expect(startDeadline(60_000, other.signal).signal.aborted).toBe(true);
  });

  it('that is over ends nothing any more', async () => {
    const other = new AbortController();
    const limit = startDeadline(10, other.signal);
    limit.end();
    other.abort();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(limit.signal.aborted).toBe(false);
  });
});
