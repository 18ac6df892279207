import type { Wake } from '../redis/wake-relay.ts';
import type { Services } from '../services/context.ts';
import { startWebhooks } from './deliver-webhooks.ts';
import { startDiscovery } from './discover-campaigns.ts';
import { startDuplications } from './duplicate-campaigns.ts';
import { startReadFigures } from './read-figures.ts';
import { startRefreshTokens } from './refresh-tokens.ts';
import { startReconcileOrders } from './reconcile-orders.ts';
import { startStops } from './pause-campaigns.ts';
import { createPoller } from './poller.ts';
import type { QueueOptions } from './queues.ts';

/** An event whose wake-up message was lost is late by this. */
const defaultPollMs = 1_000;

export interface Workers {
  stop: () => Promise<void>;
}

/** The workers of all queues of this process, stopped together. */
export async function startWorkers(services: Services, queues: QueueOptions, wake: Wake): Promise<Workers> {
  const poller = createPoller(Math.min(defaultPollMs, queues.sweepIntervalMs), services.log);
  const options = { ...queues, poller };
  const webhooks = await startWebhooks(services, options, wake);
  const running = [
    poller,
    webhooks,
    startReconcileOrders(services, options),
    startDuplications(services, options),
    startDiscovery(services, options),
    startStops(services, options),
    startReadFigures(services, options),
    startRefreshTokens(services, options),
  ];
  return { stop: async () => void (await Promise.all(running.map((worker) => worker.stop()))) };
}
