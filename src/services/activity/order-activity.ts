import type { Author } from '../../models/activity.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import { budgetIn } from '../ads/currency.ts';
import { system } from './author.ts';
import { objectOf } from './level-activity.ts';
import { stepsOfAd } from './sent-steps.ts';
import { changesOf, newActivity } from './new-activity.ts';

interface Ordered {
  action: 'ad.created' | 'ad.failed' | 'ad.unconfirmed';
  author: Author | undefined;
  steps: AdDoc['steps'];
}

/**
 * The entry of an ad whose order has ended. A failed order can be resumed and fail again: the start of its last step
 * distinguishes the entries.
 */
export function orderActivity(ad: AdDoc, { action, author = system, steps = [] }: Ordered): PendingEvent {
  const { settings, currency, status } = ad;
  const { rejectionReason } = ad;
  // An attached ad inherits its budget; its order did not set it.
  const budget = ad.shape === 'attach' ? null : budgetIn(currency, settings.budget);
  const made = { status, budget: budget ?? undefined };
  const failed = { status, rejectionReason: action === 'ad.failed' ? rejectionReason : undefined };
  const changes = changesOf(null, action === 'ad.created' ? made : failed);
  const own = stepsOfAd(steps, ad.creativeIndex);
  const last = Math.max(0, ...steps.map(({ startedAt }) => startedAt.getTime()));
  const once = action === 'ad.created' ? ad._id : `${ad._id} ${last}`;
  return newActivity({ action, author, ...objectOf('ad', ad), changes, steps: own }, { at: ad.updatedAt, once });
}
