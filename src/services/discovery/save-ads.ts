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
import { ownerOf, type Scope } from './scope.ts';

/** Orders whose own run or settler says what becomes of them. */
const unsettled: AdStatus[] = ['creating', 'unconfirmed', 'error'];

export interface SavedAds {
  /** Known ads that stand otherwise now. */
  changed: number;
  /** Heads of orders of unknown outcome whose ads were seen. */
  seenOrders: string[];
}

/** Writes a page of ads: three reads and one write, however many there are. */
export async function saveAds(services: Services, scope: Scope, page: FoundAd[]): Promise<SavedAds> {
  const found = [...new Map(page.map((ad) => [ad.id, ad])).values()];
  if (found.length === 0) return { changed: 0, seenOrders: [] };
  const { known, openOrders, parents } = await readAround(services, scope, found);
  const writes: object[] = [];
  const unchanged: string[] = [];
  const seenOrders = new Set<string>();
  const moved: AdDoc[] = [];
  for (const ad of found) {
    const before = known.get(ad.id);
    const facts = factsOf(scope, ad, parents);
    const openOrder = openOrders.get(ad.name.slice(-8));
    if (before) {
      const after = { ...before, ...changeOf(before, facts) };
      if (isSame(before, after)) unchanged.push(before._id);
      else writes.push(update(services, scope, { before, after }));
      if (before.status !== after.status) moved.push(after);
    } else if (openOrder) seenOrders.add(openOrder);
    else writes.push(insert(services, scope, { ad, facts }));
  }
  const { startedAt: seenAt } = scope;
  if (unchanged.length > 0)
    writes.push({ updateMany: { filter: { _id: { $in: unchanged } }, update: { $max: { seenAt } } } });
  if (writes.length > 0) await services.db.ads.bulkWrite(writes as never, { ordered: false }).catch(ignoreDuplicate);
  await refreshCampaigns(
    services.db,
    moved.map(({ campaignRef }) => campaignRef),
  );
  if (moved.length > 0) services.nudge();
  return { changed: moved.length, seenOrders: [...seenOrders] };
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
  const platformAdId = { $in: found.map(({ id }) => id) };
  // An order is stored before it is sent: whatever of it the page shows, it is open here by now, or its ids are known.
  const [known, open, campaigns, adSets] = await Promise.all([
    db.ads.find({ accountId, platformAdId }, { order: 0, steps: 0, pendingEvents: 0 }).lean(),
    db.ads.find({ accountId, status: { $in: ['creating', 'unconfirmed'] } }, { batchId: 1 }).lean(),
    db.campaigns.find({ _id: { $in: campaignRefs } }, named).lean(),
    db.adSets.find({ _id: { $in: adSetRefs } }, named).lean(),
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
    shared: {
      status: ad.status as AdStatus,
      rejectionReason: ad.rejectionReason ?? null,
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
function changeOf(before: AdDoc, { shared, own }: Facts): Partial<AdDoc> {
  const { status, rejectionReason, ...rest } = shared;
  const isOpen = unsettled.includes(before.status);
  return { ...rest, ...(!isOpen && { status, rejectionReason }), ...(before.isExternal && own) };
}

const isSame = (before: AdDoc, after: AdDoc): boolean =>
  (Object.keys(after) as (keyof AdDoc)[]).every(
    (key) => before[key] === after[key] || JSON.stringify(before[key]) === JSON.stringify(after[key]),
  );

/** A change of status and its event are one write, and happen once. */
function update({ clock }: Services, { startedAt }: Scope, { before, after }: { before: AdDoc; after: AdDoc }): object {
  const updatedAt = clock.now();
  const fields = Object.entries(after).filter(([key, value]) => before[key as keyof AdDoc] !== value);
  const hasMoved = before.status !== after.status;
  return {
    updateOne: {
      filter: { _id: before._id, ...(hasMoved && { status: before.status }) },
      update: {
        $set: { ...Object.fromEntries(fields), updatedAt },
        $max: { seenAt: startedAt },
        ...(hasMoved && { $push: { pendingEvents: statusChanged({ ...after, updatedAt }, before.status) } }),
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
