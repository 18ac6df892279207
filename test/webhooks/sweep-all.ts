import type { Services } from '../../src/services/context.ts';
import { sweepDeliveries, type Swept } from '../../src/services/webhooks/sweep-deliveries.ts';

/** All that one sweep finds. */
export async function sweepAll(services: Services, options?: { overdueAfterMs: number }): Promise<Swept> {
  const all: Swept = { due: [], probes: [] };
  for await (const { due, probes } of sweepDeliveries(services, options)) {
    all.due.push(...due);
    all.probes.push(...probes);
  }
  return all;
}
