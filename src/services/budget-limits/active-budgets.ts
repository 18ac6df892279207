import type { AdStatus } from '../../contract/ad.ts';
import type { AdSetDoc } from '../../models/ad-set.ts';
import type { ReservedBudget } from '../../models/budget-ledger.ts';
import type { CampaignDoc, StoredBudget } from '../../models/campaign.ts';
import type { Db } from '../../models/db.ts';
import type { Limited } from './parties.ts';

/** Statuses of objects that may spend. */
const running: AdStatus[] = ['active', 'pending_review', 'creating', 'unconfirmed'];
const ended: (AdStatus | null)[] = ['completed', 'cancelled', 'rejected', 'error'];
const isOff = (status: AdStatus | null): boolean => status === 'paused' || ended.includes(status);

/** Whether an object is on itself, as far as it is recorded. */
export const isOn = ({ platformStatus, isPaused, removal }: Switchable): boolean =>
  !removal && isPaused !== true && !isOff(platformStatus);

type Switchable = Pick<AdSetDoc, 'platformStatus' | 'isPaused' | 'removal'>;

const fields = {
  adPlatform: 1,
  platformCampaignId: 1,
  platformAdSetId: 1,
  budget: 1,
  budgetLevel: 1,
  status: 1,
  platformStatus: 1,
  isPaused: 1,
  removal: 1,
  naming: 1,
  campaignRef: 1,
} as const;

export type CarrierCampaign = Pick<
  CampaignDoc,
  '_id' | 'adPlatform' | 'platformCampaignId' | 'budget' | 'budgetLevel' | 'status' | 'platformStatus' | 'naming'
> & { removal?: CampaignDoc['removal'] };
export type CarrierAdSet = Pick<
  AdSetDoc,
  '_id' | 'adPlatform' | 'platformAdSetId' | 'budget' | 'status' | 'platformStatus' | 'isPaused' | 'campaignRef'
> & { removal?: AdSetDoc['removal'] };

/** A campaign with the ad sets that carry its budgets. */
export interface CarrierTree {
  campaign: CarrierCampaign;
  adSets: CarrierAdSet[];
}

/** An active budget, and the object that carries it. */
export interface Active extends ReservedBudget {
  type: StoredBudget['type'];
}

/** What a request turns on or sets, beyond what is recorded. */
export interface CarrierChange {
  /** Turned on; an ad turns on its ad set for the sum. */
  activates?: 'campaign' | 'ad_set' | 'ad';
  pauses?: 'campaign' | 'ad_set' | 'ad';
  platformAdSetId?: string;
  budget?: { level: 'campaign' | 'ad_set'; value: StoredBudget };
}

export const campaignCarrier = ({ adPlatform, platformCampaignId }: CarrierCampaign): string =>
  `${adPlatform} campaign ${platformCampaignId}`;
const adSetCarrier = ({ adPlatform, platformAdSetId }: CarrierAdSet): string =>
  `${adPlatform} ad set ${platformAdSetId}`;

/** The active budgets of a campaign after a change; undefined if one of them is not known. */
export function activeIn({ campaign, adSets }: CarrierTree, change: CarrierChange = {}): Active[] | undefined {
  if (!isCampaignOn(campaign, change)) return [];
  const { budget: set } = change;
  const own = set?.level === 'campaign' ? set.value : campaign.budget;
  if (own) return [{ carrier: campaignCarrier(campaign), ...own }];
  const on = adSets.filter((adSet) => isAdSetOn(adSet, change));
  const budgets = on.map((adSet) => {
    const isSet = set?.level === 'ad_set' && adSet.platformAdSetId === change.platformAdSetId;
    const budget = isSet ? set.value : adSet.budget;
    return budget && { carrier: adSetCarrier(adSet), ...budget };
  });
  const known = budgets.filter((budget) => budget !== null);
  const isKnown = known.length === on.length && (campaign.budgetLevel === 'ad_set' || known.length > 0);
  return isKnown ? known : undefined;
}

function isCampaignOn({ status, platformStatus, removal }: CarrierCampaign, change: CarrierChange): boolean {
  if (removal || change.pauses === 'campaign') return false;
  if (change.activates === 'campaign') return true;
  if (isOff(platformStatus)) return false;
  return change.activates !== undefined || running.includes(status);
}

function isAdSetOn(
  { platformAdSetId, status, platformStatus, isPaused, removal }: CarrierAdSet,
  change: CarrierChange,
) {
  if (removal || ended.includes(platformStatus)) return false;
  const isNamed = platformAdSetId === change.platformAdSetId;
  if (isNamed && change.pauses === 'ad_set') return false;
  if (isNamed && change.activates === 'ad_set') return true;
  // Under a paused campaign the ad sets that are not paused themselves are read as paused too.
  if (change.activates === 'campaign') return isPaused !== true;
  if (platformStatus === 'paused' || isPaused === true) return false;
  return running.includes(status) || (isNamed && change.activates === 'ad');
}

/** A campaign as it is recorded; null if it is not. */
export async function carrierTreeOf(db: Db, campaignRef: string): Promise<CarrierTree | null> {
  const campaign = await db.campaigns.findOne({ _id: campaignRef }, fields).lean();
  if (!campaign) return null;
  return { campaign, adSets: await adSetsOf(db, [campaignRef]) };
}

/** The active budgets that are recorded under a limit, without those of campaigns that are being created. */
export async function recordedActive(
  db: Db,
  { userId, campaigns: filter }: Limited,
  isUnderWay: (campaign: CarrierCampaign) => boolean,
): Promise<Active[]> {
  const found = await db.campaigns.find({ userId, status: { $in: running }, ...filter }, fields).lean();
  const campaigns = found.filter((campaign) => !isUnderWay(campaign) && !isOff(campaign.platformStatus));
  const adSets = await adSetsOf(
    db,
    campaigns.filter(({ budget }) => !budget).map(({ _id }) => _id),
  );
  const byCampaign = new Map<string, CarrierAdSet[]>();
  // A budget that is not known cannot be counted.
  for (const adSet of adSets.filter(({ budget }) => budget))
    byCampaign.set(adSet.campaignRef, [...(byCampaign.get(adSet.campaignRef) ?? []), adSet]);
  return campaigns.flatMap((campaign) => activeIn({ campaign, adSets: byCampaign.get(campaign._id) ?? [] }) ?? []);
}

const adSetsOf = (db: Db, campaignRefs: string[]): Promise<CarrierAdSet[]> =>
  campaignRefs.length === 0
    ? Promise.resolve([])
    : db.adSets.find({ campaignRef: { $in: campaignRefs } }, fields).lean();
