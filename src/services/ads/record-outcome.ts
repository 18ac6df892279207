import { sha256 } from '../../lib/hash.ts';
import type { AdDoc, AdStep } from '../../models/ad.ts';
import type { EventName } from '../../contract/event.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import type { CreatedAds, SwitchStatus } from '../../platforms/platform.ts';
import { orderActivity } from '../activity/order-activity.ts';
import { newOutboxEvent } from '../durable/outbox.ts';
import { upsertParents, type SentNames } from '../campaigns/upsert-parents.ts';
import { recomputeAggregates } from '../campaigns/recompute-aggregates.ts';
import { refsOf } from '../campaigns/ids.ts';
import type { Services } from '../context.ts';
import { shownName } from '../shown-name.ts';
import { heldBy } from '../durable/lease.ts';
import { withCurrency } from './currency.ts';
import { foundTerms } from './found-terms.ts';
import { leaseLost, type OrderRun } from './order-lease.ts';
import { replacingDiscovered } from './replace-discovered.ts';
import { sentStart } from './supported-start.ts';
import { toAd } from './to-ad.ts';

/** Delay before the first reconciliation of an order with an unknown outcome. */
const firstLookMs = 30_000;

export interface CreatedObjects {
  platformCampaignId?: string;
  platformAdSetId?: string;
  platformAdIds: Record<number, string>;
}

/** What exists upstream, as the journal knows it. */
export function createdObjects(steps: AdStep[]): CreatedObjects {
  const ids = new Map(steps.flatMap(({ name, remoteId }) => (remoteId === undefined ? [] : [[name, remoteId]])));
  const ads = [...ids].flatMap(([name, id]) => (name.startsWith('ad.') ? [[Number(name.slice(3)), id]] : []));
  return {
    platformCampaignId: ids.get('campaign'),
    platformAdSetId: ids.get('adSet'),
    platformAdIds: Object.fromEntries(ads),
  };
}

/** The result of an order and the status its owner currently wants. */
export interface CompletedOrder extends CreatedAds {
  requested: SwitchStatus;
  steps: AdStep[];
  /** Writes nothing if the owner has changed the order since it was read. */
  ifUnchanged?: boolean;
}

/** Success: every ad gets the platform's status, its remote ids and its event in one write. */
export async function recordCreated(
  services: Services,
  run: OrderRun,
  created: CompletedOrder,
): Promise<AdDoc[] | undefined> {
  const parents = await parentNames(services, run.firstAd, created);
  const startDate = sentStart(created.steps)?.toISOString();
  const { inherited } = created;
  const ads = run.ads.map((ad, index): AdDoc => {
    const made = created.ads[index];
    if (!made) throw new Error(`The adapter answered ${created.ads.length} ads for an order of ${run.ads.length}`);
    return placed({
      ...ad,
      status: made.status,
      rejectionReason: made.rejectionReason ?? null,
      platformAdId: made.platformAdId,
      platformCampaignId: created.platformCampaignId,
      platformAdSetId: created.platformAdSetId,
      ...parents,
      goal: ad.goal ?? inherited?.adSet.goal ?? null,
      settings: {
        ...(inherited && foundTerms(inherited.campaign, inherited.adSet)),
        ...ad.settings,
        ...(startDate && { startDate }),
      },
      // Without a campaign of its own it is the ad itself that was made paused.
      ...(ad.shape === 'attach' && created.requested === 'PAUSED' && { isPaused: true }),
    });
  });
  const own = created.requested === 'ACTIVE' ? 'active' : 'paused';
  const sent = { campaign: created.campaignName, adSet: created.adSetName };
  const { steps, ifUnchanged } = created;
  const outcome: Outcome = { ads, event: 'ad.created', own, sent, steps, ifUnchanged };
  return (await write(services, run, outcome)) ? ads : undefined;
}

/** An attached ad shows the names of its parents; any other was given its own. */
async function parentNames({ db }: Services, firstAd: AdDoc, created: CreatedAds) {
  if (firstAd.shape !== 'attach') return {};
  const { campaignRef, adSetRef } = refsOf({ ...firstAd, ...created });
  const [campaign, adSet] = await Promise.all([
    db.campaigns.findOne({ _id: campaignRef ?? '' }, { naming: 1 }).lean(),
    db.adSets.findOne({ _id: adSetRef ?? '' }, { naming: 1 }).lean(),
  ]);
  const { campaignName, adSetName } = created;
  return {
    campaignName: campaignName === undefined ? firstAd.campaignName : shownName(campaign?.naming, campaignName),
    adSetName: adSetName === undefined ? firstAd.adSetName : shownName(adSet?.naming, adSetName),
  };
}

/** Failure: nothing more happens unless the caller repeats the call under the same key. What exists stays on record. */
export async function recordFailed(
  services: Services,
  run: OrderRun,
  failure: { steps: AdStep[]; reason: string },
): Promise<void> {
  const { platformAdIds, platformCampaignId, platformAdSetId } = createdObjects(failure.steps);
  const parents = known({ platformCampaignId, platformAdSetId });
  const ads = run.ads.map((ad, index): AdDoc => {
    const platformAdId = platformAdIds[index] ?? null;
    return placed({ ...ad, ...parents, status: 'error', rejectionReason: failure.reason, platformAdId });
  });
  const isWritten = await write(services, run, { ads, event: 'ad.failed', steps: failure.steps });
  if (!isWritten) throw leaseLost();
}

/** Outcome unknown: leave it to the reconciler and do not resend. */
export async function recordUnconfirmed(services: Services, run: OrderRun, steps: AdStep[]): Promise<void> {
  // Counted from the request itself: a caller who repeats the call does not put the look off.
  const open = steps.find(({ state }) => state === 'unknown' || state === 'running');
  const reconcileAt = new Date((open?.startedAt ?? services.clock.now()).getTime() + firstLookMs);
  const siblings = { orderId: run.firstAd.orderId, creativeIndex: { $gt: 0 }, ...heldBy(run.lease) };
  const { platformAdIds: _ids, ...parents } = createdObjects(steps);
  const ads = run.ads.map((ad): AdDoc => placed({ ...ad, ...known(parents), status: 'unconfirmed' }));
  const [firstAd] = ads;
  const $set = { status: 'unconfirmed', ...(firstAd && placeOf(firstAd)) } as const;
  await upsertParents(services, ads, { now: services.clock.now() });
  if (ads.length > 1) await services.db.ads.updateMany(siblings, { $set, $unset: { lease: 1 } });
  const updatedAt = services.clock.now();
  const { author } = run.firstAd.order ?? {};
  const entry = orderActivity({ ...run.firstAd, ...$set, updatedAt }, { action: 'ad.unconfirmed', author, steps });
  const { matchedCount } = await services.db.ads.updateOne(
    { _id: run.firstAd._id, ...heldBy(run.lease) },
    {
      $set: { ...$set, steps: steps.map(withoutCalls), reconcileAt },
      $unset: { lease: 1 },
      $push: { pendingEvents: entry },
    },
  );
  services.wakeRelay();
  if (matchedCount === 0) throw leaseLost();
}

/** From here on they are in the activity trail. */
const withoutCalls = ({ calls: _calls, ...step }: AdStep): AdStep => step;

interface Outcome {
  ads: AdDoc[];
  event: 'ad.created' | 'ad.failed';
  own?: 'active' | 'paused';
  sent?: SentNames;
  steps: AdStep[];
  ifUnchanged?: boolean;
}

// Update the first ad last: while it is still open, recovery finds the order and rewrites the outcome.
async function write(services: Services, run: OrderRun, outcome: Outcome): Promise<boolean> {
  const { ads: placedAds, own, sent, steps, ifUnchanged } = outcome;
  const ads = await withCurrency(services, placedAds);
  const now = services.clock.now();
  const updates = ads.map((ad) => ({
    updateOne: {
      filter: { _id: ad._id, ...heldBy(run.lease), ...(ifUnchanged && asRead(run.firstAd)) },
      update: {
        $set: {
          ...outcomeFields(ad),
          seenAt: now,
          ...(ad.creativeIndex === 0 && { steps: steps.map(withoutCalls) }),
          updatedAt: now,
        },
        $unset: { lease: 1, reconcileAt: 1, firstMissedAt: 1 },
        $push: { pendingEvents: { $each: itemsOf(run, { ...ad, updatedAt: now }, outcome) } },
      },
    },
  }));
  const [firstAd, ...siblings] = updates;
  await upsertParents(services, ads, { now, own, sent });
  if (siblings.length > 0) {
    const put = (): Promise<{ matchedCount: number }> =>
      replacingDiscovered(services.db, ads, () => services.db.ads.bulkWrite(siblings));
    const { matchedCount } = await put();
    if (matchedCount < siblings.length) await reclaim(services, run).then(put);
  }
  const { matchedCount } = await replacingDiscovered(services.db, ads, () =>
    services.db.ads.bulkWrite(firstAd ? [firstAd] : []),
  );
  if (matchedCount === 0) return false;
  if (run.firstAd.shape === 'attach') await recomputeAggregates(services.db, [ads[0]?.campaignRef ?? null]);
  services.wakeRelay();
  return true;
}

/** Filter fragment: what the owner can change of a new ad while its order is executed. */
const asRead = ({ isPaused, order }: AdDoc): object => ({
  isPaused: isPaused ?? null,
  'order.isActivated': order?.isActivated ?? null,
  'order.input.status': order?.input.status ?? null,
});

/** An earlier lease holder may have tagged the sibling ads late; the lease of the first ad covers them all. */
async function reclaim({ db }: Services, { firstAd, lease }: OrderRun): Promise<void> {
  const held = await db.ads.findOne({ _id: firstAd._id, ...heldBy(lease) }, { _id: 1 }).lean();
  if (!held) throw leaseLost();
  await db.ads.updateMany({ orderId: firstAd.orderId, creativeIndex: { $gt: 0 } }, { $set: { lease } });
}

const placed = (ad: AdDoc): AdDoc => ({ ...ad, ...refsOf(ad) });

const known = (
  parents: Omit<CreatedObjects, 'platformAdIds'>,
): Partial<Pick<AdDoc, 'platformCampaignId' | 'platformAdSetId'>> =>
  Object.fromEntries(Object.entries(parents).filter(([, id]) => id !== undefined));

// One id per ad and event type, so that an outcome that is written twice after a crash is published once.
const adEvent = (type: EventName, ad: AdDoc): PendingEvent => ({
  ...newOutboxEvent(type, { ad: toAd(ad) }, ad.updatedAt),
  eventId: `evt_${sha256(`${type} ${ad._id}`).slice(0, 24)}`,
});

/** The event of an outcome and its entry of the activity trail. */
const itemsOf = ({ firstAd }: OrderRun, ad: AdDoc, { event, steps }: Outcome): PendingEvent[] => [
  adEvent(event, ad),
  orderActivity(ad, { action: event, author: firstAd.order?.author, steps }),
];

const placeOf = ({ platformCampaignId, platformAdSetId, campaignRef, adSetRef }: AdDoc) => ({
  platformCampaignId,
  platformAdSetId,
  campaignRef,
  adSetRef,
});

const outcomeFields = (ad: AdDoc): Partial<AdDoc> & Record<`settings.${string}`, unknown> => ({
  ...placeOf(ad),
  status: ad.status,
  rejectionReason: ad.rejectionReason,
  platformAdId: ad.platformAdId,
  campaignName: ad.campaignName,
  adSetName: ad.adSetName,
  goal: ad.goal,
  // An attached ad has the terms of its parents.
  ...(ad.shape === 'attach' && settingsPaths(ad.settings)),
  ...(ad.settings.startDate && { 'settings.startDate': ad.settings.startDate }),
  ...(ad.isPaused !== undefined && { isPaused: ad.isPaused }),
});

const settingsPaths = (terms: AdDoc['settings']): Record<`settings.${string}`, unknown> =>
  Object.fromEntries(Object.entries(terms).map(([name, value]) => [`settings.${name}`, value]));
