import { Success } from '../contract/common.ts';
import { EventType } from '../contract/event.ts';
import {
  CreateWebhookInput,
  DeleteWebhookInput,
  RotateWebhookSecretInput,
  RotateWebhookSecretResult,
  UpdateWebhookInput,
  Webhook,
  WebhookResult,
} from '../contract/webhook.ts';
import { createWebhook } from '../services/webhooks/create-webhook.ts';
import { deleteWebhook } from '../services/webhooks/delete-webhook.ts';
import { listWebhooks } from '../services/webhooks/find-webhook.ts';
import { listEventTypes } from '../services/webhooks/list-event-types.ts';
import { rotateWebhookSecret } from '../services/webhooks/rotate-secret.ts';
import { updateWebhook } from '../services/webhooks/update-webhook.ts';
import { builder } from './builder.ts';
import { argsOf, fromArgs, inputArgs, objectType, parsed } from './from-contract.ts';
import { mutate } from './mutate.ts';

builder.queryField('webhooks', (t) =>
  t.field({
    type: [objectType(Webhook)],
    description: 'All webhooks of the user. Needs a key of scope `full`.',
    resolve: async (_root, _args, ctx) => (await listWebhooks(ctx)).webhooks,
  }),
);

builder.queryField('eventTypes', (t) =>
  t.field({
    type: [objectType(EventType)],
    description: 'The catalogue of events, each with its schema and a sample.',
    resolve: async () => (await listEventTypes()).eventTypes,
  }),
);

builder.mutationField('createWebhook', (t) =>
  t.field({
    type: objectType(WebhookResult),
    nullable: true,
    description: 'Creates a webhook (at most ten per user).',
    args: t.validate(inputArgs(t, CreateWebhookInput), fromArgs(CreateWebhookInput, { dropNulls: true })),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, (id) => createWebhook(ctx, parsed(CreateWebhookInput, input), id)),
  }),
);

builder.mutationField('updateWebhook', (t) =>
  t.field({
    type: objectType(WebhookResult),
    nullable: true,
    description:
      'Changes the given fields. `isActive: true` on a disabled webhook starts its count anew and resumes what was held.',
    args: t.validate(inputArgs(t, UpdateWebhookInput), fromArgs(UpdateWebhookInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, (id) => updateWebhook(ctx, parsed(UpdateWebhookInput, input), id)),
  }),
);

builder.mutationField('deleteWebhook', (t) =>
  t.field({
    type: objectType(Success),
    nullable: true,
    description: 'Deletes a webhook and cancels its pending deliveries.',
    args: t.validate(argsOf(t, DeleteWebhookInput), fromArgs(DeleteWebhookInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, () => deleteWebhook(ctx, parsed(DeleteWebhookInput, input))),
  }),
);

builder.mutationField('rotateWebhookSecret', (t) =>
  t.field({
    type: objectType(RotateWebhookSecretResult),
    nullable: true,
    description:
      'Gives a webhook a new secret; the old one signs beside it until `graceSeconds` are over. A secret that is made here is in this answer and never again.',
    args: t.validate(inputArgs(t, RotateWebhookSecretInput), fromArgs(RotateWebhookSecretInput, { dropNulls: true })),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input, secrets: ['secret'] }, (id) =>
        rotateWebhookSecret(ctx, parsed(RotateWebhookSecretInput, input), id),
      ),
  }),
);
