import type { AdSetDoc } from '../../models/ad-set.ts';
import type { BudgetReservation } from '../../models/budget-ledger.ts';
import type { CampaignDoc } from '../../models/campaign.ts';
import type { Db } from '../../models/db.ts';
import type { Services } from '../context.ts';
import { adSetCarrier } from './active-budgets.ts';

/** A request that was sent has reached the platform after this time. */
const inFlightMs = 60_000;

export const reservationIds = (reservations: BudgetReservation[], kind: BudgetReservation['kind']): string[] =>
  reservations.filter((one) => one.kind === kind).map(({ id }) => id);

export interface OpenReservations {
  counted: BudgetReservation[];
  /** Changes of campaigns that were paused since: they spend nothing until their campaign is resumed. */
  paused: BudgetReservation[];
}

/** The reservations whose outcome is not recorded. */
export async function openReservations(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  reservations: BudgetReservation[],
): Promise<OpenReservations> {
  const orders = reservationIds(reservations, 'order');
  const copies = reservationIds(reservations, 'copy');
  const changed = reservations.filter(({ kind }) => kind === 'change');
  const [ads, duplications, stateOf] = await Promise.all([
    orders.length === 0
      ? []
      : db.ads.find({ _id: { $in: orders }, status: { $in: ['creating', 'unconfirmed'] } }, { _id: 1 }).lean(),
    copies.length === 0 ? [] : db.duplications.find({ _id: { $in: copies } }, { status: 1 }).lean(),
    changeStates(db, changed),
  ]);
  const running = duplications.filter(({ status }) => status === 'running');
  const open = new Set([...ads, ...running].map(({ _id }) => _id));
  const ended = new Set(duplications.filter((one) => !running.includes(one)).map(({ _id }) => _id));
  const isOpen = (reservation: BudgetReservation): boolean => {
    const { kind, id, at } = reservation;
    if (kind === 'order') return open.has(id);
    // A copy is stored right after its reservation.
    const isNew = clock.now().getTime() - at.getTime() < inFlightMs;
    if (kind === 'copy') return open.has(id) || (isNew && !ended.has(id));
    return stateOf(reservation) === 'open';
  };
  return {
    counted: reservations.filter(isOpen),
    paused: changed.filter((change) => stateOf(change) === 'paused'),
  };
}

type Read = Pick<CampaignDoc | AdSetDoc, 'readAt' | 'removal'>;

type State = 'open' | 'paused' | 'finished';

/** What the records show of changes: one is finished if its campaign was removed, or read since with its budgets. */
async function changeStates(db: Db, changes: BudgetReservation[]): Promise<(change: BudgetReservation) => State> {
  if (changes.length === 0) return () => 'finished';
  const ids = changes.map(({ id }) => id);
  const [campaigns, adSets] = await Promise.all([
    db.campaigns.find({ _id: { $in: ids } }, { readAt: 1, pausedAt: 1, platformStatus: 1, removal: 1 }).lean(),
    db.adSets.find({ campaignRef: { $in: ids } }, { readAt: 1, removal: 1, adPlatform: 1, platformAdSetId: 1 }).lean(),
  ]);
  const byId = new Map(campaigns.map((campaign) => [campaign._id, campaign]));
  const byCarrier = new Map(adSets.map((adSet) => [adSetCarrier(adSet), adSet]));
  return ({ id, at, budgets }) => {
    const campaign = byId.get(id);
    if (!campaign) return 'open';
    const isKnown = ({ readAt, removal }: Read): boolean =>
      Boolean(removal) || (readAt !== undefined && readAt.getTime() > at.getTime() + inFlightMs);
    // A campaign says nothing about the budget of an ad set that could not be read.
    const withBudget = budgets.flatMap(({ carrier }) => byCarrier.get(carrier) ?? []);
    if (campaign.removal || [campaign, ...withBudget].every(isKnown)) return 'finished';
    const isPaused = campaign.platformStatus === 'paused' && campaign.pausedAt !== undefined && campaign.pausedAt > at;
    return isPaused ? 'paused' : 'open';
  };
}
