import { Success } from '../contract/common.ts';
import { EventType } from '../contract/event.ts';
import {
  CreateWebhookInput,
  DeleteWebhookInput,
  Delivery,
  ListDeliveriesInput,
  TestWebhookInput,
  TestWebhookResult,
  UpdateWebhookInput,
  Webhook,
  WebhookResult,
} from '../contract/webhook.ts';
import { createWebhook } from '../services/webhooks/create-webhook.ts';
import { deleteWebhook } from '../services/webhooks/delete-webhook.ts';
import { listWebhooks } from '../services/webhooks/find-webhook.ts';
import { listDeliveries } from '../services/webhooks/list-deliveries.ts';
import { listEventTypes } from '../services/webhooks/list-event-types.ts';
import { testWebhook } from '../services/webhooks/test-webhook.ts';
import { updateWebhook } from '../services/webhooks/update-webhook.ts';
import { builder } from './builder.ts';
import { argsOf, fromArgs, inputArgs, objectType, parsed } from './from-contract.ts';
import { mutate } from './mutate.ts';

builder.queryField('webhooks', (t) =>
  t.field({
    type: [objectType(Webhook)],
    description: 'All webhooks of the user, ten at most. Needs a key of scope `full`.',
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

const DeliveryPage = builder
  .objectRef<{ nodes: Delivery[]; endCursor: string | null }>('DeliveryConnection')
  .implement({
    description: 'A page of the delivery log',
    fields: (t) => ({
      nodes: t.field({
        type: [objectType(Delivery)],
        description: 'The deliveries of this page',
        resolve: ({ nodes }) => nodes as never,
      }),
      endCursor: t.exposeString('endCursor', {
        nullable: true,
        description: '`cursor` of the next page; null at the end',
      }),
    }),
  });

builder.queryField('webhookDeliveries', (t) =>
  t.field({
    type: DeliveryPage,
    description: 'The delivery log, newest first, with every attempt.',
    args: t.validate(argsOf(t, ListDeliveriesInput), fromArgs(ListDeliveriesInput, { dropNulls: true })),
    complexity: (args) => ({ field: 1, multiplier: Number((args as { limit?: number }).limit ?? 20) / 10 }),
    resolve: async (_root, input, ctx) => {
      const { logs, nextCursor } = await listDeliveries(ctx, parsed(ListDeliveriesInput, input));
      return { nodes: logs, endCursor: nextCursor };
    },
  }),
);

builder.mutationField('createWebhook', (t) =>
  t.field({
    type: objectType(WebhookResult),
    nullable: true,
    description: 'Makes a webhook; 400 `webhook_limit_reached` beyond ten.',
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
      mutate(ctx, { info, input }, () => updateWebhook(ctx, parsed(UpdateWebhookInput, input))),
  }),
);

builder.mutationField('deleteWebhook', (t) =>
  t.field({
    type: objectType(Success),
    nullable: true,
    description: 'Deletes a webhook; what is on its way to it is cancelled.',
    args: t.validate(argsOf(t, DeleteWebhookInput), fromArgs(DeleteWebhookInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, () => deleteWebhook(ctx, parsed(DeleteWebhookInput, input))),
  }),
);

builder.mutationField('testWebhook', (t) =>
  t.field({
    type: objectType(TestWebhookResult),
    nullable: true,
    description: 'Sends one `webhook.test` now. It counts neither as a success nor as a failure.',
    args: t.validate(argsOf(t, TestWebhookInput), fromArgs(TestWebhookInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, (id) => testWebhook(ctx, parsed(TestWebhookInput, input), id)),
  }),
);
