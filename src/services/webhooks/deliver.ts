import type { AttemptDoc, WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { claim } from './claim.ts';
import { clearStreak, noteExhausted, strike, switchOff } from './judge-webhook.ts';
import { recordAttempt } from './record-attempt.ts';
import { createReleaser } from './release-waiting.ts';
import { sendDelivery } from './send-delivery.ts';
import { dueStates, sparedStates } from './states.ts';

export interface Delivered {
  /** When to come back to this delivery; absent when nothing is left to do now. */
  again?: Date;
  /** Other deliveries of the endpoint that are due by now. */
  released: string[];
}

const terminal = new Set(['delivered', 'failed', 'skipped', 'cancelled', 'held']);
const slotsPerEndpoint = 4;

const done = (released: string[] = []): Delivered => ({ released });
const soon = ({ clock }: Services): Date => new Date(clock.now().getTime() + 250 + Math.random() * 250);

/** Makes attempts. A process gives one endpoint four slots, so that a slow one holds up nobody else. */
export function createDeliverer(services: Services): (deliveryId: string, isProbe?: boolean) => Promise<Delivered> {
  const busy = new Map<string, number>();
  const tools = { bodyOf: createBodyReader(services), release: createReleaser(services) };
  return async (deliveryId, isProbe = false) => {
    const delivery = await services.db.webhookDeliveries.findOne({ _id: deliveryId }).lean();
    if (!delivery || terminal.has(delivery.state)) return done();
    const webhook = await services.db.webhooks.findOne({ _id: delivery.webhookId }).lean();
    const aside = setAside(delivery, webhook, isProbe);
    if (aside || !webhook) return putAside(services, delivery, aside ?? 'cancelled');
    const used = busy.get(webhook._id) ?? 0;
    if (used >= slotsPerEndpoint) return { again: soon(services), released: [] };
    busy.set(webhook._id, used + 1);
    try {
      const later = await services.pace(webhook._id, webhook.maxPerSecond);
      return later ? { again: later, released: [] } : await attemptOne(services, { delivery, webhook, isProbe }, tools);
    } finally {
      const left = (busy.get(webhook._id) ?? 1) - 1;
      if (left > 0) busy.set(webhook._id, left);
      else busy.delete(webhook._id);
    }
  };
}

function setAside(
  delivery: WebhookDeliveryDoc,
  webhook: WebhookDoc | null,
  isProbe: boolean,
): WebhookDeliveryDoc['state'] | undefined {
  if (!webhook) return 'cancelled';
  if (!webhook.isActive) return webhook.disabledReason === 'owner' ? 'skipped' : 'held';
  return webhook.nextProbeAt && !isProbe && delivery.state !== 'sending' ? 'waiting' : undefined;
}

async function putAside(
  { db, clock }: Services,
  delivery: WebhookDeliveryDoc,
  state: WebhookDeliveryDoc['state'],
): Promise<Delivered> {
  const terminalAt = state === 'skipped' || state === 'cancelled' ? clock.now() : null;
  const open = { _id: delivery._id, state: { $in: [...dueStates, ...sparedStates] } };
  await db.webhookDeliveries.updateOne(open, { $set: { state, terminalAt, nextAttemptAt: null } });
  return done();
}

const keptBodies = 500;

/** An event goes to several endpoints within a moment: its bytes are read once. They never change. */
function createBodyReader({ db }: Services): (eventId: string) => Promise<string> {
  const bodies = new Map<string, string>();
  return async (eventId) => {
    const known = bodies.get(eventId);
    if (known !== undefined) return known;
    const event = await db.webhookEvents.findOne({ _id: eventId }, { body: 1 }).lean();
    if (!event) throw new Error(`The event ${eventId} is not stored`);
    if (bodies.size >= keptBodies) bodies.clear();
    bodies.set(eventId, event.body);
    return event.body;
  };
}

interface Tools {
  bodyOf: (eventId: string) => Promise<string>;
  release: (webhookId: string) => Promise<string[]>;
}

interface Turn {
  delivery: WebhookDeliveryDoc;
  webhook: WebhookDoc;
  isProbe: boolean;
}

async function attemptOne(services: Services, { delivery, webhook, isProbe }: Turn, tools: Tools): Promise<Delivered> {
  const claimed = await claim(services, delivery, isProbe);
  if (!claimed) return whenElse(services, delivery._id);
  const startedAt = claimed.lease?.startedAt ?? services.clock.now();
  const message = { eventId: delivery.eventId, type: delivery.type, body: await tools.bodyOf(delivery.eventId) };
  const result = await sendDelivery(services, webhook, message);
  const attempt: AttemptDoc = { no: claimed.attemptNo, startedAt, isProbe, ...result };
  // The webhook first: repeating this after a crash changes nothing, whereas a recorded attempt is not made again.
  const judged = await judge(services, webhook, attempt);
  const next = await recordAttempt(services, { delivery: claimed, webhook: judged, attempt });
  if (next.state === 'failed') await noteExhausted(services, judged);
  if (next.state === 'delivered') return done(await tools.release(webhook._id));
  return { again: next.nextAttemptAt ?? undefined, released: [] };
}

async function judge(services: Services, webhook: WebhookDoc, attempt: AttemptDoc): Promise<WebhookDoc> {
  if (attempt.outcome === 'success') {
    await clearStreak(services, webhook);
    return webhook;
  }
  return attempt.status === 410 ? switchOff(services, webhook) : strike(services, webhook, attempt.startedAt);
}

/** Why a delivery could not be taken: somebody has it, or its time has not come. */
async function whenElse({ db }: Services, deliveryId: string): Promise<Delivered> {
  const current = await db.webhookDeliveries.findOne({ _id: deliveryId }).lean();
  if (!current || terminal.has(current.state) || current.state === 'waiting') return done();
  const again = current.state === 'sending' ? current.lease?.until : current.nextAttemptAt;
  return { again: again ?? undefined, released: [] };
}
