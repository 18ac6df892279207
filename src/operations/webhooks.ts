import { Empty, Success } from '../contract/common.ts';
import { ListEventTypesResult } from '../contract/event.ts';
import {
  Delivery,
  FollowDeliveriesInput,
  ListDeliveriesInput,
  ListDeliveriesResult,
  RedeliverInput,
  RedeliverPayload,
  TestWebhookInput,
  TestWebhookPayload,
} from '../contract/delivery.ts';
import { GetRecoveryInput, RecoverDeliveriesInput, RecoveryPayload } from '../contract/recovery.ts';
import {
  CreateWebhookInput,
  DeleteWebhookInput,
  ListWebhooksResult,
  RotateWebhookSecretInput,
  RotateWebhookSecretPayload,
  UpdateWebhookInput,
  SaveWebhookPayload,
} from '../contract/webhook.ts';
import { createWebhook } from '../services/webhooks/create-webhook.ts';
import { deleteWebhook } from '../services/webhooks/delete-webhook.ts';
import { subscribeDeliveries } from '../services/webhooks/subscribe-deliveries.ts';
import { listWebhooks } from '../services/webhooks/find-webhook.ts';
import { deliveryLog, listDeliveries } from '../services/webhooks/list-deliveries.ts';
import { listEventTypes } from '../services/webhooks/list-event-types.ts';
import { findRecovery, recoverDeliveries } from '../services/webhooks/recover.ts';
import { redeliver } from '../services/webhooks/redeliver.ts';
import { rotateWebhookSecret } from '../services/webhooks/rotate-secret.ts';
import { testWebhook } from '../services/webhooks/test-webhook.ts';
import { updateWebhook } from '../services/webhooks/update-webhook.ts';
import { operation, subscription } from './operation.ts';

export const testWebhookOperation = operation({
  name: 'testWebhook',
  method: 'POST',
  path: '/v1/webhooks/test',
  summary: 'Test a webhook',
  description:
    'Sends a `webhook.test` event and returns its delivery. The result counts neither as a success nor as a failure.',
  input: TestWebhookInput,
  output: TestWebhookPayload,
  errors: ['webhook_not_found', 'webhook_secret_damaged'],
  weight: 2,
  graphql: { args: ['webhookId'] },
  needsFullScope: true,
  run: testWebhook,
});

export const redeliverOperation = operation({
  name: 'redeliver',
  method: 'POST',
  path: '/v1/webhooks/logs/redeliver',
  summary: 'Redeliver an event',
  description: 'Redelivers an event once. A failure does not count against the webhook.',
  input: RedeliverInput,
  output: RedeliverPayload,
  errors: ['webhook_not_found', 'delivery_not_found', 'webhook_secret_damaged'],
  weight: 2,
  graphql: { args: ['webhookId', 'eventId'] },
  needsFullScope: true,
  run: redeliver,
});

export const webhookOperations = [
  operation({
    name: 'webhooks',
    method: 'GET',
    path: '/v1/webhooks/settings',
    summary: 'List webhooks',
    description: 'Returns all webhooks of the user. Requires a key with scope `full`.',
    input: Empty,
    output: ListWebhooksResult,
    errors: ['insufficient_permissions'],
    graphql: { member: 'webhooks' },
    needsFullScope: true,
    run: listWebhooks,
  }),
  operation({
    name: 'createWebhook',
    method: 'POST',
    path: '/v1/webhooks/settings',
    summary: 'Create a webhook',
    description: 'Creates a webhook (at most ten per user).',
    input: CreateWebhookInput,
    output: SaveWebhookPayload,
    errors: ['webhook_limit_reached', 'unsafe_url'],
    needsFullScope: true,
    run: createWebhook,
  }),
  operation({
    name: 'updateWebhook',
    method: 'PUT',
    path: '/v1/webhooks/settings',
    summary: 'Update a webhook',
    description:
      'Updates the given fields of a webhook. Enabling a disabled webhook resets its failure count and sends its held deliveries.',
    input: UpdateWebhookInput,
    output: SaveWebhookPayload,
    errors: ['webhook_not_found', 'unsafe_url'],
    needsFullScope: true,
    run: updateWebhook,
  }),
  operation({
    name: 'deleteWebhook',
    method: 'DELETE',
    path: '/v1/webhooks/settings',
    inQuery: ['id'],
    summary: 'Delete a webhook',
    description: 'Deletes a webhook and cancels its pending deliveries.',
    input: DeleteWebhookInput,
    output: Success,
    errors: ['webhook_not_found'],
    needsFullScope: true,
    run: deleteWebhook,
  }),
  operation({
    name: 'rotateWebhookSecret',
    method: 'POST',
    path: '/v1/webhooks/settings/rotate-secret',
    summary: 'Rotate a webhook secret',
    description:
      'Replaces the signing secret. For `graceSeconds`, deliveries are signed with both the new and the old secret. A generated secret is in this response and never shown again.',
    input: RotateWebhookSecretInput,
    output: RotateWebhookSecretPayload,
    errors: ['webhook_not_found'],
    secrets: ['secret'],
    needsFullScope: true,
    run: rotateWebhookSecret,
  }),
  testWebhookOperation,
  operation({
    name: 'webhookDeliveries',
    method: 'GET',
    path: '/v1/webhooks/logs',
    summary: 'List deliveries',
    description:
      'Returns the delivery log, newest first, with all attempts. A page ends before the responses in it exceed 5 MB together, even if more deliveries were requested; its cursor leads to the others.',
    input: ListDeliveriesInput,
    output: ListDeliveriesResult,
    errors: ['webhook_not_found', 'insufficient_permissions'],
    needsFullScope: true,
    graphql: { log: deliveryLog },
    run: listDeliveries,
  }),
  redeliverOperation,
  operation({
    name: 'recoverDeliveries',
    method: 'POST',
    path: '/v1/webhooks/recoveries',
    summary: 'Start a recovery',
    description: 'Queues a recovery, which redelivers the failed, held and skipped events of a period.',
    input: RecoverDeliveriesInput,
    output: RecoveryPayload,
    status: 202,
    errors: ['webhook_not_found'],
    weight: 3,
    needsFullScope: true,
    run: recoverDeliveries,
  }),
  operation({
    name: 'deliveryRecovery',
    method: 'GET',
    path: '/v1/webhooks/recoveries/{recoveryId}',
    summary: 'Retrieve a recovery',
    description: 'Returns the progress of a recovery, or `job_not_found`.',
    input: GetRecoveryInput,
    output: RecoveryPayload,
    errors: ['job_not_found', 'insufficient_permissions'],
    graphql: { member: 'recovery' },
    needsFullScope: true,
    run: findRecovery,
  }),
  operation({
    name: 'eventTypes',
    method: 'GET',
    path: '/v1/events',
    summary: 'List event types',
    description: 'Returns all event types, each with the JSON Schema of its body and a sample.',
    input: Empty,
    output: ListEventTypesResult,
    graphql: { member: 'eventTypes' },
    run: listEventTypes,
  }),
];

export const deliveries = subscription({
  name: 'deliveries',
  description: 'Changes in the delivery log of a webhook as they occur. Changes missed by a subscriber are in the log.',
  input: FollowDeliveriesInput,
  output: Delivery,
  run: subscribeDeliveries,
});
