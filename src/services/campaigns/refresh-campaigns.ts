import { randomUUID } from 'node:crypto';
import type { AdStatus } from '../../contract/ad.ts';
import type { Totals, TreeNode } from '../../models/campaign.ts';
import type { Db } from '../../models/db.ts';
import { derivedStatus } from './derived-status.ts';

const batch = 200;

interface Group {
  _id: { campaignRef: string; adSetRef: string; status: AdStatus };
  ads: number;
  counted: number;
  spend: number;
  impressions: number;
  clicks: number;
}

/**
 * Adds up the ads of campaigns anew: derived status, counts and figures, of their ad sets too. Marks them first, so that
 * of two who add up at once the one that began later, and so has seen both changes, writes last.
 */
export async function refreshCampaigns(db: Db, campaignRefs: Iterable<string | null>): Promise<void> {
  const refs = [...new Set(campaignRefs)].filter((ref) => ref !== null);
  for (let at = 0; at < refs.length; at += batch) await refreshBatch(db, refs.slice(at, at + batch));
}

async function refreshBatch(db: Db, refs: string[]): Promise<void> {
  const touch = randomUUID();
  const [ofCampaigns, ofAdSets] = [{ _id: { $in: refs } }, { campaignRef: { $in: refs } }];
  await Promise.all([
    db.campaigns.updateMany(ofCampaigns, { $set: { touch } }),
    db.adSets.updateMany(ofAdSets, { $set: { touch } }),
  ]);
  const own = { ownStatus: 1, campaignRef: 1 };
  const [campaigns, adSets, groups] = await Promise.all([
    db.campaigns.find(ofCampaigns, own).lean(),
    db.adSets.find(ofAdSets, own).lean(),
    db.ads.aggregate<Group>([{ $match: ofAdSets }, { $group: { _id: groupKey, ...groupSums } }]),
  ]);
  const byCampaign = groupBy(groups, ({ _id }) => _id.campaignRef);
  const byAdSet = groupBy(groups, ({ _id }) => _id.adSetRef);
  const setsOf = groupBy(adSets, ({ campaignRef }) => campaignRef);
  const set = (_id: string, fields: object): object => ({
    updateOne: { filter: { _id, touch }, update: { $set: fields } },
  });
  await Promise.all([
    write(
      db.campaigns,
      campaigns.map(({ _id, ownStatus }) =>
        set(_id, { ...sumOf(byCampaign.get(_id) ?? [], ownStatus), adSetCount: setsOf.get(_id)?.length ?? 0 }),
      ),
    ),
    write(
      db.adSets,
      adSets.map(({ _id, ownStatus }) => set(_id, sumOf(byAdSet.get(_id) ?? [], ownStatus))),
    ),
  ]);
}

const groupKey = { campaignRef: '$campaignRef', adSetRef: '$adSetRef', status: '$status' };
const groupSums = {
  ads: { $sum: 1 },
  counted: { $sum: { $cond: [{ $eq: ['$metrics', null] }, 0, 1] } },
  spend: { $sum: '$metrics.spend' },
  impressions: { $sum: '$metrics.impressions' },
  clicks: { $sum: '$metrics.clicks' },
};

const write = async (
  model: { bulkWrite: (operations: never, options: { ordered: false }) => Promise<unknown> },
  operations: object[],
): Promise<unknown> => operations.length > 0 && model.bulkWrite(operations as never, { ordered: false });

function sumOf(groups: Group[], own: AdStatus | null): Pick<TreeNode, 'status' | 'adCount' | 'metrics'> {
  const sum = (of: keyof Omit<Group, '_id'>): number => groups.reduce((total, group) => total + group[of], 0);
  const metrics: Totals = { spend: toMicros(sum('spend')), impressions: sum('impressions'), clicks: sum('clicks') };
  return {
    status: derivedStatus(
      groups.map(({ _id }) => _id.status),
      own,
    ),
    adCount: sum('ads'),
    metrics: sum('counted') > 0 ? metrics : null,
  };
}

function groupBy<T>(entries: T[], keyOf: (entry: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}

/** Sums of decimals keep the decimals that platforms count in. */
const toMicros = (amount: number): number => Math.round(amount * 1e6) / 1e6;
