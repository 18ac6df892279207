import { Hono, type Context } from 'hono';
import { ObjectId } from '../../contract/common.ts';
import {
  ListDeliveriesInput,
  RedeliverInput,
  TestWebhookInput,
  type RedeliverPayload,
  type TestWebhookPayload,
} from '../../contract/delivery.ts';
import { parseInput } from '../../contract/parse.ts';
import { requireAllowed, runOperation, type Operation } from '../../operations/operation.ts';
import { redeliverOperation, testWebhookOperation } from '../../operations/webhooks.ts';
import type { Ctx } from '../../services/context.ts';
import { findDelivery } from '../../services/webhooks/find-delivery.ts';
import { webhookHealth } from '../../services/webhooks/webhook-health.ts';
import { listWebhooks } from '../../services/webhooks/find-webhook.ts';
import { deliveryLog } from '../../services/webhooks/list-deliveries.ts';
import type { Place } from '../layout.ts';
import { createSignedInPage, readForm, type PageEnv, type SessionOptions } from '../session.ts';
import { deliveryPage } from './delivery-view.ts';
import { logPage, type LogPage } from './log-view.ts';

const place: Place = {
  use: 'deliveries',
  path: '/deliveries',
  name: 'Deliveries',
  heading: 'Webhook deliveries',
  purpose: 'What was sent to your webhooks, what came back, and a button to send it again.',
};

/** The delivery log for people. */
export const createDeliveries = (options: SessionOptions): Hono<PageEnv> =>
  createSignedInPage(options, place, (app) => {
    addViews(app);
    addButtons(app);
  });

function addViews(app: Hono<PageEnv>): void {
  app.get('/deliveries', async (c) => {
    const { viewer, ctx } = c.var;
    // A repeated filter stays a list, which the contract rejects.
    const asked = Object.entries(c.req.queries())
      .map(([name, values]) => [name, values.filter((value) => value !== '')] as const)
      .filter(([, values]) => values.length > 0)
      .map(([name, values]) => [name, values.length === 1 ? values[0] : values]);
    const filter = parseInput(ListDeliveriesInput, Object.fromEntries(asked));
    return c.html(logPage(viewer, await ctx.db.whileAvailable(loadLog(ctx, filter))));
  });
  app.get('/deliveries/:id', async (c, next) => {
    const { viewer, ctx } = c.var;
    const id = ObjectId.safeParse(c.req.param('id'));
    if (!id.success) return next();
    const loading = Promise.all([findDelivery(ctx, id.data), listWebhooks(ctx)]);
    const [delivery, { webhooks }] = await ctx.db.whileAvailable(loading);
    const webhook = webhooks.find(({ _id }) => _id === delivery.webhookId);
    return c.html(deliveryPage(viewer, delivery, webhook));
  });
}

async function loadLog(ctx: Ctx, filter: ListDeliveriesInput): Promise<LogPage> {
  const [{ webhooks }, result] = await Promise.all([listWebhooks(ctx), deliveryLog(ctx, filter, () => false)]);
  const ids = webhooks.map(({ _id }) => _id);
  return { webhooks, health: await webhookHealth(ctx, ids), filter, result };
}

function addButtons(app: Hono<PageEnv>): void {
  app.post('/deliveries/redeliver', async (c) => {
    const { webhookId, eventId, once } = await readForm(c);
    const input = parseInput(RedeliverInput, { webhookId, eventId });
    const { delivery } = await press<RedeliverPayload>(c, { operation: redeliverOperation, input, once });
    return c.redirect(`/deliveries/${delivery._id}`, 303);
  });
  app.post('/deliveries/test', async (c) => {
    const { webhookId, once } = await readForm(c);
    const input = parseInput(TestWebhookInput, { webhookId });
    const { delivery } = await press<TestWebhookPayload>(c, { operation: testWebhookOperation, input, once });
    return c.redirect(`/deliveries/${delivery._id}`, 303);
  });
}

interface Pressed {
  operation: Operation;
  input: object;
  /** Id of the rendered form: a second submission of it returns the first result. */
  once: unknown;
}

async function press<T>(c: Context<PageEnv>, { operation, input, once }: Pressed): Promise<T> {
  const { ctx } = c.var;
  requireAllowed(ctx, operation);
  const idempotencyKey = `page-${parseInput(ObjectId, once)}`;
  await ctx.charge?.(operation.weight - 1);
  return (await runOperation({ ...ctx, idempotencyKey }, operation, input)).value as T;
}
