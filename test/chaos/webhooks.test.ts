import { describe, expect, it } from 'vitest';
import { runChaos } from './webhooks.ts';

describe('webhooks under kills, flushes and restarts', () => {
  it('lose nothing, repeat no more than was under way, and keep the order where it is strict (R1, R2)', async () => {
    const { breaches, writes, workerKills } = await runChaos({ seed: 20_271, seconds: 12, rate: 10 });
    expect(breaches).toEqual([]);
    expect(writes).toBeGreaterThan(20);
    expect(workerKills).toBeGreaterThan(0);
  });
});
