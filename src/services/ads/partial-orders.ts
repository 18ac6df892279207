import { invalidField } from '../../contract/error.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { Services } from '../context.ts';

/**
 * Ads of failed orders whose only missing step was activating the campaign
 * order. Where more is missing it is refused: such an ad would spend while its order stays failed.
 */
export async function adsAwaitingActivation({ db }: Services, campaign: object): Promise<AdDoc[]> {
  const made = { ...campaign, status: 'error', platformAdId: { $ne: null }, shape: { $ne: 'attach' } } as const;
  const ads = await db.ads.find(made).lean();
  const heads = await db.ads.find({ _id: { $in: ads.map(({ orderId }) => orderId) } }, { steps: 1 }).lean();
  const whole = new Set(heads.filter(lacksOnlyActivation).map(({ _id }) => _id));
  const unfinished = ads.find(({ orderId, isPaused }) => !isPaused && !whole.has(orderId));
  if (unfinished) throw notYet(unfinished._id, 'campaignId');
  return ads.filter(({ orderId }) => whole.has(orderId)).map((ad) => ({ ...ad, rejectionReason: null }));
}

/** A failed order must be completed or abandoned before its ad may run. */
export function requireCompleted({ _id, status }: AdDoc): void {
  if (status === 'error') throw notYet(_id, 'adId');
}

const lacksOnlyActivation = ({ steps = [] }: Pick<AdDoc, 'steps'>): boolean =>
  steps.some(({ name }) => name === 'activate');

function notYet(adId: string, path: string): Error {
  const message =
    `would activate ad ${adId}, whose order failed before it was complete: ` +
    'repeat the call that ordered it, or keep the ad paused';
  return invalidField(path, message);
}
