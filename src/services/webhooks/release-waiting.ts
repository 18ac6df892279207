import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { queueLimit, maxQueued, queueDepths } from './queue-limits.ts';

type Endpoint = Pick<WebhookDoc, '_id' | 'ordering'>;

/** Releases up to `max` of the oldest waiting deliveries; returns how many. */
const releaseWaiting = async (services: Services, webhook: Endpoint, max: number): Promise<number> =>
  (await release(services, webhook, max)).released;

/** Releases up to `max` waiting deliveries of each webhook; returns the webhooks that had some. */
export async function releaseEach(services: Services, webhooks: Endpoint[], max: number): Promise<string[]> {
  const counts = await Promise.all(webhooks.map((webhook) => releaseWaiting(services, webhook, max)));
  return webhooks.filter((_, at) => counts[at]).map(({ _id }) => _id);
}

interface Released {
  released: number;
  /** Current queue depth. */
  inQueue: number;
}

async function release(services: Services, webhook: Endpoint, max: number): Promise<Released> {
  const { db, clock } = services;
  const webhookId = webhook._id;
  const inQueue = (await queueDepths(services, [webhookId])).get(webhookId) ?? 0;
  const count = Math.floor(Math.min(max, queueLimit(webhook) - inQueue));
  if (count <= 0) return { released: 0, inQueue };
  const oldest = await db.webhookDeliveries
    .find({ webhookId, state: 'waiting' }, { _id: 1 })
    .sort({ occurredAt: 1, _id: 1 })
    .limit(count)
    .lean();
  if (oldest.length === 0) return { released: 0, inQueue };
  await db.webhookDeliveries.updateMany(
    { _id: { $in: oldest.map(({ _id }) => _id) }, state: 'waiting' },
    { $set: { state: 'pending', nextAttemptAt: clock.now() } },
  );
  return { released: oldest.length, inQueue: inQueue + oldest.length };
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
  return async (webhook, successes = 1) => {
    if (webhook.ordering === 'strict') return releaseWaiting(services, webhook, 1);
    const now = services.clock.now().getTime();
    const check = checks.get(webhook._id) ?? { size: 1, validUntil: 0, skip: 0 };
    // A clock set back must not suppress checks for an hour.
    const isFresh = now < check.validUntil && check.validUntil - now <= checkIntervalMs;
    check.skip -= successes;
    if (check.skip >= 0 && isFresh && Math.random() >= successes * checkProbability) return 0;
    if (checks.size > 10_000) checks.clear();
    const validUntil = now + checkIntervalMs;
    checks.set(webhook._id, { size: check.size, skip: maxSkippedChecks(maxQueued), validUntil });
    const { released, inQueue } = await release(services, webhook, check.size);
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
