import type { AdSetDoc } from '../../models/ad-set.ts';
import type { BudgetLedgerDoc, BudgetReservation } from '../../models/budget-ledger.ts';
import type { CampaignDoc } from '../../models/campaign.ts';
import type { Db } from '../../models/db.ts';
import type { Services } from '../context.ts';
import { storedDates, type StoredDates } from '../stored-dates.ts';
import { adSetCarrier } from './active-budgets.ts';

/** A reservation with a damaged date goes on counting: it is as new as any. */
const ofLedger = storedDates('budget_ledgers', new Date(8_640_000_000_000_000));
const ofCampaign = storedDates('campaigns');
const ofAdSet = storedDates('ad_sets');

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
  ledger: BudgetLedgerDoc | null,
): Promise<OpenReservations> {
  const reservations = ledger?.reservations ?? [];
  const atOf = ({ at }: BudgetReservation): number =>
    ofLedger.date(ledger as BudgetLedgerDoc, 'reservations.at', at).getTime();
  const orders = reservationIds(reservations, 'order');
  const copies = reservationIds(reservations, 'copy');
  const changed = reservations.filter(({ kind }) => kind === 'change');
  const [ads, duplications, stateOf] = await Promise.all([
    orders.length === 0
      ? []
      : db.ads.find({ _id: { $in: orders }, status: { $in: ['creating', 'unconfirmed'] } }, { _id: 1 }).lean(),
    copies.length === 0 ? [] : db.duplications.find({ _id: { $in: copies } }, { status: 1 }).lean(),
    changeStates(db, changed, atOf),
  ]);
  const running = duplications.filter(({ status }) => status === 'running');
  const open = new Set([...ads, ...running].map(({ _id }) => _id));
  const ended = new Set(duplications.filter((one) => !running.includes(one)).map(({ _id }) => _id));
  const isOpen = (reservation: BudgetReservation): boolean => {
    const { kind, id } = reservation;
    if (kind === 'order') return open.has(id);
    // A copy is stored right after its reservation.
    const isNew = clock.now().getTime() - atOf(reservation) < inFlightMs;
    if (kind === 'copy') return open.has(id) || (isNew && !ended.has(id));
    return stateOf(reservation) === 'open';
  };
  return {
    counted: reservations.filter(isOpen),
    paused: changed.filter((change) => stateOf(change) === 'paused'),
  };
}

/** Until when the budget of a record is known; always, if it was removed. */
const knownAt = (record: Pick<CampaignDoc | AdSetDoc, '_id' | 'readAt' | 'removal'>, { time }: StoredDates): number =>
  record.removal ? Number.POSITIVE_INFINITY : (time(record, 'readAt') ?? 0);

type State = 'open' | 'paused' | 'finished';

/** What the records show of changes: one is finished if its campaign was removed, or read since with its budgets. */
async function changeStates(
  db: Db,
  changes: BudgetReservation[],
  atOf: (change: BudgetReservation) => number,
): Promise<(change: BudgetReservation) => State> {
  if (changes.length === 0) return () => 'finished';
  const ids = changes.map(({ id }) => id);
  const [campaigns, adSets] = await Promise.all([
    db.campaigns.find({ _id: { $in: ids } }, { readAt: 1, pausedAt: 1, platformStatus: 1, removal: 1 }).lean(),
    db.adSets.find({ campaignRef: { $in: ids } }, { readAt: 1, removal: 1, adPlatform: 1, platformAdSetId: 1 }).lean(),
  ]);
  const byId = new Map(campaigns.map((campaign) => [campaign._id, campaign]));
  const byCarrier = new Map(adSets.map((adSet) => [adSetCarrier(adSet), adSet]));
  return (change) => {
    const campaign = byId.get(change.id);
    if (!campaign) return 'open';
    const at = atOf(change);
    // A campaign says nothing about the budget of an ad set that could not be read.
    const withBudget = change.budgets.flatMap(({ carrier }) => byCarrier.get(carrier) ?? []);
    const known = [knownAt(campaign, ofCampaign), ...withBudget.map((adSet) => knownAt(adSet, ofAdSet))];
    if (campaign.removal || Math.min(...known) > at + inFlightMs) return 'finished';
    const isPaused = campaign.platformStatus === 'paused' && (ofCampaign.time(campaign, 'pausedAt') ?? 0) > at;
    return isPaused ? 'paused' : 'open';
  };
}
