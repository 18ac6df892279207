import type { UpdateSource } from '../../contract/event.ts';
import type { Db } from '../../models/db.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import type { Author } from '../../models/activity.ts';
import { takeSteps } from '../activity/sent-steps.ts';
import { levelActivity } from '../activity/level-activity.ts';
import { withCurrency } from '../ads/currency.ts';
import type { Services } from '../context.ts';
import { changedPaths, unchangedSince, updatedEvent, type Kind, type Records, type Values } from './updated-event.ts';

interface Collection<D> {
  find: (filter: object, fields: object) => { lean: () => Promise<D[]> };
  bulkWrite: (writes: object[], options: { ordered: true }) => Promise<unknown>;
}

interface Change {
  filter: object;
  values: Values;
  source?: UpdateSource;
  /** Who asked for it, if the activity trail names these records as changed. */
  author?: Author;
}

/**
 * Sets values of records, each change with its event and its entry of the activity trail in the same write: one read and
 * one write for all of them.
 * Returns the records as they were.
 */
export async function setValues<K extends Kind>(
  services: Pick<Services, 'db' | 'clock' | 'wakeRelay'>,
  kind: K,
  { filter, values, source = 'api', author }: Change,
): Promise<Records[K][]> {
  const collection = collectionOf(services.db, kind);
  const before = await withCurrency(
    services,
    await collection.find(filter, { order: 0, steps: 0, pendingEvents: 0 }).lean(),
  );
  const updatedAt = services.clock.now();
  const by = author && { values, author, at: updatedAt, steps: takeSteps() };
  const update = updateOf({ ...values, updatedAt });
  const writeOf = (doc: Records[K], condition: object, items: PendingEvent[]): object => ({
    updateOne: {
      filter: { ...filter, _id: doc._id, ...condition },
      update: { ...update, $push: { pendingEvents: { $each: items } } },
    },
  });
  const moved = before.flatMap((doc) => {
    const paths = changedPaths(doc, values, source);
    const entries = by ? [levelActivity(kind, doc, by)] : [];
    const event = updatedEvent(kind, { ...withValues(doc, values), updatedAt }, { paths, source });
    return [
      ...(paths.length > 0 ? [writeOf(doc, unchangedSince(doc, paths), [event, ...entries])] : []),
      // Also if nothing differs, or if a discovery has read it meanwhile.
      ...entries.map((entry) => writeOf(doc, { 'pendingEvents.eventId': { $ne: entry.eventId } }, [entry])),
    ];
  });
  // What a discovery read meanwhile has its event already, and is set all the same.
  await collection.bulkWrite([...moved, { updateMany: { filter, update } }], { ordered: true });
  if (moved.length > 0) services.wakeRelay();
  return before;
}

const collectionOf = <K extends Kind>({ ads, adSets, campaigns }: Db, kind: K): Collection<Records[K]> =>
  ({ ad: ads, ad_set: adSets, campaign: campaigns })[kind] as unknown as Collection<Records[K]>;

function updateOf(values: Values): object {
  const isKept = ([, value]: [string, unknown]): boolean => value !== undefined;
  const entries = Object.entries(values);
  const removed = entries.filter((entry) => !isKept(entry)).map(([path]) => [path, 1]);
  return {
    $set: Object.fromEntries(entries.filter(isKept)),
    ...(removed.length > 0 && { $unset: Object.fromEntries(removed) as object }),
  };
}

/** A copy of a record with new values at paths of one or two names. */
function withValues<D extends object>(record: D, values: Values): D {
  const after = { ...record } as Record<string, unknown>;
  for (const [path, value] of Object.entries(values)) {
    const [name = '', member] = path.split('.');
    after[name] = member === undefined ? value : { ...(after[name] as object), [member]: value };
  }
  return after as D;
}
