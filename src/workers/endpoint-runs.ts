import { atMostEvery } from '../lib/throttle.ts';
import type { Services } from '../services/context.ts';
import { createDeliverer } from '../services/webhooks/deliver.ts';
import type { RunResult } from '../services/webhooks/endpoint-run.ts';
import { logOutage } from '../services/unexpected-error.ts';

/** Endpoints that this process works on at once. */
const maxRuns = 200;
/** How often a process with a run of an endpoint lets others start one too. */
const shareMs = 1_000;
const maxLimited = 10_000;
/** A rate limit is used up for the rest of a second. */
const maxLimitedMs = 2_000;
/** How soon an endpoint runs again after an outage of a store. */
const outageMs = 5_000;

interface Run {
  sent: Promise<RunResult>;
  ended: Promise<void>;
  sharedAt: number;
}

export interface EndpointRuns {
  /** Whether this process can work on another endpoint, or on the given one, which it may work on already. */
  hasCapacity: (webhookId?: string) => boolean;
  /** Calls back once, when it can again. */
  onCapacity: (callback: () => void) => void;
  start: (webhookId: string, probeId?: string) => void;
  /** Continues the run of the endpoint, if this process has one; true if no other process needs to start one. */
  covers: (webhookId: string) => boolean;
  /** Ends all runs; requests that are under way may end. */
  drain: () => Promise<void>;
}

/** The runs of this process; `schedule` queues an endpoint for any process at a later time. */
export function createEndpointRuns(
  services: Services,
  options: { schedule: (webhookId: string, at: Date) => Promise<void>; stopping: AbortSignal },
): EndpointRuns {
  const { clock, log } = services;
  let isDraining = false;
  const deliver = createDeliverer(services, { ...options, isDraining: () => isDraining });
  const runs = new Map<string, Run>();
  /** Endpoints whose rate limit is used up, and until when. Their next run is queued. */
  const limited = new Map<string, Date>();
  const waitingForCapacity: (() => void)[] = [];
  const logThrottled = atMostEvery(1_000, (error: unknown) => {
    if (!logOutage(log, error)) log.warn({ err: error }, 'delivery waiting for Redis');
  });

  const isLimited = (webhookId: string): boolean => {
    const waitMs = (limited.get(webhookId)?.getTime() ?? 0) - clock.now().getTime();
    // A clock set back must not hold back an endpoint for an hour.
    if (waitMs > 0 && waitMs <= maxLimitedMs) return true;
    limited.delete(webhookId);
    return false;
  };
  const recordLimit = (webhookId: string, { limitedUntil }: RunResult): void => {
    if (limited.size >= maxLimited) limited.clear();
    if (limitedUntil) limited.set(webhookId, limitedUntil);
  };
  const hasCapacity = (webhookId = ''): boolean => runs.size < maxRuns || runs.has(webhookId);
  const remove = (webhookId: string): void => {
    runs.delete(webhookId);
    if (hasCapacity() && !isDraining) for (const callback of waitingForCapacity.splice(0)) callback();
  };
  const start = (webhookId: string, probeId?: string): void => {
    const sent = deliver(webhookId, probeId);
    if (runs.get(webhookId)?.sent === sent) return;
    const ended = sent
      .then(
        (result) => recordLimit(webhookId, result),
        (error: unknown) => {
          logThrottled(error);
          return options.schedule(webhookId, new Date(clock.now().getTime() + outageMs));
        },
      )
      .finally(() => {
        if (runs.get(webhookId)?.sent === sent) remove(webhookId);
      });
    runs.set(webhookId, { sent, ended, sharedAt: performance.now() });
  };
  return {
    start,
    hasCapacity,
    onCapacity: (callback) => void waitingForCapacity.push(callback),
    covers(webhookId) {
      const run = runs.get(webhookId);
      if (!run) return isLimited(webhookId);
      start(webhookId);
      if (performance.now() - run.sharedAt < shareMs) return true;
      run.sharedAt = performance.now();
      return false;
    },
    async drain() {
      isDraining = true;
      while (runs.size > 0) await Promise.all([...runs.values()].map(({ ended }) => ended));
    },
  };
}
