import {
  Delivery,
  FollowDeliveriesInput,
  ListDeliveriesInput,
  RedeliverInput,
  RedeliverResult,
  TestWebhookInput,
  TestWebhookResult,
} from '../contract/delivery.ts';
import { parseInput } from '../contract/parse.ts';
import { GetRecoveryInput, RecoverDeliveriesInput, Recovery, RecoveryResult } from '../contract/recovery.ts';
import { followDeliveries } from '../services/webhooks/subscribe-deliveries.ts';
import { listDeliveries } from '../services/webhooks/list-deliveries.ts';
import { findRecovery, recoverDeliveries } from '../services/webhooks/recover.ts';
import { redeliver } from '../services/webhooks/redeliver.ts';
import { testWebhook } from '../services/webhooks/test-webhook.ts';
import { withinPlaces } from '../services/limit-subscriptions.ts';
import { builder } from './builder.ts';
import { argsOf, fromArgs, inputArgs, objectType, parsed } from './from-contract.ts';
import { mutate } from './mutate.ts';

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

builder.mutationField('redeliver', (t) =>
  t.field({
    type: objectType(RedeliverResult),
    nullable: true,
    description: 'Redelivers an event once. A failure does not count against the webhook.',
    args: t.validate(argsOf(t, RedeliverInput), fromArgs(RedeliverInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, (id) => redeliver(ctx, parsed(RedeliverInput, input), id)),
  }),
);

builder.mutationField('recoverDeliveries', (t) =>
  t.field({
    type: objectType(RecoveryResult),
    nullable: true,
    description: 'Begins a job that sends again what a webhook never got; `deliveryRecovery` tells how far it is.',
    args: t.validate(inputArgs(t, RecoverDeliveriesInput), fromArgs(RecoverDeliveriesInput, { dropNulls: true })),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, (id) => recoverDeliveries(ctx, parsed(RecoverDeliveriesInput, input), id)),
  }),
);

builder.queryField('deliveryRecovery', (t) =>
  t.field({
    type: objectType(Recovery),
    description: 'Progress of a recovery.',
    args: t.validate(argsOf(t, GetRecoveryInput), fromArgs(GetRecoveryInput)),
    resolve: async (_root, input, ctx) => (await findRecovery(ctx, parsed(GetRecoveryInput, input))).recovery,
  }),
);

builder.subscriptionField('deliveries', (t) =>
  t.field({
    type: objectType(Delivery),
    description: 'Each change in the delivery log of a webhook as it happens. What is missed stands in the log.',
    args: argsOf(t, FollowDeliveriesInput) as never,
    subscribe: (_root, args, ctx) =>
      withinPlaces(ctx, () => followDeliveries(ctx, parseInput(FollowDeliveriesInput, args))) as never,
    resolve: (delivery) => delivery as never,
  }),
);
