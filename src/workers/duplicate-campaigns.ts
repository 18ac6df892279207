import type { Services } from '../services/context.ts';
import { dueChannel, dueDuplications, duplicationWork } from '../services/duplications/duplication-store.ts';
import { runDuplication } from '../services/duplications/run-duplication.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { startQueueWorker } from './queue-worker.ts';
import type { WorkerOptions } from './queues.ts';

/** Resumes duplications, also those whose process died. The database holds the lease. */
export const startDuplications = (services: Services, options: WorkerOptions): { stop: () => Promise<void> } =>
  startQueueWorker<{ duplicationId: string }>(services, options, {
    name: 'duplicate-campaigns',
    run: ({ duplicationId }, signal) =>
      inSpan('duplicate campaign', { 'duplication.id': duplicationId }, () =>
        runDuplication(services, duplicationId, signal),
      ),
    due: async () =>
      // The job of a run whose process died is still there; it must not stand in the way of the next.
      (await dueDuplications(services)).map(({ _id, fencingToken }) => ({
        data: { duplicationId: _id },
        jobId: `duplication-${_id}-${fencingToken}`,
      })),
    work: () => duplicationWork(services),
    everyMs: options.sweepIntervalMs,
    channel: dueChannel,
    failure: 'duplication failed; will retry',
    limits: { concurrency: 10, maxStalledCount: 1000 },
  });
