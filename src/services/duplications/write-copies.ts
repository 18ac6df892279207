import { sha256 } from '../../lib/hash.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { Naming } from '../../models/campaign.ts';
import type { DuplicationDoc } from '../../models/duplication.ts';
import { ignoreDuplicate } from '../../models/db.ts';
import { copyName, isCopyActive, type Copied, type CopySource } from '../../platforms/platform.ts';
import { applyAdStatus } from '../ads/apply-status.ts';
import { recomputeAggregates } from '../campaigns/recompute-aggregates.ts';
import { adSetRefOf, campaignRefOf } from '../campaigns/ids.ts';
import type { Services } from '../context.ts';
import { storedDates } from '../stored-dates.ts';
import { namingOfAd } from '../ads/order.ts';
import { sourcesOf } from './copy-sources.ts';
import { shownName } from '../shown-name.ts';

const { instantOrNull } = storedDates('ad_sets');

interface Names {
  campaign: string;
  adSet: Map<string, CopySource>;
  ad: Map<string, { name: string; adSetId: string }>;
}

function namesOf({ tree }: DuplicationDoc): Names {
  return {
    campaign: tree.campaign.name,
    adSet: new Map(tree.adSets.map((adSet) => [adSet.id, adSet])),
    ad: new Map(tree.adSets.flatMap(({ id, ads }) => ads.map((ad) => [ad.id, { name: ad.name, adSetId: id }]))),
  };
}

/**
 * Shows what is copied in lists and trees. Writing it twice changes nothing, and what discovery said since stays; what a
 * discovery that came first could not know is added.
 */
export async function writeCopies(services: Services, doc: DuplicationDoc, all: Copied[], fresh = all): Promise<void> {
  const { db, clock } = services;
  const copyOf = new Map(all.map(({ kind, sourceId, copiedId }) => [`${kind} ${sourceId}`, copiedId]));
  const campaignId = copyOf.get(`campaign ${doc.sourceCampaignId}`);
  if (campaignId === undefined || fresh.length === 0) return;
  const { accountId } = doc;
  const campaignRef = campaignRefOf(accountId, campaignId);
  const names = namesOf(doc);
  const maxLength = services.platforms[doc.adPlatform]?.maxNameLength ?? 255;
  const named = (kind: Copied['kind'], name: string, of?: Naming | null): Named => {
    const copied = (text: string): string => copyName(doc.options, kind, { name: text, maxLength });
    const given = copied(shownName(of, name));
    return { name: given, ...(of && { naming: { given, sent: copied(name), mark: of.mark } }) };
  };
  const now = clock.now();
  const shared = { ...ownerOf(doc), createdAt: doc.createdAt };
  const node = { ...shared, status: 'paused', metrics: null, aggregateVersion: null, adCount: 0, updatedAt: now };
  const running = adsIn(doc, { isAdSetActive: true });
  const waiting = adsIn(doc, { isAdSetActive: false });
  const of = (kind: Copied['kind']): Copied[] => fresh.filter((one) => one.kind === kind);
  const setsOfAds = of('ad').flatMap(({ sourceId }) => names.ad.get(sourceId)?.adSetId ?? []);
  const setIds = [...new Set([...of('adSet').map(({ sourceId }) => sourceId), ...setsOfAds])];
  const sources = await sourcesOf(services, doc, setIds, of('ad'));
  const ofName = named('campaign', names.campaign, sources.campaign?.naming);

  const ofCampaign = { goal: sources.campaign?.goal ?? null, budget: sources.campaign?.budget ?? null };
  await db.campaigns.updateOne(
    { _id: campaignRef },
    {
      $set: { isExternal: false, ...(doc.budgetKeyId && { budgetKeyId: doc.budgetKeyId }) },
      $max: { seenAt: now },
      $setOnInsert: {
        ...node,
        platformStatus: 'paused',
        ...ofName,
        platformCampaignId: campaignId,
        ...ofCampaign,
        adSetCount: 0,
      },
    } as object,
    { upsert: true },
  );
  const adSets = of('adSet').map(({ sourceId, copiedId }) => {
    const source = sources.adSets.get(sourceId);
    const { goal = null, budget = null, bidStrategy = null, bidAmount = null } = source ?? {};
    const times = timesOf(doc, {
      startDate: (source && instantOrNull(source, 'startDate')) ?? undefined,
      endDate: source && instantOrNull(source, 'endDate'),
    });
    const [startDate, endDate] = [dateOf(times.startDate), dateOf(times.endDate)];
    const facts = { goal, budget, bidStrategy, bidAmount, startDate, endDate, platformAdSetId: copiedId, campaignRef };
    const { name: sourceName = '', isActive = false } = names.adSet.get(sourceId) ?? {};
    const ofName = named('adSet', sourceName, source?.naming);
    const isPaused = !isCopyActive(doc.options, { isActive });
    const platformStatus = isPaused ? 'paused' : 'active';
    return {
      updateOne: {
        filter: { _id: adSetRefOf(accountId, copiedId) },
        update: {
          $max: { seenAt: now },
          $setOnInsert: { ...node, ...facts, ...ofName, platformStatus, isPaused, platformCampaignId: campaignId },
        },
        upsert: true,
      },
    };
  });
  const ads = of('ad').map(({ sourceId, copiedId }) => {
    const { name = '', adSetId: sourceSet = '' } = names.ad.get(sourceId) ?? {};
    const adSetId = copyOf.get(`adSet ${sourceSet}`) ?? null;
    const source = sources.ads.get(sourceId);
    const _id = doc._id.slice(0, 8) + sha256(`${doc._id} ${sourceId}`).slice(0, 16);
    const fields: Partial<AdDoc> = {
      ...shared,
      orderId: _id,
      creativeIndex: 0,
      ...named('ad', name, source && namingOfAd(source, maxLength)),
      goal: source?.goal ?? sources.campaign?.goal ?? null,
      shape: 'legacy',
      status: 'paused',
      isPaused: !running.has(sourceId),
      isPausedByAdSet: waiting.has(sourceId),
      settings: { ...withoutTimes(source?.settings), ...timesOf(doc, source?.settings) },
      creative: source?.creative ?? null,
      adType: source?.adType ?? 'standalone',
      metrics: null,
      campaignName: ofName.name,
      adSetName: named('adSet', names.adSet.get(sourceSet)?.name ?? '', sources.adSets.get(sourceSet)?.naming).name,
      platformCampaignId: campaignId,
      platformAdSetId: adSetId,
      rejectionReason: null,
      campaignRef,
      adSetRef: adSetId && adSetRefOf(accountId, adSetId),
      updatedAt: now,
    };
    return {
      updateOne: {
        filter: { accountId, platformAdId: copiedId },
        update: { $set: { isExternal: false }, $max: { seenAt: now }, $setOnInsert: { _id, ...omitAccount(fields) } },
        upsert: true,
      },
    };
  });
  await writeAll(db.campaigns, [
    ...completing({ _id: campaignRef }, ofCampaign),
    ...renamed({ _id: campaignRef }, ofName),
  ]);
  // What is inserted is complete, so the order of these writes does not matter.
  await writeAll(db.adSets, [...adSets, ...adSets.flatMap(completed)]);
  await writeAll(db.ads, [...ads, ...ads.flatMap(completed)]);
  await recomputeAggregates(db, [campaignRef]);
}

interface Named {
  name: string;
  naming?: Naming;
}

interface Upsert {
  updateOne: { filter: object; update: { $setOnInsert: Record<string, unknown> } };
}

const fromSource = ['goal', 'budget', 'bidStrategy', 'bidAmount', 'startDate', 'endDate', 'creative', 'settings'];

/** Fills in the fields that an existing record lacks. */
function completed({ updateOne: { filter, update } }: Upsert): object[] {
  const { name, naming } = update.$setOnInsert as unknown as Named;
  const known = Object.entries(update.$setOnInsert).filter(([name]) => fromSource.includes(name));
  const { settings, ...facts } = Object.fromEntries(known);
  const ofTerms = Object.entries(settings ?? {}).map(([name, value]) => [`settings.${name}`, value]);
  return [...completing(filter, { ...facts, ...Object.fromEntries(ofTerms) }), ...renamed(filter, { name, naming })];
}

/** A discovery that came first could not know the name that the copy was given. */
const renamed = (filter: object, { name, naming }: Named): object[] =>
  naming
    ? [{ updateOne: { filter: { ...filter, naming: null, name: naming.sent }, update: { $set: { name, naming } } } }]
    : [];

const completing = (filter: object, facts: object): object[] =>
  Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([path, value]) => ({
      updateOne: {
        // A copy has the targeting of its source, of which a discovery may read only a part.
        filter: path === 'settings.targeting' ? filter : { ...filter, [path]: null },
        update: { $set: { [path]: value } },
      },
    }));

async function writeAll(
  model: { bulkWrite: (writes: never, options: { ordered: false }) => Promise<unknown> },
  writes: object[],
): Promise<void> {
  if (writes.length > 0) await model.bulkWrite(writes as never, { ordered: false }).catch(ignoreDuplicate);
}

type Times = Pick<AdDoc['settings'], 'startDate' | 'endDate'>;

/** Times of a copy: the requested ones, otherwise those of its source that lie in the future. */
function timesOf({ options, createdAt }: DuplicationDoc, { startDate, endDate }: Times = {}): Times {
  const [start, end] = [options.startTime ?? startDate, options.endTime ?? endDate];
  const isAhead = (time?: string | null): boolean => !!time && new Date(time) > createdAt;
  return { ...(isAhead(start) && { startDate: start }), ...(isAhead(end) && { endDate: end }) };
}

const dateOf = (text: string | null | undefined): Date | null => (text ? new Date(text) : null);

const withoutTimes = ({ startDate: _start, endDate: _end, ...rest }: AdDoc['settings'] = {}): AdDoc['settings'] => rest;

/** The sources whose copies are activated themselves, in ad sets that are activated or stay paused. */
const adsIn = ({ tree, options }: DuplicationDoc, { isAdSetActive }: { isAdSetActive: boolean }): Set<string> =>
  new Set(
    tree.adSets
      .filter((adSet) => isCopyActive(options, adSet) === isAdSetActive)
      .flatMap(({ ads }) => ads.filter((ad) => isCopyActive(options, ad)).map(({ id }) => id)),
  );

/** Marks the ads of an active campaign as active, unless they were paused. */
export async function recordRunning(services: Services, doc: DuplicationDoc, all: Copied[]): Promise<void> {
  const { db, clock } = services;
  const { tree, options, accountId, copiedCampaignId } = doc;
  if (!copiedCampaignId || !isCopyActive(options, tree.campaign)) return;
  const campaignRef = campaignRefOf(accountId, copiedCampaignId);
  const ids = all.filter(({ kind }) => kind === 'ad').map(({ copiedId }) => copiedId);
  const filter = { accountId, platformAdId: { $in: ids }, status: 'paused', isPaused: { $ne: true } } as const;
  await db.campaigns.updateOne({ _id: campaignRef }, { $set: { platformStatus: 'active', updatedAt: clock.now() } });
  // A discovery amid the copy read them as paused, like their campaign.
  const on = tree.adSets.filter((adSet) => isCopyActive(options, adSet)).map(({ id }) => id);
  const sets = all.filter(({ kind, sourceId }) => kind === 'adSet' && on.includes(sourceId));
  const adSetRefs = sets.map(({ copiedId }) => adSetRefOf(accountId, copiedId));
  await db.adSets.updateMany(
    { _id: { $in: adSetRefs } },
    { $set: { platformStatus: 'active', updatedAt: clock.now() } },
  );
  await applyAdStatus(services, await db.ads.find(filter).lean(), 'active');
  await recomputeAggregates(db, [campaignRef]);
}

const ownerOf = ({ userId, profileId, accountId, platform, adPlatform, adAccount }: DuplicationDoc) => ({
  userId,
  profileId,
  accountId,
  platform,
  adPlatform,
  platformAdAccountId: adAccount.id,
  currency: adAccount.currency,
});

/** The filter of the upsert says it already. */
const omitAccount = ({ accountId: _accountId, ...rest }: Partial<AdDoc>): Partial<AdDoc> => rest;
