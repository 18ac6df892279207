import type { Stop } from '../../contract/stop.ts';
import type { StopStepDoc } from '../../models/stop-step.ts';
import type { StopDoc } from '../../models/stop.ts';
import { storedDates } from '../stored-dates.ts';

const { instant, instantOrNull } = storedDates('stops');

export const toStop = (doc: StopDoc, failures: StopStepDoc[]): Stop => ({
  _id: doc._id,
  status: doc.status,
  accountId: doc.accountId,
  adAccountId: doc.adAccountId,
  keyId: doc.keyId,
  includeExternal: doc.includeExternal,
  ...doc.counts,
  failures: failures.map((step) => ({
    campaignId: step.platformCampaignId,
    name: step.name,
    platform: step.platform,
    accountId: step.accountId,
    message: step.message ?? '',
    isFinal: step.state === 'failed',
  })),
  createdAt: instant(doc, 'createdAt'),
  completedAt: instantOrNull(doc, 'completedAt'),
  liftedAt: instantOrNull(doc, 'liftedAt'),
});

/** The data of the webhook events of a stop. */
export function toEventData(doc: StopDoc, failures: StopStepDoc[]): Record<string, unknown> {
  const { _id: stopId, ...rest } = toStop(doc, failures);
  return { stop: { stopId, ...rest } };
}
