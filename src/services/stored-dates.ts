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
  /** As callers see it. */
  instant: <D extends Stored>(doc: D, path: Path<D>, value?: unknown) => string;
  /** Null if there is none. */
  instantOrNull: <D extends Stored>(doc: D, path: Path<D>, value?: unknown) => string | null;
  /** In milliseconds; undefined if there is none. */
  time: <D extends Stored>(doc: D, path: Path<D>) => number | undefined;
}

/** A damaged date counts as 1970. */
const shownIfDamaged = new Date(0).toISOString();

export function storedDates(collection: string): StoredDates {
  const instant: StoredDates['instant'] = (doc, path, value = doc[path as keyof typeof doc]) => {
    try {
      return (value as Date).toISOString();
    } catch {
      damagedDateRead.emit({ collection, id: doc._id, path, value: shortened(String(value), 50) });
      return shownIfDamaged;
    }
  };
  const instantOrNull: StoredDates['instantOrNull'] = (doc, path, value = doc[path as keyof typeof doc]) =>
    value === null || value === undefined ? null : instant(doc, path, value);
  const time: StoredDates['time'] = (doc, path) => {
    const text = instantOrNull(doc, path);
    return text === null ? undefined : Date.parse(text);
  };
  return { instant, instantOrNull, time };
}
