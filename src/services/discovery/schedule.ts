import { sha256 } from '../../lib/hash.ts';
import type { Services } from '../context.ts';
import type { WorkQuery } from '../durable/find-work.ts';
import { requestDiscovery } from './request-discovery.ts';

const batch = 100;

const dueAccounts = (now: Date) => ({
  isActive: true,
  adsConnected: true,
  needsReconnect: false,
  discoverAt: { $lte: now },
});

export const scheduledDiscoveryWork = ({ db, clock }: Pick<Services, 'db' | 'clock'>): WorkQuery[] => [
  { source: db.accounts, filter: dueAccounts(clock.now()) },
];

/** Asks for the discoveries that are due of themselves: of new connections at once, then once in every interval. */
export async function requestDueDiscoveries(services: Services, everyMs: number): Promise<number> {
  const { db, clock } = services;
  const now = clock.now();
  const due = await db.accounts.find(dueAccounts(now)).limit(batch).lean();
  for (const account of due) {
    const discoverAt = nextSlot(account._id, now, everyMs);
    const { modifiedCount } = await db.accounts.updateOne(
      { _id: account._id, discoverAt: account.discoverAt },
      { $set: { discoverAt } },
      { timestamps: false },
    );
    if (modifiedCount > 0) await requestDiscovery(services, account);
  }
  return due.length;
}

/** Every account has a place of its own in the interval, so that they do not all come at once. */
export function nextSlot(accountId: string, now: Date, everyMs: number): Date {
  const place = Number.parseInt(sha256(accountId).slice(0, 12), 16) % everyMs;
  const round = Math.floor((now.getTime() - place) / everyMs) + 1;
  return new Date(round * everyMs + place);
}
