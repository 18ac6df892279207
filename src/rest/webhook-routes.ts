import { Empty, Success } from '../contract/common.ts';
import { ListEventTypesResult } from '../contract/event.ts';
import {
  ListDeliveriesInput,
  ListDeliveriesResult,
  RedeliverInput,
  RedeliverResult,
  TestWebhookInput,
  TestWebhookResult,
} from '../contract/delivery.ts';
import { GetRecoveryInput, RecoverDeliveriesInput, RecoveryResult } from '../contract/recovery.ts';
import {
  CreateWebhookInput,
  DeleteWebhookInput,
  ListWebhooksResult,
  RotateWebhookSecretInput,
  RotateWebhookSecretResult,
  UpdateWebhookInput,
  WebhookResult,
} from '../contract/webhook.ts';
import { createWebhook } from '../services/webhooks/create-webhook.ts';
import { deleteWebhook } from '../services/webhooks/delete-webhook.ts';
import { listWebhooks } from '../services/webhooks/find-webhook.ts';
import { listDeliveries } from '../services/webhooks/list-deliveries.ts';
import { listEventTypes } from '../services/webhooks/list-event-types.ts';
import { findRecovery, recoverDeliveries } from '../services/webhooks/recover.ts';
import { redeliver } from '../services/webhooks/redeliver.ts';
import { rotateWebhookSecret } from '../services/webhooks/rotate-secret.ts';
import { testWebhook } from '../services/webhooks/test-webhook.ts';
import { updateWebhook } from '../services/webhooks/update-webhook.ts';
import { route } from './route.ts';

export const webhookRoutes = [
  route({
    name: 'webhooks',
    method: 'GET',
    path: '/v1/webhooks/settings',
    summary: 'List webhooks',
    description: 'Returns all webhooks of the user.',
    input: Empty,
    output: ListWebhooksResult,
    errors: ['insufficient_permissions'],
    run: listWebhooks,
  }),
  route({
    name: 'createWebhook',
    method: 'POST',
    path: '/v1/webhooks/settings',
    summary: 'Create a webhook',
    description: 'Creates a webhook, which receives events at its address. A user has at most ten.',
    input: CreateWebhookInput,
    output: WebhookResult,
    errors: ['webhook_limit_reached', 'unsafe_url'],
    run: createWebhook,
  }),
  route({
    name: 'updateWebhook',
    method: 'PUT',
    path: '/v1/webhooks/settings',
    summary: 'Update a webhook',
    description:
      'Changes the given fields of a webhook, which `_id` or `webhookId` names. Enabling a disabled webhook resets its failures and sends what was held for it.',
    input: UpdateWebhookInput,
    output: WebhookResult,
    errors: ['webhook_not_found', 'unsafe_url'],
    run: updateWebhook,
  }),
  route({
    name: 'deleteWebhook',
    method: 'DELETE',
    path: '/v1/webhooks/settings',
    inQuery: ['id'],
    summary: 'Delete a webhook',
    description: 'Deletes a webhook and cancels its outstanding deliveries.',
    input: DeleteWebhookInput,
    output: Success,
    errors: ['webhook_not_found'],
    run: deleteWebhook,
  }),
  route({
    name: 'rotateWebhookSecret',
    method: 'POST',
    path: '/v1/webhooks/settings/rotate-secret',
    summary: 'Rotate a webhook secret',
    description:
      'Replaces the signing secret. For `graceSeconds` deliveries are signed with both the new and the old secret.',
    input: RotateWebhookSecretInput,
    output: RotateWebhookSecretResult,
    errors: ['webhook_not_found'],
    secrets: ['secret'],
    run: rotateWebhookSecret,
  }),
  route({
    name: 'testWebhook',
    method: 'POST',
    path: '/v1/webhooks/test',
    summary: 'Test a webhook',
    description:
      'Sends a `webhook.test` event now and returns the delivery. The result counts neither as a success nor as a failure.',
    input: TestWebhookInput,
    output: TestWebhookResult,
    errors: ['webhook_not_found'],
    run: testWebhook,
  }),
  route({
    name: 'webhookDeliveries',
    method: 'GET',
    path: '/v1/webhooks/logs',
    summary: 'List deliveries',
    description: 'Returns the delivery log, newest first, with the attempts of each delivery.',
    input: ListDeliveriesInput,
    output: ListDeliveriesResult,
    errors: ['webhook_not_found', 'insufficient_permissions'],
    run: listDeliveries,
  }),
  route({
    name: 'redeliver',
    method: 'POST',
    path: '/v1/webhooks/logs/redeliver',
    summary: 'Redeliver an event',
    description: 'Sends an event of the delivery log once more.',
    input: RedeliverInput,
    output: RedeliverResult,
    errors: ['webhook_not_found', 'delivery_not_found'],
    run: redeliver,
  }),
  route({
    name: 'recoverDeliveries',
    method: 'POST',
    path: '/v1/webhooks/recoveries',
    summary: 'Start a recovery',
    description: 'Queues a recovery, which sends again all events of a period that a webhook never received.',
    input: RecoverDeliveriesInput,
    output: RecoveryResult,
    status: 202,
    errors: ['webhook_not_found'],
    run: recoverDeliveries,
  }),
  route({
    name: 'deliveryRecovery',
    method: 'GET',
    path: '/v1/webhooks/recoveries/{recoveryId}',
    summary: 'Retrieve a recovery',
    description: 'Returns the progress of a recovery.',
    input: GetRecoveryInput,
    output: RecoveryResult,
    errors: ['job_not_found', 'insufficient_permissions'],
    run: findRecovery,
  }),
  route({
    name: 'eventTypes',
    method: 'GET',
    path: '/v1/events',
    summary: 'List event types',
    description: 'Returns the catalogue of events, each with the JSON Schema of its body and a sample.',
    input: Empty,
    output: ListEventTypesResult,
    run: listEventTypes,
  }),
];
