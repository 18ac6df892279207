import { z } from 'zod';
import { ObjectId } from '../contract/common.ts';
import { AdHistoryInput } from '../contract/ad-history.ts';
import { ListActivityInput } from '../contract/activity.ts';
import { ListDeliveriesInput } from '../contract/delivery.ts';
import { AppError } from '../contract/error.ts';
import { parseInput } from '../contract/parse.ts';
import { Plan } from '../contract/viewer.ts';
import { newId } from '../lib/id.ts';
import type { AdDoc } from '../models/ad.ts';
import type { UserDoc } from '../models/user.ts';
import { adHistory } from '../services/activity/ad-history.ts';
import { listActivity } from '../services/activity/list-activity.ts';
import { adsOfOrder, openOrders } from '../services/ads/open-orders.ts';
import { listApiKeys } from '../services/api-keys/list-api-keys.ts';
import { revokeApiKey } from '../services/api-keys/revoke-api-key.ts';
import { storedDates } from '../services/stored-dates.ts';
import { changePlan } from '../services/users/change-plan.ts';
import { findDelivery } from '../services/webhooks/find-delivery.ts';
import { listDeliveries } from '../services/webhooks/list-deliveries.ts';
import { redeliver } from '../services/webhooks/redeliver.ts';
import type { Command, Flags } from './command.ts';
import { forOwner } from './owner.ts';
import { operatorFor, type LocalServices } from './services.ts';

const { date } = storedDates('ads');

const Page = {
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: ObjectId.optional(),
};
const ListUsers = z.strictObject(Page);
const FindUser = z.strictObject({ email: z.email('must be an e-mail address') });
const ChangePlan = z.strictObject({ plan: Plan, addons: z.array(z.enum(['ads'])).optional() });
const OfKey = z.strictObject({ keyId: ObjectId });
const StuckOrders = z.strictObject({
  limit: Page.limit,
  minutes: z.coerce.number().min(0, 'must be a number of minutes').default(15),
});
const OfAd = z.strictObject({ adId: ObjectId });
const OfDelivery = z.strictObject({ deliveryId: z.string().min(1) });

const withLimit = ({ limit, ...flags }: Flags): Flags => ({
  ...flags,
  ...(limit !== undefined && { limit: Number(limit) }),
});

const shownUser = ({ _id: id, email, name, plan, addons, createdAt }: UserDoc) => ({
  id,
  email,
  name,
  plan,
  addons,
  createdAt,
});

const shownOrder = (now: Date, ad: AdDoc) => ({
  orderId: ad.orderId,
  adId: ad._id,
  userId: ad.userId,
  accountId: ad.accountId,
  platform: ad.adPlatform,
  status: ad.status,
  ageSeconds: Math.round((now.getTime() - date(ad, 'createdAt').getTime()) / 1000),
  reconcileAt: ad.reconcileAt ?? null,
  leaseUntil: ad.lease?.until ?? null,
  steps: (ad.steps ?? []).map(({ name, state, remoteId }) => ({ name, state, remoteId: remoteId ?? null })),
});

async function ownerOfDelivery({ db }: LocalServices, deliveryId: string) {
  const delivery = await db.webhookDeliveries.findById(deliveryId).lean();
  if (delivery) return delivery;
  throw new AppError('delivery_not_found', `There is no delivery ${deliveryId}`, { param: 'deliveryId' });
}

/** What an operator needs while the service runs: to find a customer, an order or a delivery, and to act on it. */
export const operatorCommands: Record<string, Command> = {
  'users list': {
    usage: '[--limit N] [--cursor ID]',
    about: 'users, newest first',
    takes: ['limit', 'cursor'],
    run: async ({ db }, flags) => {
      const { limit, cursor } = parseInput(ListUsers, flags);
      const older = cursor ? { _id: { $lt: cursor } } : {};
      const users = await db.users.find(older).sort({ _id: -1 }).limit(limit).lean();
      const nextCursor = users.length === limit ? (users.at(-1)?._id ?? null) : null;
      return { id: 'users', users: users.map(shownUser), nextCursor };
    },
  },
  'users find': {
    usage: '--email EMAIL',
    about: 'the user with an e-mail address',
    takes: ['email'],
    run: async ({ db }, flags) => {
      const { email } = parseInput(FindUser, flags);
      const user = await db.users.findOne({ email: email.toLowerCase() }).lean();
      if (!user) throw new AppError('invalid_field_value', `There is no user with the email ${email}`);
      return shownUser(user);
    },
  },
  'users change-plan': {
    usage: '--user ID --plan free|build|accelerate|unlimited|usage-based [--addon ads]',
    about: 'changes the plan of a user; applies within seconds',
    takes: ['userId', 'plan', 'addons'],
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      return shownUser(await changePlan(services, { userId: ctx.caller.userId, ...parseInput(ChangePlan, input) }));
    },
  },
  'keys list': {
    usage: '--user ID',
    about: 'the API keys of a user, without their secret part',
    takes: ['userId'],
    run: async (services, flags) => {
      const { ctx } = await forOwner(services, flags);
      return { id: ctx.caller.userId, ...(await listApiKeys(ctx)) };
    },
  },
  'keys revoke': {
    usage: '--user ID --key ID',
    about: 'revokes an API key; running processes refuse it within seconds',
    takes: ['userId', 'keyId'],
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      const { keyId } = parseInput(OfKey, input);
      return { id: keyId, ...(await revokeApiKey(ctx, { keyId })) };
    },
  },
  'orders list': {
    usage: '[--minutes N] [--limit N]',
    about: 'ad orders without a known outcome after N minutes (15)',
    takes: ['minutes', 'limit'],
    run: async (services, flags) => {
      const { minutes, limit } = parseInput(StuckOrders, flags);
      const now = services.clock.now();
      const orders = await openOrders(services, new Date(now.getTime() - minutes * 60_000), limit);
      return { id: 'orders', orders: orders.map((order) => shownOrder(now, order)) };
    },
  },
  'orders inspect': {
    usage: '--ad ID',
    about: 'the order of an ad: its steps at the platform, its input and all its ads',
    takes: ['adId'],
    run: async (services, flags) => {
      const { adId } = parseInput(OfAd, flags);
      const [first, ...others] = await adsOfOrder(services, adId);
      if (!first) throw new AppError('ad_not_found', `There is no ad ${adId}`, { param: 'adId' });
      const ads = [first, ...others].map(({ _id, status, platformAdId, rejectionReason }) => ({
        id: _id,
        status,
        platformAdId,
        rejectionReason,
      }));
      const { order, campaignName, platformCampaignId, platformAdSetId } = first;
      const at = { campaignName, platformCampaignId, platformAdSetId };
      return { id: first.orderId, ...shownOrder(services.clock.now(), first), ...at, input: order?.input ?? null, ads };
    },
  },
  'ads history': {
    usage: '--ad ID [--limit N] [--cursor CURSOR]',
    about: 'what was done to an ad, its ad set and its campaign, and what was sent for it, newest first',
    takes: ['adId', 'limit', 'cursor'],
    run: async (services, flags) => {
      const input = parseInput(AdHistoryInput, withLimit(flags));
      const ad = await services.db.ads.findOne({ _id: input.adId }, { userId: 1 }).lean();
      if (!ad) throw new AppError('ad_not_found', `There is no ad ${input.adId}`, { param: 'adId' });
      return { id: input.adId, ...(await adHistory(await operatorFor(services, ad.userId), input)) };
    },
  },
  'activity list': {
    usage: '--user ID [--object ID] [--action ACTION] [--key ID] [--limit N] [--cursor CURSOR]',
    about: 'who changed what of a user, newest first',
    takes: ['userId', 'objectId', 'action', 'keyId', 'limit', 'cursor'],
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      return { id: ctx.caller.userId, ...(await listActivity(ctx, parseInput(ListActivityInput, withLimit(input)))) };
    },
  },
  'deliveries list': {
    usage: '--user ID [--webhook ID] [--status failed] [--event TYPE] [--limit N] [--cursor ID]',
    about: 'webhook deliveries of a user, newest first',
    takes: ['userId', 'webhookId', 'status', 'event', 'limit', 'cursor'],
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      return { id: 'deliveries', ...(await listDeliveries(ctx, parseInput(ListDeliveriesInput, withLimit(input)))) };
    },
  },
  'deliveries inspect': {
    usage: '--delivery ID',
    about: 'a delivery with its attempts',
    takes: ['deliveryId'],
    run: async (services, flags) => {
      const { deliveryId } = parseInput(OfDelivery, flags);
      const { userId } = await ownerOfDelivery(services, deliveryId);
      return { id: deliveryId, userId, ...(await findDelivery(await operatorFor(services, userId), deliveryId)) };
    },
  },
  'deliveries requeue': {
    usage: '--delivery ID',
    about: 'sends the event of a delivery once more',
    takes: ['deliveryId'],
    run: async (services, flags) => {
      const { deliveryId } = parseInput(OfDelivery, flags);
      const { userId, webhookId, eventId } = await ownerOfDelivery(services, deliveryId);
      const input = { webhookId, eventId };
      const { delivery } = await redeliver(await operatorFor(services, userId), input, newId());
      return { id: delivery._id, userId, webhookId, eventId, state: delivery.state };
    },
  },
};
