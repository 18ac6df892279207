import { randomUUID } from 'node:crypto';
import type { AdStatus } from '../../contract/ad.ts';
import type { TreeNode } from '../../models/campaign.ts';
import type { Db } from '../../models/db.ts';
import { derivedStatus } from './derived-status.ts';

const batch = 200;

interface Group {
  _id: { campaignRef: string; adSetRef: string; status: AdStatus };
  ads: number;
}

/**
 * Recomputes the derived status and counts of campaigns and their ad sets from their ads; metrics stay the platform's.
 * Takes a version first, so that the later of two concurrent runs, which has seen both changes, writes last.
 */
export async function recomputeAggregates(db: Db, campaignRefs: Iterable<string | null>): Promise<void> {
  const refs = [...new Set(campaignRefs)].filter((ref) => ref !== null);
  for (let at = 0; at < refs.length; at += batch) await refreshBatch(db, refs.slice(at, at + batch));
}

async function refreshBatch(db: Db, refs: string[]): Promise<void> {
  const aggregateVersion = randomUUID();
  const [ofCampaigns, ofAdSets] = [{ _id: { $in: refs } }, { campaignRef: { $in: refs } }];
  await Promise.all([
    db.campaigns.updateMany(ofCampaigns, { $set: { aggregateVersion } }),
    db.adSets.updateMany(ofAdSets, { $set: { aggregateVersion } }),
  ]);
  const own = { platformStatus: 1, campaignRef: 1 };
  const [campaigns, adSets, groups] = await Promise.all([
    db.campaigns.find(ofCampaigns, own).lean(),
    db.adSets.find(ofAdSets, own).lean(),
    db.ads.aggregate<Group>([{ $match: ofAdSets }, { $group: { _id: groupKey, ...groupSums } }]),
  ]);
  const byCampaign = groupBy(groups, ({ _id }) => _id.campaignRef);
  const byAdSet = groupBy(groups, ({ _id }) => _id.adSetRef);
  const setsOf = groupBy(adSets, ({ campaignRef }) => campaignRef);
  const set = (_id: string, fields: object): object => ({
    updateOne: { filter: { _id, aggregateVersion }, update: { $set: fields } },
  });
  await Promise.all([
    write(
      db.campaigns,
      campaigns.map(({ _id, platformStatus }) =>
        set(_id, { ...sumOf(byCampaign.get(_id) ?? [], platformStatus), adSetCount: setsOf.get(_id)?.length ?? 0 }),
      ),
    ),
    write(
      db.adSets,
      adSets.map(({ _id, platformStatus }) => set(_id, sumOf(byAdSet.get(_id) ?? [], platformStatus))),
    ),
  ]);
}

const groupKey = { campaignRef: '$campaignRef', adSetRef: '$adSetRef', status: '$status' };
const groupSums = { ads: { $sum: 1 } };

const write = async (
  model: { bulkWrite: (operations: never, options: { ordered: false }) => Promise<unknown> },
  operations: object[],
): Promise<unknown> => operations.length > 0 && model.bulkWrite(operations as never, { ordered: false });

function sumOf(groups: Group[], own: AdStatus | null): Pick<TreeNode, 'status' | 'adCount'> {
  return {
    status: derivedStatus(
      groups.map(({ _id }) => _id.status),
      own,
    ),
    adCount: groups.reduce((total, { ads }) => total + ads, 0),
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
