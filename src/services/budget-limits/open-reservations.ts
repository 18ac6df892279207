import type { BudgetReservation } from '../../models/budget-ledger.ts';
import type { Services } from '../context.ts';

/** A request that was sent has reached the platform after this time. */
const inFlightMs = 60_000;

export const reservationIds = (reservations: BudgetReservation[], kind: BudgetReservation['kind']): string[] =>
  reservations.filter((one) => one.kind === kind).map(({ id }) => id);

/** The reservations whose outcome is not recorded. */
export async function openReservations(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  reservations: BudgetReservation[],
): Promise<BudgetReservation[]> {
  const orders = reservationIds(reservations, 'order');
  const copies = reservationIds(reservations, 'copy');
  const changed = reservationIds(reservations, 'change');
  const [ads, duplications, campaigns] = await Promise.all([
    orders.length === 0
      ? []
      : db.ads.find({ _id: { $in: orders }, status: { $in: ['creating', 'unconfirmed'] } }, { _id: 1 }).lean(),
    copies.length === 0 ? [] : db.duplications.find({ _id: { $in: copies } }, { status: 1 }).lean(),
    changed.length === 0
      ? []
      : db.campaigns
          .find({ _id: { $in: changed } }, { seenAt: 1, pausedByOwnerAt: 1, platformStatus: 1, removal: 1 })
          .lean(),
  ]);
  const running = duplications.filter(({ status }) => status === 'running');
  const open = new Set([...ads, ...running].map(({ _id }) => _id));
  const ended = new Set(duplications.filter((one) => !running.includes(one)).map(({ _id }) => _id));
  const records = new Map(campaigns.map((campaign) => [campaign._id, campaign]));
  const isOpen = ({ kind, id, at }: BudgetReservation): boolean => {
    if (kind === 'order') return open.has(id);
    // A copy is stored right after its reservation.
    const isNew = clock.now().getTime() - at.getTime() < inFlightMs;
    if (kind === 'copy') return open.has(id) || (isNew && !ended.has(id));
    const { seenAt, pausedByOwnerAt, platformStatus, removal } = records.get(id) ?? {};
    const isRead = seenAt !== undefined && seenAt.getTime() > at.getTime() + inFlightMs;
    // The request to pause is recorded before its outcome.
    const isPaused = pausedByOwnerAt && pausedByOwnerAt > at && platformStatus === 'paused';
    return !isRead && !removal && !isPaused;
  };
  return reservations.filter(isOpen);
}
