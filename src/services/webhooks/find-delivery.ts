import type { Delivery } from '../../contract/delivery.ts';
import { AppError } from '../../contract/error.ts';
import type { Ctx } from '../context.ts';
import { toDelivery } from './to-webhook.ts';

/** One entry of the delivery log. Unknown and inaccessible ones are not distinguished. */
export async function findDelivery(ctx: Ctx, id: string): Promise<Delivery> {
  const doc = await ctx.db.webhookDeliveries.findOne({ _id: id, userId: ctx.caller.userId }).lean();
  if (!doc) throw new AppError('delivery_not_found', `There is no delivery ${id}`);
  return toDelivery(doc);
}
