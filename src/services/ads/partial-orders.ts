import { invalidInput } from '../../contract/error.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { Services } from '../context.ts';

/**
 * Ads of failed orders whose only missing step was activating the campaign
 * order. Where more is missing it is refused: such an ad would spend while its order stays failed.
 */
export async function leftoversIn({ db }: Services, campaign: object): Promise<AdDoc[]> {
  const made = { ...campaign, status: 'error', platformAdId: { $ne: null }, shape: { $ne: 'attach' } } as const;
  const ads = await db.ads.find(made).lean();
  const heads = await db.ads.find({ _id: { $in: ads.map(({ batchId }) => batchId) } }, { steps: 1 }).lean();
  const whole = new Set(heads.filter(isAllButOn).map(({ _id }) => _id));
  const unfinished = ads.find(({ batchId, isOff }) => !isOff && !whole.has(batchId));
  if (unfinished) throw notYet(unfinished._id, 'campaignId');
  return ads.filter(({ batchId }) => whole.has(batchId)).map((ad) => ({ ...ad, rejectionReason: null }));
}

/** A failed order must be completed or abandoned before its ad may run. */
export function requireOver({ _id, status }: AdDoc): void {
  if (status === 'error') throw notYet(_id, 'adId');
}

const isAllButOn = ({ steps = [] }: Pick<AdDoc, 'steps'>): boolean => steps.some(({ name }) => name === 'activate');

function notYet(adId: string, path: string): Error {
  const message =
    `would activate ad ${adId}, whose order failed before it was complete: ` +
    'repeat the call that ordered it, or keep the ad paused';
  return invalidInput([{ code: 'invalid_field_value', path, message }]);
}
