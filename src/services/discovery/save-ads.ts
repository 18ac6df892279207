import type { AdStatus } from '../../contract/ad.ts';
import { sha256 } from '../../lib/hash.ts';
import type { AdSetDoc } from '../../models/ad-set.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { CampaignDoc } from '../../models/campaign.ts';
import { isDuplicate } from '../../models/db.ts';
import type { FoundAd } from '../../platforms/platform.ts';
import { statusChanged } from '../ads/move-ads.ts';
import { refreshCampaigns } from '../campaigns/refresh-campaigns.ts';
import { adSetRefOf, campaignRefOf } from '../campaigns/refs.ts';
import type { Services } from '../context.ts';
import { isSeenBy, ownerOf, says, writeAll, type PageScope, type Scope } from './scope.ts';

/** Orders whose own run or settler says what becomes of them. */
const unsettled: AdStatus[] = ['creating', 'unconfirmed', 'error'];

export interface SavedAds {
  /** Those that this run sees for the first time. */
  seen: number;
  /** Known ads that stand otherwise now. */
  changed: number;
  /** Heads of orders of unknown outcome whose ads were seen. */
  seenOrders: string[];
}

/** Writes a page of ads: four reads and one write, however many there are. */
export async function saveAds(services: Services, scope: PageScope, page: FoundAd[]): Promise<SavedAds> {
  const found = [...new Map(page.map((ad) => [ad.id, ad])).values()];
  if (found.length === 0) return { seen: 0, changed: 0, seenOrders: [] };
  const { known, openOrders, parents } = await readAround(services, scope, found);
  const writes: object[] = [];
  const stamped: string[] = [];
  const seenOrders = new Set<string>();
  /** The campaigns of those that stand otherwise now. */
  const moved: string[] = [];
  for (const ad of found) {
    const before = known.get(ad.id);
    const facts = factsOf(scope, ad, parents);
    const openOrder = openOrders.get(ad.name.slice(-8));
    if (before) {
      const change = before.updatedAt > scope.askedAt ? {} : changeOf(before, facts);
      const isSame = says(before, change);
      const hasMoved = change.status !== undefined && change.status !== before.status;
      if (!isSame) writes.push(update(services, scope, { before, change }));
      // One that moves elsewhere at this moment misses its write, and was seen all the same.
      if (isSame || hasMoved) stamped.push(before._id);
      if (hasMoved) moved.push(facts.shared.campaignRef);
    } else if (openOrder) seenOrders.add(openOrder);
    else writes.push(insert(services, scope, { ad, facts }));
  }
  const { startedAt: seenAt } = scope;
  if (stamped.length > 0)
    writes.push({ updateMany: { filter: { _id: { $in: stamped } }, update: { $max: { seenAt } } } });
  if (writes.length > 0) await writeAll(services.db.ads, writes).catch(ignoreDuplicate);
  await refreshCampaigns(services.db, moved);
  if (moved.length > 0) services.nudge();
  const seen = found.filter(({ id }) => !isSeenBy(scope, known.get(id))).length;
  return { seen, changed: moved.length, seenOrders: [...seenOrders] };
}

type Named = Pick<CampaignDoc, '_id' | 'name' | 'goal' | 'budget'>;

interface Parents {
  campaigns: Map<string, Named>;
  adSets: Map<string, Named & Pick<AdSetDoc, 'bidStrategy' | 'bidAmount' | 'endDate'>>;
}

interface Around {
  known: Map<string, AdDoc>;
  /** Heads of open orders by the last letters of the names of their ads. */
  openOrders: Map<string, string>;
  parents: Parents;
}

async function readAround({ db }: Services, { account }: Scope, found: FoundAd[]): Promise<Around> {
  const accountId = account._id;
  const campaignRefs = [...new Set(found.map(({ campaignId }) => campaignRefOf(accountId, campaignId)))];
  const adSetRefs = [...new Set(found.map(({ adSetId }) => adSetRefOf(accountId, adSetId)))];
  const named = { name: 1, goal: 1, budget: 1, bidStrategy: 1, bidAmount: 1, endDate: 1 };
  // More than there can be, so that each read is one answer.
  const inOne = found.length + 1;
  const platformAdId = { $in: found.map(({ id }) => id) };
  // An order is stored before it is sent: whatever of it the page shows, it is open here by now, or its ids are known.
  const [known, open, campaigns, adSets] = await Promise.all([
    db.ads.find({ accountId, platformAdId }, { order: 0, steps: 0, pendingEvents: 0 }).batchSize(inOne).lean(),
    db.ads.find({ accountId, status: { $in: ['creating', 'unconfirmed'] } }, { batchId: 1 }).lean(),
    db.campaigns
      .find({ _id: { $in: campaignRefs } }, named)
      .batchSize(inOne)
      .lean(),
    db.adSets
      .find({ _id: { $in: adSetRefs } }, named)
      .batchSize(inOne)
      .lean(),
  ]);
  return {
    known: new Map(known.map((ad) => [ad.platformAdId ?? '', ad])),
    openOrders: new Map(open.map(({ _id, batchId }) => [_id.slice(-8), batchId])),
    parents: {
      campaigns: new Map(campaigns.map((campaign) => [campaign._id, campaign])),
      adSets: new Map(adSets.map((adSet) => [adSet._id, adSet])),
    },
  };
}

/** What the platform says of an ad, in the terms of our record. */
function factsOf({ account }: Scope, ad: FoundAd, { campaigns, adSets }: Parents) {
  const campaignRef = campaignRefOf(account._id, ad.campaignId);
  const adSetRef = adSetRefOf(account._id, ad.adSetId);
  const [campaign, adSet] = [campaigns.get(campaignRef), adSets.get(adSetRef)];
  const budget = adSet?.budget ?? campaign?.budget;
  const terms: AdDoc['terms'] = {
    ...(budget && { budget }),
    ...(adSet?.bidStrategy && { bidStrategy: adSet.bidStrategy }),
    ...(adSet?.bidAmount != null && { bidAmount: adSet.bidAmount }),
    ...(adSet?.endDate && { endDate: adSet.endDate.toISOString() }),
  };
  return {
    state: { status: ad.status as AdStatus, rejectionReason: ad.rejectionReason ?? null },
    shared: {
      ...(ad.isOff !== undefined && { isOff: ad.isOff }),
      metrics: ad.metrics ? { ...ad.metrics } : null,
      campaignName: campaign?.name ?? null,
      adSetName: adSet?.name ?? null,
      platformCampaignId: ad.campaignId,
      platformAdSetId: ad.adSetId,
      campaignRef,
      adSetRef,
    },
    own: { name: ad.name, goal: adSet?.goal ?? campaign?.goal ?? null, terms },
  };
}

type Facts = ReturnType<typeof factsOf>;

/** An ad that was made here keeps what it was made with; one whose order is open keeps its status too. */
const changeOf = (before: AdDoc, { state, shared, own }: Facts): Partial<AdDoc> => ({
  ...shared,
  ...(!unsettled.includes(before.status) && state),
  ...(before.isExternal && own),
});

/** A change of status and its event are one write, and happen once. */
function update(
  { clock }: Services,
  { startedAt }: Scope,
  { before, change }: { before: AdDoc; change: Partial<AdDoc> },
): object {
  const updatedAt = clock.now();
  const fields = Object.entries(change).filter(([key, value]) => before[key as keyof AdDoc] !== value);
  const after = { ...before, ...change, updatedAt };
  const hasMoved = before.status !== after.status;
  return {
    updateOne: {
      filter: { _id: before._id, ...(hasMoved && { status: before.status }) },
      update: {
        $set: { ...Object.fromEntries(fields), updatedAt },
        $max: { seenAt: startedAt },
        ...(hasMoved && { $push: { pendingEvents: statusChanged(after, before.status) } }),
      },
    },
  };
}

/** Only what is new is written: an order that ended meanwhile has its record already. */
function insert({ clock }: Services, scope: Scope, { ad, facts }: { ad: FoundAd; facts: Facts }): object {
  const now = clock.now();
  const createdAt = ad.createdAt ?? now;
  const { accountId, ...owner } = ownerOf(scope);
  const _id = idOf(accountId, ad.id, createdAt);
  return {
    updateOne: {
      filter: { accountId, platformAdId: ad.id },
      update: {
        $setOnInsert: {
          _id,
          ...owner,
          ...facts.state,
          ...facts.shared,
          ...facts.own,
          batchId: _id,
          creativeIndex: 0,
          shape: 'legacy',
          adType: 'standalone',
          creative: null,
          isExternal: true,
          run: 'found',
          createdAt,
          updatedAt: now,
        },
        $max: { seenAt: scope.startedAt },
      },
      upsert: true,
    },
  };
}

/** Ids sort by the time of making, as all ids of ads do. */
const idOf = (accountId: string, platformAdId: string, at: Date): string => {
  const seconds = Math.max(0, Math.floor(at.getTime() / 1000))
    .toString(16)
    .padStart(8, '0')
    .slice(-8);
  return seconds + sha256(`ad ${accountId} ${platformAdId}`).slice(0, 16);
};

function ignoreDuplicate(error: unknown): void {
  if (!isDuplicate(error)) throw error;
}
