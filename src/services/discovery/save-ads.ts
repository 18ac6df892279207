import type { AdStatus } from '../../contract/ad.ts';
import { sha256 } from '../../lib/hash.ts';
import type { AdDoc } from '../../models/ad.ts';
import { ignoreDuplicate } from '../../models/db.ts';
import { writeAll } from '../../models/driver.ts';
import type { FoundAd } from '../../platforms/platform.ts';
import { foundAdStatus, isSwitchedItself } from '../activity/found-activity.ts';
import { statusChanged } from '../ads/apply-status.ts';
import { foundTerms } from '../ads/found-terms.ts';
import { recomputeAggregates } from '../campaigns/recompute-aggregates.ts';
import { adSetRefOf, campaignRefOf } from '../campaigns/ids.ts';
import { changedPaths, isSpread, unchangedSince, updatedEvent } from '../campaigns/updated-event.ts';
import type { Services } from '../context.ts';
import { shownName } from '../shown-name.ts';
import { loadContext, loadFull, type Known, type Parents } from './load-existing.ts';
import { ownerOf } from '../ads/owner-of.ts';
import { isRestored, notRemoved, wasSeenInRun, readable, says, type PageScope, type Scope } from './scope.ts';

/** Statuses owned by the order or the reconciler, not by discovery. */
const openStatuses: AdStatus[] = ['creating', 'unconfirmed', 'error'];

export interface SavedAds {
  /** Those that this run sees for the first time. */
  seen: number;
  /** Known ads that stand otherwise now. */
  changed: number;
  /** Orders of unknown outcome whose ads were read. */
  seenOrders: string[];
}

/** Writes a page of ads, however many there are: four reads and one write, and one more read where some have moved. */
export async function saveAds(services: Services, scope: PageScope, page: FoundAd[]): Promise<SavedAds> {
  const found = [...new Map(page.map((ad) => [ad.id, ad])).values()];
  if (found.length === 0) return { seen: 0, changed: 0, seenOrders: [] };
  const { known, openOrders, parents } = await loadContext(services, scope, found);
  const writes: object[] = [];
  const stamped: string[] = [];
  const seenOrders = new Set<string>();
  const changes: Change[] = [];
  for (const ad of found) {
    const before = known.get(ad.id);
    const facts = factsOf(scope, ad, parents);
    const openOrder = openOrders.get(ad.name.slice(-8));
    if (before) {
      const whole = before.updatedAt > scope.askedAt ? [] : partsOf(scope, before, facts);
      const parts = ad.isPartial ? whole.map(readable) : whole;
      if (parts.every((part) => says(before, part))) stamped.push(before._id);
      else changes.push({ before, fields: Object.assign({}, ...parts) as Partial<AdDoc> });
    } else if (openOrder) seenOrders.add(openOrder);
    else writes.push(insert(services, scope, { ad, facts }));
  }
  const { startedAt: seenAt } = scope;
  const moved = changes.filter(hasMoved);
  const published = changes.filter((change) => hasMoved(change) || updatedPaths(change).length > 0);
  const whole = await loadFull(
    services,
    published.map(({ before }) => before),
  );
  for (const change of changes) writes.push(update(services, { change, whole: whole.get(change.before._id) }));
  // One that changes elsewhere at this moment misses its write, and was seen all the same.
  stamped.push(...changes.map(({ before }) => before._id));
  if (stamped.length > 0)
    writes.push({ updateMany: { filter: { _id: { $in: stamped } }, update: { $max: { seenAt } } } });
  if (writes.length > 0) await writeAll(services.db.ads, writes).catch(ignoreDuplicate);
  await recomputeAggregates(
    services.db,
    moved.flatMap(({ before, fields }) => fields.campaignRef ?? before.campaignRef ?? []),
  );
  if (published.length > 0) services.wakeRelay();
  const seen = found.filter(({ id }) => !wasSeenInRun(scope, known.get(id))).length;
  return { seen, changed: moved.length, seenOrders: [...seenOrders] };
}

/** An ad that stands otherwise than its record says. */
interface Change {
  before: Known;
  fields: Partial<AdDoc>;
}

const hasMoved = ({ before, fields }: Change): boolean =>
  fields.status !== undefined && fields.status !== before.status;

/** The changed terms that are published; what the platform says for the first time is not a change. */
const updatedPaths = ({ before, fields: { settings } }: Change): string[] =>
  settings === undefined
    ? []
    : changedPaths(before, { 'settings.budget': settings.budget, 'settings.endDate': settings.endDate }, 'platform');

/** What the platform says of an ad, in the settings of our record. */
function factsOf({ account, adAccount }: Scope, ad: FoundAd, { campaigns, adSets }: Parents) {
  const campaignRef = campaignRefOf(account._id, ad.campaignId);
  const adSetRef = adSetRefOf(account._id, ad.adSetId);
  const [campaign, adSet] = [campaigns.get(campaignRef), adSets.get(adSetRef)];
  const settings: AdDoc['settings'] = {
    ...foundTerms(campaign, adSet),
    ...(ad.urlParameters?.length && { urlParameters: ad.urlParameters }),
  };
  return {
    state: { status: ad.status, rejectionReason: ad.rejectionReason ?? null },
    shared: {
      currency: adAccount.currency,
      ...(ad.isPaused !== undefined && { isPaused: ad.isPaused, isPausedByAdSet: ad.isPausedByAdSet ?? false }),
      ...(ad.metrics !== undefined && { metrics: ad.metrics && { ...ad.metrics } }),
      ...(ad.closedMetrics && { closedMetrics: { ...ad.closedMetrics } }),
      campaignName: campaign?.name ?? null,
      adSetName: adSet?.name ?? null,
      platformCampaignId: ad.campaignId,
      platformAdSetId: ad.adSetId,
      campaignRef,
      adSetRef,
    },
    own: {
      name: ad.name,
      goal: adSet?.goal ?? campaign?.goal ?? null,
      settings,
      ...(ad.creative && { creative: { ...ad.creative } }),
    },
    isWithoutParameters: ad.urlParameters === undefined,
  };
}

type Facts = ReturnType<typeof factsOf>;

/** For ads created here keep the stored fields; while the order is open keep the status too, and that of a removed ad. */
const partsOf = (scope: Scope, before: Known, { state, shared, own, isWithoutParameters }: Facts): Partial<Known>[] => {
  const { urlParameters } = before.settings;
  // What was set here stays if the platform does not report it with its ads.
  const settings = { ...own.settings, ...(isWithoutParameters && urlParameters && { urlParameters }) };
  return [
    shared,
    ...(openStatuses.includes(before.status) ? [] : [stateAfter(scope, before, state)]),
    before.isExternal ? { ...own, settings, name: shownName(before.naming, own.name) } : missingIn(before, own),
  ];
};

function stateAfter(scope: Scope, before: Known, state: Facts['state']): Partial<Known> {
  if (!before.removal) return state;
  return isRestored(scope, before, state.status) ? { ...state, ...notRemoved } : {};
}

/** Fields that the record of an ad created here may lack, and its present budget and end at the platform. */
function missingIn(before: Known, { goal, creative, settings }: Facts['own']): Partial<Known> {
  const { budget, budgetLevel, declarations, startDate, endDate } = settings;
  const level = budgetLevel && { budgetLevel };
  const found = {
    ...(budget && { budget }),
    ...level,
    ...(declarations && { declarations }),
    ...(startDate && { startDate }),
    ...(endDate !== undefined && { endDate }),
  };
  const isComplete = Object.keys(found).every((name) => Object.hasOwn(before.settings, name));
  const isMoved =
    budget !== undefined && !isSpread(before.settings.budget, budget) && !says(before.settings, { budget });
  const isElsewhere = level !== undefined && !says(before.settings, level);
  const isEndMoved =
    endDate !== undefined && changedPaths(before, { 'settings.endDate': endDate }, 'platform').length > 0;
  const kept = isEndMoved ? { ...before.settings, endDate } : before.settings;
  const present = { ...(isMoved && { budget }), ...(isElsewhere && level) };
  return {
    ...(before.goal === null && goal !== null && { goal }),
    ...(before.creative === null && creative && { creative }),
    ...((isMoved || isElsewhere || isEndMoved || !isComplete) && { settings: { ...found, ...kept, ...present } }),
  };
}

/** A change and its event are one write, and happen once. What was changed here since it was read stays. */
function update({ clock }: Services, { change, whole }: { change: Change; whole: AdDoc | undefined }): object {
  const { before, fields } = change;
  const updatedAt = clock.now();
  const after = whole && { ...whole, ...fields, updatedAt };
  const paths = updatedPaths(change);
  const events = after && [
    ...(hasMoved(change) ? [statusChanged(after, before.status)] : []),
    ...(paths.length > 0 ? [updatedEvent('ad', after, { paths, source: 'platform' })] : []),
    ...(hasMoved(change) && isSwitchedItself(before, fields) ? [foundAdStatus(after, before.status)] : []),
  ];
  const { _id, status, updatedAt: readAt } = before;
  return {
    updateOne: {
      filter: { _id, status, updatedAt: readAt, ...unchangedSince(before, paths) },
      update: { $set: { ...fields, updatedAt }, ...(events && { $push: { pendingEvents: { $each: events } } }) },
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
          metrics: null,
          creative: null,
          ...facts.state,
          ...facts.shared,
          ...facts.own,
          orderId: _id,
          creativeIndex: 0,
          shape: 'legacy',
          adType: 'standalone',
          isExternal: true,
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
