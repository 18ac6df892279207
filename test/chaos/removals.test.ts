import { expect, it } from 'vitest';
import { repeats } from '../support/sample.ts';
import { removalChaos } from './removals.ts';

it('removes what it answers with 2xx, records what the platform has and publishes each removal once, whatever fails', async () => {
  const seed = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);
  const report = await removalChaos({ runs: repeats(18, 150), seed, killEvery: repeats(6, 20) });
  expect(report, `seed ${seed}`).toMatchObject({ live: [], differing: [], published: [], unfinished: [] });
  expect(report.answered).toBeGreaterThan(report.runs / 4);
});
