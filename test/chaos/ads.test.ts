import { expect, it } from 'vitest';
import { repeats } from '../support/sample.ts';
import { adsChaos } from './ads.ts';

it('makes nothing twice, leaves nothing running and records each budget as the platform has it, whatever fails', async () => {
  const seed = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);
  const report = await adsChaos({ runs: repeats(24, 200), seed, killEvery: repeats(8, 25) });
  expect(report, `seed ${seed}`).toMatchObject({
    twice: [],
    doubled: [],
    leftRunning: [],
    elsewhere: [],
    differing: [],
  });
  // How many succeed depends on the seed and on how busy the machine is.
  expect(report.made).toBeGreaterThan(report.runs / 4);
  expect(report.changes).toBeGreaterThan(report.runs / 8);
});
