import type { Db } from '../../models/db.ts';
import type { PendingEvent } from '../../models/pending-event.ts';

const batch = 100;

export interface Announcer {
  _id: string;
  userId: string;
  pendingEvents?: PendingEvent[];
}

interface Found {
  sort: (order: object) => Found;
  limit: (count: number) => { lean: () => Promise<Announcer[]> };
}

export interface Source {
  find: (filter: object, fields?: object) => Found;
  bulkWrite: (operations: object[], options?: object) => Promise<unknown>;
  /** Past the schema. */
  collection: { updateOne: (filter: object, update: object) => Promise<unknown> };
}

/** Documents of one collection, each with those of its announcements whose turn it is. */
export interface Share {
  source: Source;
  found: Announcer[];
}

/** One announcement and where it stands. */
export interface Announced extends PendingEvent {
  userId: string;
  source: Source;
  announcerId: string;
  /** Since when the store refuses it. */
  refusedAt?: Date;
}

export const announcedOf = ({ source, found }: Share): Announced[] =>
  found.flatMap(({ _id: announcerId, userId, pendingEvents = [] }) =>
    pendingEvents.map((event) => ({ ...event, userId, source, announcerId })),
  );

/** Collections that carry an outbox (`pendingEvents`). */
export const announcers = ({ accounts, ads, apiKeys, campaignDiscoveries, duplications, webhooks }: Db): Source[] =>
  [accounts, ads, apiKeys, campaignDiscoveries, duplications, webhooks] as unknown as Source[];

/**
 * Reads the oldest outbox events across all collections; nothing omitted is older than anything returned. What is ordered
 * strictly must not be overtaken by what another collection tells of.
 */
export async function readAnnounced(db: Db): Promise<{ shares: Share[]; isAll: boolean }> {
  const shares = await Promise.all(
    announcers(db).map(async (source): Promise<Share> => {
      const told = source.find({ 'pendingEvents.0': { $exists: true } }, { userId: 1, pendingEvents: 1 });
      return { source, found: await told.sort({ 'pendingEvents.0.at': 1 }).limit(batch).lean() };
    }),
  );
  const ends = shares.flatMap(({ found }) =>
    found.length === batch ? (found.at(-1)?.pendingEvents?.[0]?.at ?? []) : [],
  );
  if (ends.length === 0) return { shares, isAll: true };
  // Beyond the end of a full batch its collection has more, which nobody has seen yet.
  const horizon = Math.min(...ends.map((at) => at.getTime()));
  return { shares: shares.map((share) => upTo(share, horizon)), isAll: false };
}

const upTo = ({ source, found }: Share, horizon: number): Share => ({
  source,
  found: found.flatMap(({ pendingEvents = [], ...announcer }) => {
    const due = pendingEvents.filter(({ at }) => at.getTime() <= horizon);
    return due.length > 0 ? [{ ...announcer, pendingEvents: due }] : [];
  }),
});
