import { atMostEvery } from '../../lib/throttle.ts';
import { inSpan } from '../../telemetry/tracing.ts';
import type { Services } from '../context.ts';
import { logOutage } from '../unexpected-error.ts';
import { createBatchUpdater } from '../durable/batch.ts';
import { attemptInOrder, type AttemptResult, type Job } from './attempt-delivery.ts';
import { deferAfterInternalError } from './defer-delivery.ts';
import { createDeliveryReaders } from './delivery-readers.ts';
import { startEndpointRun, type EndpointRun, type RunResult, type RunTools } from './endpoint-run.ts';
import { createSuccessRecorder } from './record-success.ts';
import { createReleaser } from './release-waiting.ts';

/** Sends what is due at an endpoint, and a probe. If this process is at it already, that run goes on to it. */
type Deliver = (webhookId: string, probeId?: string) => Promise<RunResult>;

interface DelivererOptions extends Partial<Pick<RunTools, 'schedule' | 'isDraining'>> {
  /** Aborts running requests when the process has to stop. */
  stopping?: AbortSignal;
}

/** Creates the delivery handler. An internal error defers its delivery; an unavailable store is rethrown. */
export function createDeliverer(
  services: Services,
  { stopping, schedule = async () => undefined, isDraining = () => false }: DelivererOptions = {},
): Deliver {
  const readers = createDeliveryReaders(services);
  const { bodyOf } = readers;
  const update = createBatchUpdater(services.db);
  const deps = { bodyOf, update, recordSuccess: createSuccessRecorder(services), stopping };
  const logThrottled = atMostEvery(1_000, (err: unknown, deliveryId: string) =>
    services.log.warn({ err, deliveryId }, 'delivery hit an internal error; will retry'),
  );
  const attempt = (job: Job): Promise<AttemptResult> => {
    const { _id } = job.delivery;
    return inSpan('deliver webhook', { 'delivery.id': _id }, () => attemptInOrder(services, job, deps)).catch(
      (error: unknown) => {
        if (!logOutage(services.log, error)) logThrottled(error, _id);
        return deferAfterInternalError(services, _id, error);
      },
    );
  };
  const tools = { readers, deps, release: createReleaser(services), attempt, schedule, isDraining };
  const running = new Map<string, EndpointRun>();
  return (webhookId, probeId) => {
    const onEnd = (): void => void running.delete(webhookId);
    const run = running.get(webhookId) ?? startEndpointRun(services, webhookId, { ...tools, onEnd });
    running.set(webhookId, run);
    run.wake(probeId);
    return run.ended;
  };
}
