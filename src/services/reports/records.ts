import type { AdStatus } from '../../contract/ad.ts';
import { invalidField } from '../../contract/error.ts';
import type { NamedLevel } from '../../contract/report-input.ts';
import type { AdDoc } from '../../models/ad.ts';
import { adSetRefOf, campaignRefOf } from '../campaigns/ids.ts';
import type { Ctx } from '../context.ts';

/** A recorded object, as rows show it. */
export interface RecordedObject {
  id: string;
  platformId: string;
  adAccountId: string;
  name: string;
  status: AdStatus;
  isDeleted: boolean;
  /** When it was created through this API. */
  createdAt?: Date;
  campaignId: string | null;
  adSetId: string | null;
  platformCampaignId: string | null;
  platformAdSetId: string | null;
}

const shared = {
  name: 1,
  status: 1,
  accountId: 1,
  platformAdAccountId: 1,
  platformCampaignId: 1,
  removal: 1,
  createdAt: 1,
} as const;
const projections = {
  campaign: { ...shared, isExternal: 1 },
  ad_set: { ...shared, platformAdSetId: 1, campaignRef: 1, naming: 1 },
  ad: { ...shared, platformAdSetId: 1, platformAdId: 1, campaignRef: 1, adSetRef: 1, isExternal: 1 },
} as const;

type Doc = Pick<
  AdDoc,
  '_id' | 'name' | 'status' | 'accountId' | 'platformAdAccountId' | 'platformCampaignId' | 'createdAt'
> &
  Partial<
    Pick<AdDoc, 'platformAdSetId' | 'platformAdId' | 'campaignRef' | 'adSetRef' | 'isExternal' | 'naming' | 'removal'>
  >;

const ownId: Record<NamedLevel, (doc: Doc) => string | null | undefined> = {
  campaign: ({ platformCampaignId }) => platformCampaignId,
  ad_set: ({ platformAdSetId }) => platformAdSetId,
  ad: ({ platformAdId }) => platformAdId,
};

const toRecord = (level: NamedLevel, doc: Doc): RecordedObject[] => {
  const platformId = ownId[level](doc);
  if (!platformId) return [];
  const isOwn = level === 'ad_set' ? Boolean(doc.naming) : doc.isExternal === false;
  return [
    {
      id: doc._id,
      platformId,
      adAccountId: doc.platformAdAccountId,
      name: doc.name,
      status: doc.status,
      isDeleted: Boolean(doc.removal) || doc.status === 'cancelled',
      ...(isOwn && { createdAt: doc.createdAt }),
      campaignId: level === 'campaign' ? doc._id : (doc.campaignRef ?? null),
      adSetId: level === 'ad_set' ? doc._id : (doc.adSetRef ?? null),
      platformCampaignId: doc.platformCampaignId,
      platformAdSetId: doc.platformAdSetId ?? null,
    },
  ];
};

/** The highest number of recorded objects in a report with `onlyDelivered: false`. */
const maxRecorded = 10_000;

async function find(ctx: Ctx, level: NamedLevel, filter: object, limit: number): Promise<RecordedObject[]> {
  const { campaigns, adSets, ads } = ctx.db;
  const read = {
    campaign: () => campaigns.find(filter, projections.campaign).limit(limit).lean<Doc[]>(),
    ad_set: () => adSets.find(filter, projections.ad_set).limit(limit).lean<Doc[]>(),
    ad: () => ads.find(filter, projections.ad).limit(limit).lean<Doc[]>(),
  };
  return (await read[level]()).flatMap((doc) => toRecord(level, doc));
}

/** Records by the ids of the platform, with one query. */
export async function recordsOf(
  ctx: Ctx,
  accountId: string,
  level: NamedLevel,
  platformIds: readonly string[],
): Promise<Map<string, RecordedObject>> {
  if (platformIds.length === 0) return new Map();
  const refOf = level === 'campaign' ? campaignRefOf : adSetRefOf;
  const filter =
    level === 'ad'
      ? { accountId, platformAdId: { $in: platformIds } }
      : { _id: { $in: platformIds.map((id) => refOf(accountId, id)) } };
  const found = await find(ctx, level, filter, platformIds.length);
  return new Map(found.map((record) => [record.platformId, record]));
}

/** All records of an ad account. */
export async function recordsIn(
  ctx: Ctx,
  accountId: string,
  level: NamedLevel,
  adAccountId: string,
): Promise<RecordedObject[]> {
  const found = await find(ctx, level, { accountId, platformAdAccountId: adAccountId }, maxRecorded + 1);
  if (found.length <= maxRecorded) return found;
  const message = `cannot be false for an ad account with more than ${maxRecorded} objects at level ${level}; name objects by id`;
  throw invalidField('onlyDelivered', message);
}

/** Records by ids of this API. */
export const recordsById = (
  ctx: Ctx,
  accountId: string,
  level: NamedLevel,
  ids: readonly string[],
): Promise<RecordedObject[]> =>
  ids.length === 0 ? Promise.resolve([]) : find(ctx, level, { _id: { $in: ids }, accountId }, ids.length);
