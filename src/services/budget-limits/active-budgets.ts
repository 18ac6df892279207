import type { AdStatus } from '../../contract/ad.ts';
import { grouped } from '../../lib/group-by.ts';
import type { AdSetDoc } from '../../models/ad-set.ts';
import type { ReservedBudget } from '../../models/budget-ledger.ts';
import type { CampaignDoc, StoredBudget } from '../../models/campaign.ts';
import type { Db } from '../../models/db.ts';
import type { Limited } from './parties.ts';

/** Statuses of objects that may spend. */
const running: AdStatus[] = ['active', 'pending_review', 'creating', 'unconfirmed'];
const ended: (AdStatus | null)[] = ['completed', 'cancelled', 'rejected', 'error'];
const isInactive = (status: AdStatus | null): boolean => status === 'paused' || ended.includes(status);

/** Whether the records say that an object is active, whatever the status of its campaign. */
export const isActiveItself = ({
  platformStatus,
  isPaused,
  removal,
}: Pick<AdSetDoc, 'platformStatus' | 'isPaused' | 'removal'>): boolean =>
  !removal && isPaused !== true && !isInactive(platformStatus);

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

type CarrierCampaign = Pick<
  CampaignDoc,
  '_id' | 'adPlatform' | 'platformCampaignId' | 'budget' | 'budgetLevel' | 'status' | 'platformStatus' | 'naming'
> & { removal?: CampaignDoc['removal'] };
type CarrierAdSet = Pick<
  AdSetDoc,
  '_id' | 'adPlatform' | 'platformAdSetId' | 'budget' | 'status' | 'platformStatus' | 'isPaused' | 'campaignRef'
> & { removal?: AdSetDoc['removal'] };

/** A campaign and its ad sets: one or the other has the budgets. */
interface CarrierTree {
  campaign: CarrierCampaign;
  adSets: CarrierAdSet[];
}

/** An active budget, and the campaign or ad set that has it. */
export interface ActiveBudget extends ReservedBudget {
  type: StoredBudget['type'];
}

/** A change that a request makes to the recorded campaign. */
export interface CarrierChange {
  /** An active ad makes the budget of its ad set count. */
  activates?: 'campaign' | 'ad_set' | 'ad';
  pauses?: 'campaign' | 'ad_set' | 'ad';
  /** Gets a later end, so that what has ended runs again. */
  restarts?: 'campaign' | 'ad_set';
  platformAdSetId?: string;
  budget?: { level: 'campaign' | 'ad_set'; value: StoredBudget };
}

const campaignCarrier = ({ adPlatform, platformCampaignId }: CarrierCampaign): string =>
  `${adPlatform} campaign ${platformCampaignId}`;
export const adSetCarrier = ({
  adPlatform,
  platformAdSetId,
}: Pick<AdSetDoc, 'adPlatform' | 'platformAdSetId'>): string => `${adPlatform} ad set ${platformAdSetId}`;

/** The active budgets of a campaign after a change; undefined if one of them is not known. */
export function activeBudgetsIn(tree: CarrierTree, change: CarrierChange = {}): ActiveBudget[] | undefined {
  const [all, known] = [budgetsIn(tree, change), knownActiveBudgetsIn(tree, change)];
  return known.length === all.length ? known : undefined;
}

/** The active budgets of a campaign after a change, as far as they are known. */
export const knownActiveBudgetsIn = (tree: CarrierTree, change: CarrierChange = {}): ActiveBudget[] =>
  budgetsIn(tree, change).filter((budget) => budget !== null);

/** The active budgets, null for each that is not known. */
function budgetsIn({ campaign, adSets }: CarrierTree, change: CarrierChange): (ActiveBudget | null)[] {
  if (!isCampaignActive(campaign, change)) return [];
  const { budget: set } = change;
  const own = set?.level === 'campaign' ? set.value : campaign.budget;
  if (own) return [{ carrier: campaignCarrier(campaign), ...own }];
  const active = adSets.filter((adSet) => isAdSetActive(adSet, change));
  const budgets = active.map((adSet) => {
    const isSet = set?.level === 'ad_set' && adSet.platformAdSetId === change.platformAdSetId;
    const budget = isSet ? set.value : adSet.budget;
    return budget && { carrier: adSetCarrier(adSet), ...budget };
  });
  return budgets.length > 0 || campaign.budgetLevel === 'ad_set' ? budgets : [null];
}

/** Whether an object with this status does not run, even if it gets a later end. */
const staysInactive = (status: AdStatus | null, isRestarted: boolean): boolean =>
  isInactive(status) && !(isRestarted && status === 'completed');

function isCampaignActive({ status, platformStatus, removal }: CarrierCampaign, change: CarrierChange): boolean {
  if (removal || change.pauses === 'campaign') return false;
  if (change.activates === 'campaign') return true;
  if (staysInactive(platformStatus, change.restarts === 'campaign')) return false;
  const isRestarted = change.restarts !== undefined && status === 'completed';
  return change.activates !== undefined || isRestarted || running.includes(status);
}

function isAdSetActive(
  { platformAdSetId, status, platformStatus, isPaused, removal }: CarrierAdSet,
  change: CarrierChange,
) {
  const isNamed = platformAdSetId === change.platformAdSetId;
  const isRestarted = change.restarts === 'campaign' || (change.restarts === 'ad_set' && isNamed);
  if (removal || (platformStatus !== 'paused' && staysInactive(platformStatus, isRestarted))) return false;
  if (isNamed && change.pauses === 'ad_set') return false;
  if (isNamed && change.activates === 'ad_set') return true;
  // Under a paused campaign the ad sets that are not paused themselves are read as paused too.
  if (change.activates === 'campaign') return isPaused !== true;
  if (platformStatus === 'paused' || isPaused === true) return false;
  if (isRestarted && status === 'completed') return true;
  return running.includes(status) || (isNamed && change.activates === 'ad');
}

/** The recorded campaign with its ad sets; null if it is not recorded. */
export async function carrierTreeOf(db: Db, campaignRef: string): Promise<CarrierTree | null> {
  const campaign = await db.campaigns.findOne({ _id: campaignRef }, fields).lean();
  if (!campaign) return null;
  return { campaign, adSets: await adSetsOf(db, [campaignRef]) };
}

/** The recorded active budgets that count for a limit, without those of campaigns that are being created. */
export async function recordedActiveBudgets(
  db: Db,
  { userId, campaigns: filter }: Limited,
  isBeingCreated: (campaign: CarrierCampaign) => boolean,
): Promise<ActiveBudget[]> {
  const found = await db.campaigns.find({ userId, status: { $in: running }, ...filter }, fields).lean();
  const campaigns = found.filter((campaign) => !isBeingCreated(campaign) && !isInactive(campaign.platformStatus));
  const adSets = await adSetsOf(
    db,
    campaigns.filter(({ budget }) => !budget).map(({ _id }) => _id),
  );
  const byCampaign = grouped(adSets, ({ campaignRef }) => campaignRef);
  // A budget that is not known cannot be counted.
  return campaigns.flatMap((campaign) =>
    knownActiveBudgetsIn({ campaign, adSets: byCampaign.get(campaign._id) ?? [] }),
  );
}

const adSetsOf = (db: Db, campaignRefs: string[]): Promise<CarrierAdSet[]> =>
  campaignRefs.length === 0
    ? Promise.resolve([])
    : db.adSets.find({ campaignRef: { $in: campaignRefs } }, fields).lean();
