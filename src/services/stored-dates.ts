import { shortened } from '../contract/error.ts';
import { damagedDateRead } from '../telemetry/events.ts';

interface Stored {
  _id: string;
}

type Path<D> = (keyof D & string) | `${string}.${string}`;

/**
 * The dates of the documents of one collection. A damaged date neither fails the request nor hides the record.
 * `value` is what stands at a path that is not a member of the document.
 */
export interface StoredDates {
  /** For calculations and copies. */
  date: <D extends Stored>(doc: D, path: Path<D>, value?: unknown) => Date;
  /** Null if there is none. */
  dateOrNull: <D extends Stored>(doc: D, path: Path<D>, value?: unknown) => Date | null;
  /** As callers see it. */
  instant: <D extends Stored>(doc: D, path: Path<D>, value?: unknown) => string;
  /** Null if there is none. */
  instantOrNull: <D extends Stored>(doc: D, path: Path<D>, value?: unknown) => string | null;
  /** In milliseconds; undefined if there is none. */
  time: <D extends Stored>(doc: D, path: Path<D>) => number | undefined;
}

/** A damaged date counts as 1970, or as `ifDamaged`. */
export function storedDates(collection: string, ifDamaged = new Date(0)): StoredDates {
  const date: StoredDates['date'] = (doc, path, value = doc[path as keyof typeof doc]) => {
    if (value instanceof Date && !Number.isNaN(value.getTime())) return value;
    damagedDateRead.emit({ collection, id: doc._id, path, value: shortened(String(value), 50) });
    return ifDamaged;
  };
  const dateOrNull: StoredDates['dateOrNull'] = (doc, path, value = doc[path as keyof typeof doc]) =>
    value === null || value === undefined ? null : date(doc, path, value);
  const instant: StoredDates['instant'] = (doc, path, value) => date(doc, path, value).toISOString();
  const instantOrNull: StoredDates['instantOrNull'] = (doc, path, value) =>
    dateOrNull(doc, path, value)?.toISOString() ?? null;
  const time: StoredDates['time'] = (doc, path) => dateOrNull(doc, path)?.getTime();
  return { date, dateOrNull, instant, instantOrNull, time };
}
