import { z } from 'zod';
import { InstantOut, Limit, ObjectId } from './common.ts';

export const DeliveryState = z
  .enum(['pending', 'sending', 'retrying', 'waiting', 'held', 'skipped', 'delivered', 'failed', 'cancelled'])
  .meta({
    id: 'DeliveryState',
    description:
      'waiting: the circuit breaker is open or the queue is full; held: the webhook was disabled after failures, kept for later; skipped: its owner had disabled it',
  });
export type DeliveryState = z.infer<typeof DeliveryState>;

export const DeliveryTrigger = z.enum(['auto', 'test', 'manual', 'recover']).meta({
  id: 'DeliveryTrigger',
  description: 'What created the delivery: an event, a test, a manual redelivery or a recovery',
});
export type DeliveryTrigger = z.infer<typeof DeliveryTrigger>;

export const Attempt = z
  .strictObject({
    no: z.int().describe('Number of the attempt'),
    startedAt: InstantOut,
    durationMs: z.int().describe('Milliseconds'),
    outcome: z
      .enum(['success', 'failure', 'unknown'])
      .meta({ id: 'AttemptOutcome', description: 'unknown: the worker ended before the outcome was known' }),
    status: z.int().nullable().describe('HTTP status of the response'),
    errorClass: z
      .string()
      .nullable()
      .describe(
        'dns, refused, tls, timeout, reset, http_4xx, http_5xx, redirect, gone, forbidden_address, proxy, worker_lost, shutdown, internal ...',
      ),
    responseBody: z.string().nullable().meta({ description: 'First 8 KiB of the response', cost: 2 }),
    requestHeaders: z
      .array(z.string())
      .describe(
        'Names of the headers that were sent, and of stored ones that were omitted; their values may be secrets',
      ),
    responseHeaders: z
      .record(z.string(), z.string())
      .nullable()
      .meta({ description: 'First thirty response headers without cookies, 256 characters of each', cost: 2 }),
    remoteAddress: z.string().nullable().describe('Address of the request; null if it was not sent or went to a proxy'),
    signingKeyIds: z.array(z.string()).describe('Secrets that signed, newest first; empty if none is set'),
    isProbe: z.boolean().describe('A probe sent while the circuit breaker is open.'),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One delivery attempt' });
export type Attempt = z.infer<typeof Attempt>;

/** The members of an attempt that hold up to 8 KiB each. */
export const attemptTexts = ['responseBody', 'responseHeaders'] as const;
export type AttemptText = (typeof attemptTexts)[number];

export const Delivery = z
  .strictObject({
    _id: ObjectId,
    webhookId: ObjectId,
    eventId: z.string().describe('Also the webhook-id header, the same for every attempt'),
    event: z.string().describe('Name of the event'),
    state: DeliveryState,
    trigger: DeliveryTrigger,
    attempts: z.array(Attempt).describe('The last fifteen, oldest first'),
    nextAttemptAt: InstantOut.nullable(),
    createdAt: InstantOut,
  })
  .meta({ id: 'Delivery', description: 'The delivery of one event to one webhook' });
export type Delivery = z.infer<typeof Delivery>;

export const TestWebhookInput = z.strictObject({ webhookId: ObjectId }).meta({ id: 'TestWebhookInput' });
export type TestWebhookInput = z.output<typeof TestWebhookInput>;

export const TestWebhookPayload = z
  .strictObject({
    success: z.boolean().describe('Whether the receiver accepted'),
    message: z.string().describe('Human-readable message'),
    delivery: Delivery,
  })
  .meta({ id: 'TestWebhookPayload', description: 'Result of the test' });
export type TestWebhookPayload = z.infer<typeof TestWebhookPayload>;

export const ListDeliveriesInput = z
  .strictObject({
    webhookId: ObjectId.optional().describe('Only of this webhook'),
    event: z.string().max(100).optional().describe('Only deliveries of this event type'),
    status: DeliveryState.optional().describe('Only in this state'),
    eventId: z.string().max(64).optional().describe('Only of this event'),
    limit: Limit,
    cursor: ObjectId.optional().describe('nextCursor of the previous page'),
  })
  .meta({ id: 'ListDeliveriesInput' });
export type ListDeliveriesInput = z.output<typeof ListDeliveriesInput>;

export const ListDeliveriesResult = z
  .strictObject({
    logs: z.array(Delivery),
    nextCursor: z.string().nullable().describe('Where the next page starts; null at the end'),
  })
  .meta({ id: 'ListDeliveriesResult', description: 'Deliveries, newest first' });
export type ListDeliveriesResult = z.infer<typeof ListDeliveriesResult>;

export const RedeliverInput = z
  .strictObject({
    webhookId: ObjectId.describe('The webhook'),
    eventId: z.string().min(1).max(64).describe('An event of its delivery log'),
  })
  .meta({ id: 'RedeliverInput' });
export type RedeliverInput = z.output<typeof RedeliverInput>;

export const RedeliverPayload = z
  .strictObject({ success: z.literal(true).describe('Always true; failures are errors'), delivery: Delivery })
  .meta({ id: 'RedeliverPayload', description: 'The delivery that was created' });
export type RedeliverPayload = z.infer<typeof RedeliverPayload>;

export const FollowDeliveriesInput = z.strictObject({ webhookId: ObjectId }).meta({ id: 'FollowDeliveriesInput' });
export type FollowDeliveriesInput = z.output<typeof FollowDeliveriesInput>;
