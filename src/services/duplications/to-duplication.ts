import type { CampaignDuplication, DuplicationProgress } from '../../contract/duplication.ts';
import type { DuplicationStepDoc } from '../../models/duplication-step.ts';
import type { DuplicationDoc } from '../../models/duplication.ts';
import { storedDates } from '../stored-dates.ts';

const { instant, instantOrNull } = storedDates('duplications');

/** What a caller sees of a duplication. */
export const toProgress = (doc: DuplicationDoc): DuplicationProgress => ({
  _id: doc._id,
  status: doc.status,
  platform: doc.platform,
  accountId: doc.accountId,
  profileId: doc.profileId,
  sourceCampaignId: doc.sourceCampaignId,
  copiedCampaignId: doc.copiedCampaignId,
  adSets: { copied: doc.copied.adSets, total: doc.tree.adSets.length },
  ads: { copied: doc.copied.ads, total: doc.tree.adSets.reduce((sum, { ads }) => sum + ads.length, 0) },
  error: doc.error,
  createdAt: instant(doc, 'createdAt'),
  finishedAt: instantOrNull(doc, 'finishedAt'),
});

const types = { campaign: 'campaign', adSet: 'ad_set', ad: 'ad' } as const;

export const toDuplication = (doc: DuplicationDoc, steps: DuplicationStepDoc[]): CampaignDuplication => ({
  ...toProgress(doc),
  objects: steps.flatMap(({ copied }) =>
    copied.map(({ kind, sourceId, copiedId }) => ({ type: types[kind], sourceId, copiedId })),
  ),
});

/** What the event of a duplication says of it. */
export function toEventData(doc: DuplicationDoc): Record<string, unknown> {
  const { _id, createdAt: _begun, finishedAt: _ended, ...rest } = toProgress(doc);
  return { duplication: { duplicationId: _id, ...rest } };
}
