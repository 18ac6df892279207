import type { Services } from '../services/context.ts';
import { dueJobs, figureJobWork } from '../services/reports/jobs/job-store.ts';
import { requestDueRefreshes, scheduledReadWork } from '../services/reports/jobs/refresh-schedule.ts';
import { requestedChannel } from '../services/reports/jobs/request-job.ts';
import { runFigureJob } from '../services/reports/jobs/run-job.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { startQueueWorker } from './queue-worker.ts';
import type { WorkerOptions } from './queues.ts';

/** Reads figures of ads in the background and requests the daily reads. The database records jobs and leases. */
export const startReadFigures = (services: Services, options: WorkerOptions): { stop: () => Promise<void> } =>
  startQueueWorker<{ jobId: string }>(services, options, {
    name: 'read-figures',
    run: ({ jobId }, signal) =>
      inSpan('read figures', { 'job.id': jobId }, () => runFigureJob(services, jobId, signal)),
    due: async () => {
      await requestDueRefreshes(services);
      // Queue names of jobs may contain no colon.
      return (await dueJobs(services)).map(({ _id }) => ({ data: { jobId: _id }, jobId: _id.replaceAll(':', '-') }));
    },
    work: () => [...figureJobWork(services), ...scheduledReadWork(services)],
    everyMs: options.sweepIntervalMs,
    channel: requestedChannel,
    failure: 'reading figures failed; will retry',
    limits: { concurrency: 5, lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 1000 },
  });
