import { DelayedError, Worker } from 'bullmq';
import type { Services } from '../services/context.ts';
import { logOutage } from '../services/unexpected-error.ts';
import { dueChannel, dueDuplications } from '../services/duplications/duplication-store.ts';
import { runDuplication } from '../services/duplications/run-duplication.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { createProducer, endWorker, queuePrefix, workerConnection, type QueueOptions } from './queues.ts';
import { repeating } from './interval.ts';

const name = 'duplicate-campaigns';

/** Resumes duplications, also those whose process died. The database holds the lease: a job is only a hint. */
export async function startDuplications(
  services: Services,
  options: QueueOptions,
): Promise<{ stop: () => Promise<void> }> {
  const connection = workerConnection(options);
  const producer = createProducer<{ duplicationId: string }>(name, options, services.log);
  const ending = new AbortController();
  const worker = new Worker<{ duplicationId: string }>(
    name,
    async (job, token) => {
      const { duplicationId } = job.data;
      const retryAt = await inSpan('duplicate campaign', { 'duplication.id': duplicationId }, () =>
        runDuplication(services, duplicationId, ending.signal),
      );
      if (!retryAt) return;
      await job.moveToDelayed(Math.max(retryAt.getTime(), Date.now() + 20), token);
      throw new DelayedError();
    },
    { prefix: queuePrefix(options), connection, concurrency: 10, maxStalledCount: 1000 },
  );
  worker.on('error', (error) => services.log.debug({ err: error.message }, `${name} waits for Redis`));
  worker.on('failed', (_job, error) => {
    if (!logOutage(services.log, error)) services.log.error({ err: error }, 'duplication failed; will retry');
  });
  const sweep = repeating(
    options.sweepIntervalMs,
    async () => {
      const due = await dueDuplications(services);
      await producer.add(
        // The job of a run whose process died is still there; it must not stand in the way of the next.
        due.map(({ _id, fencingToken }) => ({
          data: { duplicationId: _id },
          jobId: `duplication-${_id}-${fencingToken}`,
        })),
      );
    },
    services.log,
  );
  const messages = services.feed.subscribe(dueChannel);
  const listening = (async () => {
    for await (const _ of messages) sweep.now();
  })();
  return {
    stop: async () => {
      ending.abort();
      await messages.return?.();
      await Promise.all([sweep.stop(), listening]);
      await Promise.all([endWorker(worker, connection, 10_000), producer.stop()]);
    },
  };
}
