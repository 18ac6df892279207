import { AppError } from '../../contract/error.ts';
import type { AccountDoc } from '../../models/account.ts';
import { carrierTreeOf } from '../budget-limits/active-budgets.ts';
import { budgetKeyOf } from '../budget-limits/parties.ts';
import { campaignRefOf } from '../campaigns/ids.ts';
import type { Ctx } from '../context.ts';

interface Place {
  account: AccountDoc;
  adAccount: { id: string };
}

/** Throws if the account, the ad account or the key is marked as stopped. Reads no database. */
export function requireNotMarked({ caller }: Pick<Ctx, 'caller'>, { account, adAccount }: Place): void {
  const stopId = account.stops?.['all'] ?? account.stops?.[adAccount.id] ?? caller.stopId;
  if (stopId !== undefined) throw stopped(stopId);
}

/** Throws if a stop is in force for a campaign or the key. The caller holds the lock of the campaign, as a stop does. */
export async function requireNotStopped(
  ctx: Ctx,
  { account, adAccount, campaignId }: Place & { campaignId: string },
): Promise<void> {
  const { db, caller } = ctx;
  const stops = await db.stops.find({ userId: account.userId, liftedAt: null }).limit(1000).lean();
  if (stops.length === 0) return;
  const campaign = await db.campaigns
    .findOne({ _id: campaignRefOf(account._id, campaignId) }, { budgetKeyId: 1 })
    .lean();
  const keys = [budgetKeyOf(caller), campaign?.budgetKeyId];
  const found = stops.find(
    ({ accountId, adAccountId, budgetKeyId }) =>
      accountId === account._id || adAccountId === adAccount.id || (budgetKeyId !== null && keys.includes(budgetKeyId)),
  );
  if (found) throw stopped(found._id);
}

/** Throws if a stop is in force for a campaign of which a part has ended: a later end lets it run again. */
export async function requireEndedNotStopped(ctx: Ctx, place: Place & { campaignId: string }): Promise<void> {
  const tree = await carrierTreeOf(ctx.db, campaignRefOf(place.account._id, place.campaignId));
  const parts = tree ? [tree.campaign, ...tree.adSets] : [];
  if (parts.some(({ platformStatus }) => platformStatus === 'completed')) await requireNotStopped(ctx, place);
}

const stopped = (stopId: string): AppError =>
  new AppError(
    'stop_in_force',
    `Emergency stop ${stopId} is in force, so nothing can be activated here; liftStop (POST /v1/stops/${stopId}/lift) lifts it`,
    { details: { stopId }, holdsKey: false },
  );
