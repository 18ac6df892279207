import type { Services } from '../services/context.ts';
import { runStop } from '../services/stops/run-stop.ts';
import { dueChannel, dueStops, stopWork } from '../services/stops/stop-store.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { startQueueWorker } from './queue-worker.ts';
import type { WorkerOptions } from './queues.ts';

/** Runs emergency stops while they are in force, also those whose process died. The database holds the lease. */
export const startStops = (services: Services, options: WorkerOptions): { stop: () => Promise<void> } =>
  startQueueWorker<{ stopId: string }>(services, options, {
    name: 'pause-campaigns',
    run: ({ stopId }, signal) =>
      inSpan('pause campaigns', { 'stop.id': stopId }, async () => {
        await runStop(services, stopId, signal);
        return undefined;
      }),
    // The job of a run whose process died is still there; it must not block the next one.
    due: async () =>
      (await dueStops(services)).map(({ _id, updatedAt }) => ({
        data: { stopId: _id },
        jobId: `stop-${_id}-${updatedAt.getTime()}`,
      })),
    work: () => stopWork(services),
    everyMs: options.sweepIntervalMs,
    channel: dueChannel,
    failure: 'a stop failed; will retry',
    limits: { concurrency: 10, maxStalledCount: 1000 },
  });
