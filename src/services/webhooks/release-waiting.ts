import { batched } from '../../lib/batch.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { queueLimit, maxQueued, queueDepths } from './queue-limits.ts';

type Endpoint = Pick<WebhookDoc, '_id' | 'ordering'>;

interface ReleaseRequest {
  webhook: Endpoint;
  /** How many of its oldest waiting deliveries to release. */
  max: number;
}

interface Released {
  released: number;
  /** Current queue depth, if anything was waiting. */
  inQueue: number;
}

/** Releases up to `max` waiting deliveries of each webhook; returns the webhooks that had some. */
export async function releaseEach(services: Services, webhooks: Endpoint[], max: number): Promise<string[]> {
  const all = await release(
    services,
    webhooks.map((webhook) => ({ webhook, max })),
  );
  return webhooks.filter((_, at) => all[at]?.released).map(({ _id }) => _id);
}

/** Releases as many as are requested and the queue of the endpoint has room for. */
async function release(services: Services, requests: ReleaseRequest[]): Promise<Released[]> {
  const { webhookDeliveries } = services.db;
  const waiting = await Promise.all(requests.map((one) => oldestWaiting(services, one)));
  const ids = requests.filter((_, at) => waiting[at]?.length).map(({ webhook }) => webhook._id);
  const depths = await queueDepths(services, ids);
  const chosen = requests.map(({ webhook }, at) => {
    const inQueue = depths.get(webhook._id) ?? 0;
    const room = Math.max(0, Math.floor(queueLimit(webhook) - inQueue));
    return { inQueue, due: (waiting[at] ?? []).slice(0, room) };
  });
  const due = chosen.flatMap((one) => one.due);
  if (due.length > 0)
    await webhookDeliveries.updateMany(
      { _id: { $in: due }, state: 'waiting' },
      { $set: { state: 'pending', nextAttemptAt: services.clock.now() } },
    );
  return chosen.map(({ inQueue, due: { length } }) => ({ released: length, inQueue: inQueue + length }));
}

async function oldestWaiting({ db }: Services, { webhook, max }: ReleaseRequest): Promise<string[]> {
  const count = Math.floor(Math.min(max, queueLimit(webhook)));
  if (count <= 0) return [];
  const oldest = await db.webhookDeliveries
    .find({ webhookId: webhook._id, state: 'waiting' }, { _id: 1 })
    .sort({ occurredAt: 1, _id: 1 })
    .limit(count)
    .lean();
  return oldest.map(({ _id }) => _id);
}

/** After this time a success checks again, whatever the last check found. */
const checkIntervalMs = 1_000;

interface CheckState {
  size: number;
  validUntil: number;
  /** How many successes need no check until then. */
  skip: number;
}

/**
 * Called after successes of an endpoint: releases one, then two, four ... waiting deliveries. Checks are skipped
 * while the queue is well filled or nothing waits, but never so many that the queue runs empty first.
 */
export function createReleaser(services: Services): (webhook: WebhookDoc, successes?: number) => Promise<number> {
  const checks = new Map<string, CheckState>();
  const releaseOne = batched((requests: ReleaseRequest[]) => release(services, requests));
  return async (webhook, successes = 1) => {
    if (webhook.ordering === 'strict') return (await releaseOne({ webhook, max: 1 })).released;
    const now = services.clock.now().getTime();
    const check = checks.get(webhook._id) ?? { size: 1, validUntil: 0, skip: 0 };
    // A clock set back must not suppress checks for an hour.
    const isFresh = now < check.validUntil && check.validUntil - now <= checkIntervalMs;
    check.skip -= successes;
    if (check.skip >= 0 && isFresh && Math.random() >= successes * checkProbability) return 0;
    if (checks.size > 10_000) checks.clear();
    const validUntil = now + checkIntervalMs;
    checks.set(webhook._id, { size: check.size, skip: maxSkippedChecks(maxQueued), validUntil });
    const { released, inQueue } = await releaseOne({ webhook, max: check.size });
    const isEmpty = released === 0 && inQueue < maxQueued;
    const size = isEmpty ? 1 : Math.min(check.size * 2, maxQueued);
    checks.set(webhook._id, { size, skip: maxSkippedChecks(isEmpty ? maxQueued : inQueue), validUntil });
    return released;
  };
}

/** With more than four processes, checks randomly before the queue runs empty. */
const checkProbability = 5 / maxQueued;

/** Each of up to four processes skips no more checks than the queue has deliveries. */
const maxSkippedChecks = (inQueue: number): number => Math.floor(inQueue / 4);
