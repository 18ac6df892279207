import { z } from 'zod';
import { InstantOut, Limit, ObjectId } from './common.ts';
import { eventNames } from './event.ts';

const Name = z
  .string()
  .transform((text) => text.normalize('NFC').trim())
  .refine((text) => [...text].length >= 1, 'must not be empty')
  .refine((text) => [...text].length <= 50, 'must have at most 50 characters')
  .describe('1 to 50 characters');

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const Url = z
  .string()
  .trim()
  .max(2048, 'must have at most 2048 characters')
  .refine(isAddress, 'must be an http or https address')
  .refine(
    (text) => !isAddress(text) || (!new URL(text).username && !new URL(text).password),
    'must not hold credentials',
  )
  .refine((text) => !isAddress(text) || !new URL(text).hash, 'must not have a fragment')
  .meta({ scalar: 'URL', description: 'Where events go: http or https, public unless configured otherwise' });

const nearest = (name: string): string =>
  eventNames.find((known) => known.replace(/\W/g, '') === name.toLowerCase().replace(/\W/g, '')) ??
  eventNames.find((known) => known.split('.')[0] === name.split('.')[0]) ??
  '';

const Events = z
  .array(
    z.string().superRefine((name, check) => {
      if (name === '*' || (eventNames as string[]).includes(name)) return;
      const hint = nearest(name);
      const message = `is not a known event${hint ? `; did you mean ${hint}?` : ''}; known are *, ${eventNames.join(', ')}`;
      check.addIssue({ code: 'custom', message });
    }),
  )
  .min(1, 'must name at least one event')
  .describe('Names of GET /v1/events, or * for all');

const isWellFormedSecret = (secret: string): boolean =>
  !secret.startsWith('whsec_') || /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret);

const Secret = z
  .string()
  .max(256, 'must have at most 256 characters')
  .refine(isWellFormedSecret, 'whsec_ must be followed by base64')
  .describe(
    'Signs deliveries with HMAC-SHA256: whsec_ and base64, or any text of 1 to 256 characters; empty means none',
  );

const CustomHeaders = z.record(z.string(), z.string()).describe('Extra headers, at most 20; answered as ***');
const Ordering = z
  .enum(['none', 'strict'])
  .meta({ id: 'WebhookOrdering', description: 'strict: one at a time, in order' });
const MaxPerSecond = z.int().min(1).max(50).describe('Deliveries a second, 1 to 50');

export const CreateWebhookInput = z
  .strictObject({
    name: Name,
    url: Url,
    secret: Secret.optional(),
    events: Events,
    isActive: z.boolean().default(true).describe('Whether deliveries are sent'),
    customHeaders: CustomHeaders.optional(),
    maxPerSecond: MaxPerSecond.default(50),
    plainSignature: z.boolean().default(true).describe('Also send x-webhook-signature over the bare body'),
  })
  .meta({ id: 'CreateWebhookInput', description: 'A webhook: where events go and which' });
export type CreateWebhookInput = z.output<typeof CreateWebhookInput>;

export const UpdateWebhookInput = z
  .strictObject({
    _id: ObjectId.optional().describe('The webhook'),
    webhookId: ObjectId.optional().describe('The same under another name'),
    name: Name.optional(),
    url: Url.optional(),
    secret: Secret.nullable().optional(),
    events: Events.optional(),
    isActive: z.boolean().optional().describe('true on a disabled one resets its count and resumes what was held'),
    customHeaders: CustomHeaders.nullable().optional(),
    maxPerSecond: MaxPerSecond.optional(),
    plainSignature: z.boolean().optional().describe('Also send x-webhook-signature over the bare body'),
    recover: z
      .enum(['none', 'held'])
      .meta({ id: 'WebhookRecover', description: 'What happens to held deliveries when it is enabled again' })
      .optional()
      .describe('held by default'),
  })
  .superRefine(
    (input, check) => {
      const { _id, webhookId } = input as Partial<typeof input>;
      if (_id ?? webhookId) return;
      check.addIssue({
        code: 'custom',
        path: ['_id'],
        params: { code: 'missing_required_field' },
        message: 'is required',
      });
    },
    { when: () => true },
  )
  .meta({ id: 'UpdateWebhookInput', description: 'Only given fields change' });
export type UpdateWebhookInput = z.output<typeof UpdateWebhookInput>;

export const Webhook = z
  .strictObject({
    _id: ObjectId,
    name: z.string().describe('For people'),
    url: z.string().describe('Where events go'),
    events: z.array(z.string()).describe('Which events, * for all'),
    isActive: z.boolean().describe('Whether deliveries are sent'),
    customHeaders: z.record(z.string(), z.string()).describe('Names as given, values as ***'),
    hasSecret: z.boolean().describe('Whether deliveries are signed'),
    ordering: Ordering,
    maxPerSecond: z.int().describe('Deliveries a second'),
    plainSignature: z.boolean().describe('Whether x-webhook-signature is sent'),
    consecutiveFailures: z
      .int()
      .describe(
        'Strikes in a row; the tenth switches it off. Attempts that were in flight when one was counted add none',
      ),
    nextProbeAt: InstantOut.nullable().describe(
      'After three strikes only one probe at a time is sent; this is the next',
    ),
    lastDeliveryAt: InstantOut.nullable().describe('Last attempt'),
    lastSuccessAt: InstantOut.nullable().describe('Last success'),
    disabledAt: InstantOut.nullable().describe('When it was switched off'),
    disabledReason: z
      .enum(['consecutive_failures', 'gone', 'owner'])
      .meta({ id: 'WebhookDisabledReason', description: 'Why a webhook is off' })
      .nullable(),
    createdAt: InstantOut,
    updatedAt: InstantOut,
  })
  .meta({ id: 'Webhook', description: 'A webhook, without its secrets' });
export type Webhook = z.infer<typeof Webhook>;

export const WebhookWarning = z
  .strictObject({ param: z.string().describe('The field in question'), message: z.string().describe('What to know') })
  .meta({ id: 'WebhookWarning', description: 'Something worth knowing about a saved webhook' });

export const WebhookResult = z
  .strictObject({
    success: z.literal(true).describe('Always true; what fails is an error'),
    webhook: Webhook,
    warnings: z.array(WebhookWarning).optional().describe('What is worth knowing; absent when nothing is'),
  })
  .meta({ id: 'WebhookResult', description: 'The webhook as it is now' });
export type WebhookResult = z.infer<typeof WebhookResult>;

export const ListWebhooksResult = z.strictObject({ webhooks: z.array(Webhook) }).meta({ id: 'ListWebhooksResult' });
export type ListWebhooksResult = z.infer<typeof ListWebhooksResult>;

export const DeleteWebhookInput = z.strictObject({ id: ObjectId }).meta({ id: 'DeleteWebhookInput' });
export type DeleteWebhookInput = z.output<typeof DeleteWebhookInput>;

export const TestWebhookInput = z.strictObject({ webhookId: ObjectId }).meta({ id: 'TestWebhookInput' });
export type TestWebhookInput = z.output<typeof TestWebhookInput>;

export const DeliveryState = z
  .enum(['pending', 'sending', 'retrying', 'waiting', 'held', 'skipped', 'delivered', 'failed', 'cancelled'])
  .meta({
    id: 'DeliveryState',
    description:
      'waiting: the endpoint is being spared; held: the webhook was switched off after failures, kept for later; skipped: its owner had switched it off',
  });
export type DeliveryState = z.infer<typeof DeliveryState>;

export const Attempt = z
  .strictObject({
    no: z.int().describe('Number of the attempt'),
    startedAt: InstantOut,
    durationMs: z.int().describe('Milliseconds'),
    outcome: z
      .enum(['success', 'failure', 'unknown'])
      .meta({ id: 'AttemptOutcome', description: 'unknown: the sender died before it knew' }),
    status: z.int().nullable().describe('HTTP status of the answer'),
    errorClass: z
      .string()
      .nullable()
      .describe('dns, refused, tls, timeout, reset, http_4xx, http_5xx, redirect, forbidden_address ...'),
    responseBody: z.string().nullable().describe('First 8 KiB of the answer'),
    isProbe: z.boolean().describe('A single try while the endpoint is being spared'),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One try to deliver' });
export type Attempt = z.infer<typeof Attempt>;

export const Delivery = z
  .strictObject({
    _id: ObjectId,
    webhookId: ObjectId,
    eventId: z.string().describe('Also the webhook-id header, the same for every attempt'),
    event: z.string().describe('Name of the event'),
    state: DeliveryState,
    trigger: z.enum(['auto', 'test']).meta({ id: 'DeliveryTrigger', description: 'What made the delivery' }),
    attempts: z.array(Attempt).describe('The last fifteen, oldest first'),
    nextAttemptAt: InstantOut.nullable(),
    createdAt: InstantOut,
  })
  .meta({ id: 'Delivery', description: 'One event on its way to one webhook' });
export type Delivery = z.infer<typeof Delivery>;

export const TestWebhookResult = z
  .strictObject({
    success: z.boolean().describe('Whether the receiver accepted'),
    message: z.string().describe('For people'),
    delivery: Delivery,
  })
  .meta({ id: 'TestWebhookResult', description: 'What came of the test' });
export type TestWebhookResult = z.infer<typeof TestWebhookResult>;

export const ListDeliveriesInput = z
  .strictObject({
    webhookId: ObjectId.optional().describe('Only of this webhook'),
    event: z.string().optional().describe('Only of this kind of event'),
    status: DeliveryState.optional().describe('Only in this state'),
    eventId: z.string().max(64).optional().describe('Only of this event'),
    limit: Limit,
    cursor: ObjectId.optional().describe('nextCursor of the page before'),
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
