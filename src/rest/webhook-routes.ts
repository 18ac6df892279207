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
    summary: 'All webhooks of the user',
    input: Empty,
    output: ListWebhooksResult,
    errors: ['insufficient_permissions'],
    run: listWebhooks,
  }),
  route({
    name: 'createWebhook',
    method: 'POST',
    path: '/v1/webhooks/settings',
    summary: 'Make a webhook',
    input: CreateWebhookInput,
    output: WebhookResult,
    errors: ['webhook_limit_reached', 'unsafe_url'],
    run: createWebhook,
  }),
  route({
    name: 'updateWebhook',
    method: 'PUT',
    path: '/v1/webhooks/settings',
    summary: 'Change the given fields of a webhook',
    input: UpdateWebhookInput,
    output: WebhookResult,
    errors: ['webhook_not_found', 'unsafe_url'],
    run: updateWebhook,
  }),
  route({
    name: 'deleteWebhook',
    method: 'DELETE',
    path: '/v1/webhooks/settings',
    summary: 'Delete a webhook',
    input: DeleteWebhookInput,
    output: Success,
    errors: ['webhook_not_found'],
    run: deleteWebhook,
  }),
  route({
    name: 'rotateWebhookSecret',
    method: 'POST',
    path: '/v1/webhooks/settings/rotate-secret',
    summary: 'Give a webhook a new secret; the old one signs beside it for a while',
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
    summary: 'Send a test event now',
    input: TestWebhookInput,
    output: TestWebhookResult,
    errors: ['webhook_not_found'],
    run: testWebhook,
  }),
  route({
    name: 'webhookDeliveries',
    method: 'GET',
    path: '/v1/webhooks/logs',
    summary: 'The delivery log, newest first, with every attempt',
    input: ListDeliveriesInput,
    output: ListDeliveriesResult,
    errors: ['webhook_not_found', 'insufficient_permissions'],
    run: listDeliveries,
  }),
  route({
    name: 'redeliver',
    method: 'POST',
    path: '/v1/webhooks/logs/redeliver',
    summary: 'Send an event of the log once more',
    input: RedeliverInput,
    output: RedeliverResult,
    errors: ['webhook_not_found', 'delivery_not_found'],
    run: redeliver,
  }),
  route({
    name: 'recoverDeliveries',
    method: 'POST',
    path: '/v1/webhooks/recoveries',
    summary: 'Send again what a webhook never got',
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
    summary: 'How far a recovery has come',
    input: GetRecoveryInput,
    output: RecoveryResult,
    errors: ['job_not_found', 'insufficient_permissions'],
    run: findRecovery,
  }),
  route({
    name: 'eventTypes',
    method: 'GET',
    path: '/v1/events',
    summary: 'The catalogue of events',
    input: Empty,
    output: ListEventTypesResult,
    run: listEventTypes,
  }),
];
