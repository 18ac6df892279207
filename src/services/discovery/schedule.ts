import { sha256 } from '../../lib/hash.ts';
import { writeAll } from '../../models/driver.ts';
import type { Services } from '../context.ts';
import type { WorkQuery } from '../durable/find-work.ts';
import { requestDiscoveries } from './request-discovery.ts';

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

/**
 * Requests the discoveries that are due: of new connections at once, then once in every interval. The request comes before the
 * next slot, so that a crash between them loses none; the repetition requests nothing.
 */
export async function requestDueDiscoveries(services: Services, everyMs: number): Promise<number> {
  const { db, clock } = services;
  const now = clock.now();
  const due = await db.accounts.find(dueAccounts(now), { userId: 1, profileId: 1, discoverAt: 1 }).limit(batch).lean();
  if (due.length === 0) return 0;
  await requestDiscoveries(services, due);
  const slots = due.map(({ _id, discoverAt }) => ({
    updateOne: { filter: { _id, discoverAt }, update: { $set: { discoverAt: nextSlot(_id, now, everyMs) } } },
  }));
  await writeAll(db.accounts, slots);
  return due.length;
}

/** Every account has a place of its own in the interval, so that they do not all come at once. */
export function nextSlot(accountId: string, now: Date, everyMs: number): Date {
  const place = Number.parseInt(sha256(accountId).slice(0, 12), 16) % everyMs;
  const round = Math.floor((now.getTime() - place) / everyMs) + 1;
  return new Date(round * everyMs + place);
}
