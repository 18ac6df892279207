import type { DuplicationDoc, StoredCopyOptions } from '../../models/duplication.ts';
import { isCopyActive } from '../../platforms/platform.ts';
import { campaignRefOf } from '../campaigns/ids.ts';
import type { Ctx } from '../context.ts';
import { carrierTreeOf, isOn, type Active } from './active-budgets.ts';
import { budgetUnknown, requireEachWithin } from './check.ts';
import { release, requireRoom, reserve } from './ledger.ts';
import { limitedBy, type Spender } from './parties.ts';

interface Source {
  id: string;
  isActive: boolean;
}

export type PlannedCopy = Pick<DuplicationDoc, '_id' | 'sourceCampaignId' | 'options'> & {
  /** As it is read from the platform; the records if it is not yet. */
  tree?: { campaign: Source; adSets: Source[] };
};

/** Throws if the active budgets of a copy are not within the limits; reserves nothing. */
export async function requireCopyWithinLimits(ctx: Ctx, spender: Spender, copy: PlannedCopy): Promise<void> {
  const budgets = await activatedBy(ctx, spender, copy);
  if (budgets.length > 0) await requireRoom(ctx, limitedBy(ctx, spender), { id: copy._id, kind: 'copy', budgets });
}

/** Reserves the budgets that a copy activates. */
export async function reserveCopy(ctx: Ctx, spender: Spender, copy: PlannedCopy): Promise<void> {
  const budgets = await activatedBy(ctx, spender, copy);
  const reservation = { id: copy._id, kind: 'copy' as const, budgets, at: ctx.clock.now() };
  if (budgets.length > 0) await reserve(ctx, limitedBy(ctx, spender), reservation);
}

export const releaseCopy = (ctx: Ctx, spender: Spender, { _id }: Pick<PlannedCopy, '_id'>): Promise<void> =>
  release(ctx, limitedBy(ctx, spender), _id);

/** The budgets that a copy activates, each within its own limit. Without limits nothing is read. */
async function activatedBy(ctx: Ctx, spender: Spender, copy: PlannedCopy): Promise<Active[]> {
  const { account, adAccount } = spender;
  const { _id, sourceCampaignId, options, tree } = copy;
  const limited = limitedBy(ctx, spender);
  const [first] = limited;
  if (!first || options.statusOption === 'PAUSED') return [];
  const source = await carrierTreeOf(ctx.db, campaignRefOf(account._id, sourceCampaignId));
  if (!source) throw budgetUnknown(first, sourceCampaignId);
  const isActive = tree?.campaign.isActive ?? isOn(source.campaign);
  if (!isCopyActive(options, { isActive })) return [];
  const carried = source.campaign.budget
    ? [{ id: sourceCampaignId, budget: source.campaign.budget }]
    : adSetsOf(options, tree?.adSets, source.adSets);
  const budgets = carried.map(({ id, budget }) => {
    if (!budget) throw budgetUnknown(first, sourceCampaignId);
    return { carrier: `copy ${_id} ${id}`, ...budget };
  });
  requireEachWithin(limited, budgets, adAccount.currency);
  return budgets;
}

type Recorded = NonNullable<Awaited<ReturnType<typeof carrierTreeOf>>>['adSets'];

function adSetsOf(options: StoredCopyOptions, read: Source[] | undefined, recorded: Recorded) {
  if (!options.deepCopy) return [];
  const known = new Map(recorded.map((adSet) => [adSet.platformAdSetId, adSet]));
  const sources = read ?? recorded.map((adSet) => ({ id: adSet.platformAdSetId, isActive: isOn(adSet) }));
  return sources
    .filter((source) => isCopyActive(options, source))
    .map(({ id }) => ({ id, budget: known.get(id)?.budget ?? null }));
}
