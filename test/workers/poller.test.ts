import { expect, it } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';
import { createPoller } from '../../src/workers/poller.ts';

it('a poll that fails runs the work of every kind: one filter that the database refuses does not stop the others', async () => {
  const refuse = (): Promise<never> => Promise.reject(new Error('refused'));
  const source = { collection: { collectionName: 'refused' }, aggregate: refuse };
  const poller = createPoller(20, createLog('silent'));
  const runs = [0, 0];
  for (const kind of [0, 1])
    poller.add({
      everyMs: 20,
      queries: () => [{ source, filter: {} }],
      run: async () => void (runs[kind] = (runs[kind] ?? 0) + 1),
    });
  // Each runs once when it is added.
  await expect.poll(() => Math.min(...runs)).toBeGreaterThan(2);
  await poller.stop();
});
