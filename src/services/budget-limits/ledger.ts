import { AppError } from '../../contract/error.ts';
import type { BudgetLedgerDoc, BudgetReservation } from '../../models/budget-ledger.ts';
import { isDuplicate } from '../../models/db.ts';
import type { Services } from '../context.ts';
import { requireSumWithin, usedBy } from './check.ts';
import { openReservations } from './open-reservations.ts';
import type { Limited } from './parties.ts';

const maxAttempts = 100;

/**
 * Reserves budgets under each limit, or throws and reserves nothing. An open reservation of an order or a copy stays as
 * it is. `mayBeSent` skips the check, because a budget that may be at the platform counts even above the limit.
 */
export async function reserve(
  services: Services,
  limited: Limited[],
  reservation: BudgetReservation,
  { mayBeSent = false } = {},
): Promise<void> {
  const done: Limited[] = [];
  for (const one of limitedBySum(limited)) {
    await reserveUnder(services, one, { reservation, mayBeSent }).catch(async (error: unknown) => {
      await release(services, done, filterOf(reservation));
      throw error;
    });
    done.push(one);
  }
}

/** Throws if the budgets would exceed a limit now; reserves nothing. */
export async function requireSumsWithin(
  services: Services,
  limited: Limited[],
  reservation: Omit<BudgetReservation, 'at'>,
): Promise<void> {
  for (const one of limitedBySum(limited)) {
    const ledger = await services.db.budgetLedgers.findById(one.ledgerId).lean();
    const { counted, paused } = await openReservations(services, ledger);
    const used = await usedBy(services, one, counted);
    requireSumWithin(one, { used, reservation: withPaused(reservation, paused) });
  }
}

/** Deletes the reservations that match, because their outcome is recorded. */
export async function release({ db }: Services, limited: Limited[], filter: object): Promise<void> {
  const change = { $pull: { reservations: filter }, $inc: { version: 1 } };
  for (const { ledgerId } of limitedBySum(limited))
    await db.budgetLedgers.updateOne({ _id: ledgerId }, change as object);
}

/** Filter of one reservation; earlier changes of the same campaign, whose outcome may be unknown, do not match. */
const filterOf = ({ id, attempt }: BudgetReservation): object => ({ id, ...(attempt !== undefined && { attempt }) });

const limitedBySum = (limited: Limited[]): Limited[] => limited.filter(({ limits }) => limits.maxActiveBudget !== null);

interface Attempt {
  reservation: BudgetReservation;
  mayBeSent: boolean;
}

function reserveUnder(services: Services, limited: Limited, attempt: Attempt): Promise<void> {
  const { ledgerId } = limited;
  const run = async (): Promise<void> => {
    for (let attempts = 0; attempts < maxAttempts; attempts += 1)
      if (await reserveOnce(services, limited, attempt)) return;
    throw new AppError(
      'temporarily_unavailable',
      'Too many requests change budgets under the same limit at once; retry the request',
    );
  };
  // The lock only avoids repetitions: the condition of the write enforces the limit.
  return services.withLock ? services.withLock(`budgets:${ledgerId}`, run) : run();
}

/** Returns false if another process changed the ledger meanwhile. */
async function reserveOnce(
  services: Services,
  limited: Limited,
  { reservation: asked, mayBeSent }: Attempt,
): Promise<boolean> {
  const ledger = await services.db.budgetLedgers.findById(limited.ledgerId).lean();
  // The records are read after the ledger, so that a budget that left it in between is found in them.
  const { counted, paused } = await openReservations(services, ledger);
  const open = [...counted, ...paused];
  const reservation = withPaused(asked, paused);
  const isKnown = reservation.kind !== 'change' && open.some(({ id }) => id === reservation.id);
  // Another process may have read the ledger while the reservation did not count, and drop it: its write must fail.
  if (isKnown) return put(services, limited, ledger, open);
  if (!mayBeSent) requireSumWithin(limited, { used: await usedBy(services, limited, counted), reservation });
  const covering = open.find((one) => covers(one, reservation));
  if (!covering) return put(services, limited, ledger, [...open, reservation]);
  const renewed = open.map((one) => (one === covering ? { ...one, at: reservation.at } : one));
  return put(services, limited, ledger, renewed);
}

/** A campaign that is resumed may have the budget of an earlier change whose outcome is unknown. */
const withPaused = <T extends Pick<BudgetReservation, 'id' | 'budgets'>>(
  reservation: T,
  paused: BudgetReservation[],
): T => {
  const own = paused.filter(({ id }) => id === reservation.id);
  return { ...reservation, budgets: [...reservation.budgets, ...own.flatMap(({ budgets }) => budgets)] };
};

/** Whether an open reservation contains that of a repeated change, which then needs none of its own. */
const covers = (one: BudgetReservation, { id, sets, budgets }: BudgetReservation): boolean =>
  one.id === id &&
  one.sets === sets &&
  budgets.every(({ carrier, amount }) => one.budgets.some((by) => by.carrier === carrier && by.amount >= amount));

async function put(
  { db }: Services,
  { ledgerId, userId }: Limited,
  seen: BudgetLedgerDoc | null,
  reservations: BudgetReservation[],
): Promise<boolean> {
  if (seen) {
    const change = { $set: { reservations, version: seen.version + 1 } };
    return (await db.budgetLedgers.updateOne({ _id: ledgerId, version: seen.version }, change)).matchedCount > 0;
  }
  try {
    await db.budgetLedgers.insertOne({ _id: ledgerId, userId, version: 1, reservations });
    return true;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return false;
  }
}
