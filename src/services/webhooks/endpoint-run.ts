import type { UnloggedDelivery } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { shortRetry, type AttemptResult, type DeliveryDeps, type Job } from './attempt-delivery.ts';
import { withDecryptionCache } from './decrypt-webhook.ts';
import { RedisUnavailableError } from './defer-delivery.ts';
import type { DeliveryReaders } from './delivery-readers.ts';
import { parkDelivery, parkedState } from './park-delivery.ts';
import { maxQueued } from './queue-limits.ts';

/** Concurrent requests of one endpoint in one process. */
const maxLanes = 4;
/** How long a webhook may have been read before an attempt. */
const maxStaleMs = 50;
/** Reads of due deliveries in a row of which other processes claimed every one. */
const maxLostReads = 3;

type Taken = Pick<Job, 'delivery' | 'isProbe'>;

export interface RunTools {
  readers: DeliveryReaders;
  deps: DeliveryDeps;
  /** Releases waiting deliveries after so many successes; returns how many. */
  release: (webhook: WebhookDoc, successes: number) => Promise<number>;
  /** One attempt; an internal error defers the delivery, an unavailable store is thrown. */
  attempt: (job: Job) => Promise<AttemptResult>;
  /** Runs the endpoint again at a time. */
  schedule: (webhookId: string, at: Date) => Promise<void>;
  /** No attempt begins any more. */
  isDraining: () => boolean;
}

export interface RunResult {
  /** When the endpoint has to run again, as far as this run knows. */
  retryAt?: Date;
  /** Until when its rate limit is used up. */
  limitedUntil?: Date;
}

export interface EndpointRun {
  /** Reads again what is due, and sends a probe. */
  wake: (probeId?: string) => void;
  ended: Promise<RunResult>;
}

/**
 * Sends what is due at one endpoint, until nothing is left. Up to four lanes take deliveries from one list; each claims its
 * delivery just before the request, so that other processes may work on the same endpoint.
 */
export function startEndpointRun(
  services: Services,
  webhookId: string,
  { readers, deps, release, attempt, schedule, isDraining, onEnd }: RunTools & { onEnd: () => void },
): EndpointRun {
  const result: RunResult = {};
  const decrypts = withDecryptionCache(services);
  const probes: string[] = [];
  /** Taken by a lane and not yet recorded. */
  const taken = new Set<string>();
  /** Recorded since the last read of due deliveries began, which may have found them unclaimed. */
  const recorded = new Set<string>();
  let due: UnloggedDelivery[] = [];
  let isWoken = false;
  let lanes = 0;
  let lanesAllowed = maxLanes;
  let seen: { webhook: WebhookDoc | undefined; at: number } | undefined;
  let reading: Promise<void> | undefined;
  let successes = 0;
  const claims = { won: 0, lost: 0, lostReads: 0 };
  let failure: { error: unknown } | undefined;
  let finish: (result: RunResult | Promise<RunResult>) => void;
  const ended = new Promise<RunResult>((resolve) => (finish = resolve));

  const retry = async (at: Date | undefined): Promise<void> => {
    if (!at) return;
    if (!result.retryAt || at < result.retryAt) result.retryAt = at;
    await schedule(webhookId, at);
  };
  const stop = (): void => {
    due = [];
    isWoken = false;
  };
  const stopUntil = (at: Date): Promise<void> => {
    stop();
    return retry(at);
  };

  /** All lanes reach the limit at once, and the first one queues the next run. */
  const stopAtLimit = async (until: Date): Promise<void> => {
    stop();
    if (result.limitedUntil && result.limitedUntil > services.clock.now()) return;
    result.limitedUntil = until;
    await retry(until);
  };

  const webhookNow = async (): Promise<WebhookDoc | undefined> => {
    if (!seen || performance.now() - seen.at > maxStaleMs)
      seen = { webhook: await readers.webhookOf(webhookId), at: performance.now() };
    return seen.webhook;
  };

  const readDue = async (): Promise<void> => {
    isWoken = false;
    const isContended = claims.lost > 0;
    claims.lostReads = isContended && claims.won === 0 ? claims.lostReads + 1 : 0;
    Object.assign(claims, { won: 0, lost: 0 });
    if (claims.lostReads > maxLostReads) return stopUntil(shortRetry(services));
    seen = undefined;
    recorded.clear();
    const [found, webhook] = await Promise.all([readers.dueOf(webhookId), webhookNow()]);
    // Those beyond the limit of the read may have no job of their own.
    if (found.length >= maxQueued) isWoken = true;
    const free = found.filter(({ _id }) => !taken.has(_id) && !recorded.has(_id));
    // Another process works through the same list from its beginning.
    const from = isContended ? Math.floor(Math.random() * free.length) : 0;
    due = [...free.slice(from), ...free.slice(0, from)];
    // One read for all of them, from which the lanes take theirs.
    await Promise.all(due.map(({ eventId }) => readers.bodyOf(eventId)));
    lanesAllowed = webhook?.ordering === 'strict' ? 1 : maxLanes;
    startLanes(due.length - 1);
  };

  /** Whether there is anything to take; releases waiting deliveries if there is not. */
  const refill = async (): Promise<boolean> => {
    if (!isWoken && successes > 0) {
      const count = successes;
      successes = 0;
      const webhook = await webhookNow();
      if (webhook?.isActive && (await release(webhook, count)) > 0) isWoken = true;
    }
    if (!isWoken && !reading) return due.length > 0;
    reading ??= readDue().finally(() => (reading = undefined));
    await reading;
    return due.length > 0 || isWoken;
  };

  const take = async (): Promise<Taken | undefined> => {
    for (;;) {
      if (isDraining()) return undefined;
      const probeId = probes.shift();
      const probe = probeId === undefined ? undefined : await readers.deliveryOf(probeId);
      const delivery = probe ?? due.shift();
      if (delivery) {
        taken.add(delivery._id);
        return { delivery, isProbe: delivery === probe };
      }
      if (!(await refill())) return undefined;
    }
  };

  const run = async ({ delivery, isProbe }: Taken): Promise<void> => {
    const before = await webhookNow();
    const isSendable = before && !parkedState(delivery, before, isProbe);
    const limitedUntil = isSendable ? await limit(before) : undefined;
    // Its owner may have changed or disabled it meanwhile.
    const webhook = await webhookNow();
    const state = parkedState(delivery, webhook, isProbe);
    if (state || !webhook) return parkDelivery(services, { delivery, state: state ?? 'cancelled' }, deps.update);
    if (limitedUntil) return stopAtLimit(limitedUntil);
    const outcome = await attempt({ delivery, webhook, isProbe, decrypts });
    if (outcome === 'lost') {
      claims.lost += 1;
      due = [];
      isWoken = true;
      return;
    }
    claims.won += 1;
    if (outcome === 'blocked') return parkDelivery(services, { delivery, state: 'waiting' }, deps.update);
    if (outcome === 'busy') return stopUntil(shortRetry(services));
    // An attempt that failed or closed the circuit changed the webhook.
    if (outcome.state !== 'delivered' || webhook.nextProbeAt) seen = undefined;
    const isOver = outcome.state === 'delivered' || (outcome.state === 'failed' && webhook.ordering === 'strict');
    if (isOver) successes += 1;
    await retry(outcome.retryAt);
  };

  const limit = ({ maxPerSecond }: WebhookDoc): Promise<Date | undefined> =>
    services.limitDeliveryRate(webhookId, maxPerSecond).catch((error: unknown) => {
      throw new RedisUnavailableError(error);
    });

  const lane = async (): Promise<void> => {
    lanes += 1;
    try {
      for (let job = await take(); job; job = await take()) {
        const { _id } = job.delivery;
        await run(job).finally(() => taken.delete(_id));
        recorded.add(_id);
      }
    } catch (error) {
      failure ??= { error };
      stop();
      probes.length = 0;
    }
    lanes -= 1;
    if (isWoken && !isDraining()) startLanes(1);
    else if (lanes === 0) await end();
  };

  const startLanes = (count: number): void => {
    const free = Math.min(count, lanesAllowed - lanes);
    for (let at = 0; at < free; at += 1) void lane();
  };

  const end = async (): Promise<void> => {
    onEnd();
    // What a stopping process leaves is for the others.
    if (due.length > 0 || isWoken) await retry(services.clock.now());
    finish(failure ? Promise.reject(failure.error as Error) : result);
  };

  return {
    ended,
    wake(probeId) {
      if (probeId !== undefined) probes.push(probeId);
      isWoken = true;
      // Strict order may have been given up meanwhile.
      lanesAllowed = maxLanes;
      startLanes(1);
    },
  };
}
