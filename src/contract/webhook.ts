import { z } from 'zod';
import { linkProblem, parseAddress } from '../lib/web-address.ts';
import { checkedBy, Instant, InstantOut, isVisible, ObjectId } from './common.ts';
import { eventNames } from './event.ts';
import { withLimits } from './limits.ts';

const longestName = 50;
const Name = withLimits(
  z
    .string()
    .max(200)
    .transform((text) => text.normalize('NFC').trim())
    .refine((text) => [...text].length >= 1, 'must not be empty')
    .refine((text) => text === '' || isVisible(text), 'must hold a visible character')
    .refine((text) => [...text].length <= longestName, `must have at most ${longestName} characters`)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'must be one line of well-formed Unicode')
    .meta({ minLength: 1, maxLength: longestName }),
  'Display name',
);

const Url = z
  .string()
  .trim()
  .max(2048, 'must have at most 2048 characters')
  .superRefine(checkedBy(linkProblem))
  .refine((text) => !parseAddress(text)?.hash, 'must not have a fragment')
  .meta({ scalar: 'URL', description: 'Where events go: http or https, public unless configured otherwise' });

const nearest = (name: string): string =>
  eventNames.find((known) => known.replace(/\W/g, '') === name.toLowerCase().replace(/\W/g, '')) ??
  eventNames.find((known) => known.split('.')[0] === name.split('.')[0]) ??
  '';

const Events = z
  .array(
    z
      .string()
      .max(100)
      .superRefine((name, check) => {
        if (name === '*' || (eventNames as string[]).includes(name)) return;
        const hint = nearest(name);
        const message = `is not a known event${hint ? `; did you mean ${hint}?` : ''}; known are *, ${eventNames.join(', ')}`;
        check.addIssue({ code: 'custom', message });
      }),
  )
  .max(100)
  .min(1, 'must name at least one event')
  .describe('Names of GET /v1/events, or * for all');

const leastSecretBytes = 16;
const secretPrefix = 'whsec_';

/** `atob`, because Buffer skips invalid base64: a damaged secret would sign with a shorter key or an empty one. */
function isWellFormedSecret(secret: string): boolean {
  if (!secret.startsWith(secretPrefix)) return true;
  const encoded = secret.slice(secretPrefix.length);
  try {
    const decoded = atob(encoded);
    return decoded.length >= leastSecretBytes && btoa(decoded) === encoded;
  } catch {
    return false;
  }
}

const Secret = withLimits(
  z
    .string()
    .max(256, 'must have at most 256 characters')
    .refine(
      isWellFormedSecret,
      `must be whsec_ followed by padded base64 of at least ${leastSecretBytes} bytes, or a text without that prefix`,
    ),
  `Signs deliveries with HMAC-SHA256: \`whsec_\` followed by padded base64 of at least ${leastSecretBytes} bytes, or any other text (${leastSecretBytes} characters or more recommended); empty means none`,
);

export const maxCustomHeaders = 20;
const CustomHeaders = withLimits(
  z.record(z.string(), z.string().max(4096)).meta({ maxProperties: maxCustomHeaders }),
  'Extra headers; values are returned as ***',
);
const Ordering = z
  .enum(['none', 'strict'])
  .meta({ id: 'WebhookOrdering', description: 'strict: one at a time, in order' });
const MaxPerSecond = withLimits(z.int().min(1).max(50), 'Deliveries per second');

export const CreateWebhookInput = z
  .strictObject({
    name: Name,
    url: Url,
    secret: Secret.optional(),
    events: Events,
    isActive: z.boolean().default(true).describe('Whether deliveries are sent'),
    customHeaders: CustomHeaders.optional(),
    ordering: Ordering.default('none'),
    maxPerSecond: MaxPerSecond.default(50),
    plainSignature: z.boolean().default(true).describe('Also send x-webhook-signature over the body alone'),
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
    isActive: z
      .boolean()
      .optional()
      .describe('true on a disabled webhook resets its failure count and resends held deliveries'),
    customHeaders: CustomHeaders.nullable().optional(),
    ordering: Ordering.optional(),
    maxPerSecond: MaxPerSecond.optional(),
    plainSignature: z.boolean().optional().describe('Also send x-webhook-signature over the body alone'),
    recover: z
      .enum(['none', 'held', 'failed'])
      .meta({
        id: 'WebhookRecover',
        description:
          'What is resent when it is re-enabled: nothing, held deliveries, or also those that failed since recoverSince',
      })
      .optional()
      .describe('held by default'),
    recoverSince: Instant.optional().describe('With `recover: failed`: deliveries created at or after this time'),
  })
  .superRefine(
    (input, check) => {
      const { _id, webhookId, recover, recoverSince } = input as Partial<typeof input>;
      const missing = (path: string, message: string): void =>
        check.addIssue({ code: 'custom', path: [path], params: { code: 'missing_required_field' }, message });
      const wrong = (path: string, message: string): void => check.addIssue({ code: 'custom', path: [path], message });
      if (!(_id ?? webhookId)) missing('_id', 'is required');
      if (_id && webhookId && _id !== webhookId) {
        for (const path of ['_id', 'webhookId'])
          wrong(path, 'must name the same webhook as the other id; give one of the two');
      }
      if (recover === 'failed' && !recoverSince) missing('recoverSince', 'is required with recover: failed');
      if (recover !== 'failed' && recoverSince) wrong('recoverSince', 'is allowed only with recover: failed');
    },
    { when: () => true },
  )
  .meta({ id: 'UpdateWebhookInput', description: 'Only given fields change' });
export type UpdateWebhookInput = z.output<typeof UpdateWebhookInput>;

export const WebhookWarning = z
  .strictObject({
    param: z.string().describe('Name of the field'),
    message: z.string().describe('What is wrong with it'),
  })
  .meta({ id: 'WebhookWarning', description: 'A warning about a saved webhook' });

export const Webhook = z
  .strictObject({
    _id: ObjectId,
    name: z.string().describe('Display name'),
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
        'Consecutive failures; the tenth disables the webhook. Attempts that were in flight when one was counted do not count',
      ),
    nextProbeAt: InstantOut.nullable().describe(
      'After three failures only one probe at a time is sent; this is the next',
    ),
    lastDeliveryAt: InstantOut.nullable().describe('Last attempt'),
    lastSuccessAt: InstantOut.nullable().describe('Last success'),
    disabledAt: InstantOut.nullable().describe('When it was disabled'),
    disabledReason: z
      .enum(['consecutive_failures', 'gone', 'owner'])
      .meta({ id: 'WebhookDisabledReason', description: 'Why a webhook is disabled' })
      .nullable(),
    warnings: z
      .array(WebhookWarning)
      .optional()
      .describe('Warnings about the stored settings; only in lists of webhooks, absent if there are none'),
    createdAt: InstantOut,
    updatedAt: InstantOut,
  })
  .meta({ id: 'Webhook', description: 'A webhook, without its secrets' });
export type Webhook = z.infer<typeof Webhook>;

export const HourOfAttempts = z
  .strictObject({
    at: InstantOut.describe('Start of the hour'),
    success: z.int().describe('Attempts that the receiver accepted'),
    failure: z.int().describe('Attempts that failed'),
  })
  .meta({ id: 'HourOfAttempts', description: 'Attempts of a webhook within an hour' });
export type HourOfAttempts = z.infer<typeof HourOfAttempts>;

export const SaveWebhookPayload = z
  .strictObject({
    success: z.literal(true).describe('Always true; failures are errors'),
    webhook: Webhook,
    recoveryId: ObjectId.optional().describe('The recovery started by `recover: failed`'),
    warnings: z.array(WebhookWarning).optional().describe('Warnings, if any.'),
  })
  .meta({ id: 'SaveWebhookPayload', description: 'The updated webhook' });
export type SaveWebhookPayload = z.infer<typeof SaveWebhookPayload>;

export const ListWebhooksResult = z.strictObject({ webhooks: z.array(Webhook) }).meta({ id: 'ListWebhooksResult' });
export type ListWebhooksResult = z.infer<typeof ListWebhooksResult>;

export const DeleteWebhookInput = z.strictObject({ id: ObjectId }).meta({ id: 'DeleteWebhookInput' });
export type DeleteWebhookInput = z.output<typeof DeleteWebhookInput>;

export const RotateWebhookSecretInput = z
  .strictObject({
    webhookId: ObjectId.describe('The webhook'),
    secret: Secret.min(1, 'must not be empty').optional().describe('The new secret; generated if omitted'),
    graceSeconds: withLimits(
      z.int().min(0).max(604_800).default(86_400),
      'How long the old secret signs alongside the new one; 0 removes it, and all older ones, immediately',
    ),
  })
  .meta({ id: 'RotateWebhookSecretInput', description: 'A new secret for a webhook' });
export type RotateWebhookSecretInput = z.output<typeof RotateWebhookSecretInput>;

const SigningKey = z
  .strictObject({
    id: z.string().describe('As shown in the delivery log.'),
    validUntil: InstantOut.nullable().describe('When it stops signing; null for the newest'),
  })
  .meta({ id: 'WebhookSigningKey', description: 'A secret that currently signs deliveries' });

export const RotateWebhookSecretPayload = z
  .strictObject({
    success: z.literal(true).describe('Always true; failures are errors'),
    webhook: Webhook,
    secret: z.string().optional().describe('The generated secret, returned only once; absent if it was given'),
    signingKeys: z.array(SigningKey).describe('All secrets that currently sign, newest first'),
    warnings: z.array(WebhookWarning).optional().describe('Warnings, if any.'),
  })
  .meta({ id: 'RotateWebhookSecretPayload', description: 'The webhook and its new secret' });
export type RotateWebhookSecretPayload = z.infer<typeof RotateWebhookSecretPayload>;
