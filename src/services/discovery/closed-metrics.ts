import type { ClosedMetrics, ReadClosedMetrics } from '../../platforms/platform.ts';
import { adSetRefOf, campaignRefOf } from '../campaigns/ids.ts';
import type { Services } from '../context.ts';
import type { Scope } from './scope.ts';

interface Stored {
  platformCampaignId?: string | null;
  platformAdSetId?: string | null;
  platformAdId?: string | null;
  closedMetrics?: object;
}

/** Reads the closed metrics that earlier discoveries have stored. */
export function readerOfClosedMetrics({ db }: Services, { account }: Scope): ReadClosedMetrics {
  const accountId = account._id;
  const closedMetrics = { $exists: true };
  const read = (level: Parameters<ReadClosedMetrics>[0], ids: string[]): Promise<Stored[]> => {
    if (level === 'ad') {
      const filter = { accountId, platformAdId: { $in: ids }, closedMetrics };
      return db.ads.find(filter, { platformAdId: 1, closedMetrics: 1 }).lean<Stored[]>();
    }
    if (level === 'ad_set') {
      const _id = { $in: ids.map((id) => adSetRefOf(accountId, id)) };
      return db.adSets.find({ _id, closedMetrics }, { platformAdSetId: 1, closedMetrics: 1 }).lean<Stored[]>();
    }
    const _id = { $in: ids.map((id) => campaignRefOf(accountId, id)) };
    return db.campaigns.find({ _id, closedMetrics }, { platformCampaignId: 1, closedMetrics: 1 }).lean<Stored[]>();
  };
  return async (level, ids) => {
    const stored = await read(level, ids);
    const idOf = (one: Stored): string => one.platformCampaignId ?? one.platformAdSetId ?? one.platformAdId ?? '';
    return new Map(stored.map((one) => [idOf(one), one.closedMetrics as ClosedMetrics]));
  };
}
