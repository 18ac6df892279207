import type { AdDoc } from '../../models/ad.ts';
import type { Services } from '../context.ts';

/** Orders without a known outcome that were placed before an instant, oldest inspection first. */
export const openOrders = ({ db }: Pick<Services, 'db'>, placedBefore: Date, limit: number): Promise<AdDoc[]> =>
  db.ads
    .find({
      reconcileAt: { $exists: true },
      status: { $in: ['creating', 'unconfirmed'] },
      createdAt: { $lte: placedBefore },
    })
    .sort({ reconcileAt: 1 })
    .limit(limit)
    .lean();

/** All ads of the order that an ad belongs to; the first one contains the order and its steps. */
export async function adsOfOrder({ db }: Pick<Services, 'db'>, adId: string): Promise<AdDoc[]> {
  const ad = await db.ads.findById(adId, { orderId: 1 }).lean();
  return ad ? db.ads.find({ orderId: ad.orderId }).sort({ creativeIndex: 1 }).lean() : [];
}
