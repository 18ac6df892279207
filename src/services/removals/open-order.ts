import { AppError } from '../../contract/error.ts';
import type { Removable } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import type { RemovalSubject } from './removal-store.ts';

/** Throws if an unfinished order creates something in the object, which the removal would miss. */
export async function requireNoOpenOrder(
  { db }: Pick<Services, 'db'>,
  { kind, target, ref, recordId }: RemovalSubject,
  { adSetIds }: Pick<Removable, 'adSetIds'>,
): Promise<void> {
  const { campaignId, adSetId } = ref;
  const created = (name: string, remoteId: string | undefined) => ({ steps: { $elemMatch: { name, remoteId } } });
  const inObject = {
    ad: [{ _id: recordId }],
    ad_set: [{ platformAdSetId: adSetId }, created('adSet', adSetId), { 'order.input.adSetId': adSetId }],
    campaign: [
      { platformCampaignId: campaignId },
      created('campaign', campaignId),
      { 'order.input.adSetId': { $in: adSetIds } },
    ],
  }[kind];
  const open = await db.ads
    .findOne(
      { accountId: target.account._id, status: { $in: ['creating', 'unconfirmed'] }, $or: inObject },
      { orderId: 1 },
    )
    .lean();
  if (!open) return;
  const message = `The order of ad ${open.orderId} is unfinished; repeat the removal after it has finished`;
  throw new AppError('order_in_progress', message, { details: { adId: open.orderId }, retryAfterSeconds: 30 });
}
