import { damagedDateRead } from './events.ts';
import type { Log } from './log.ts';

/** So that a damaged collection fills neither the memory nor the log. */
const maxLogged = 1_000;

/** Logs each damaged date once. Returns a function that ends it. */
export function logDamagedDates(log: Log): () => void {
  const logged = new Set<string>();
  return damagedDateRead.on((read) => {
    const place = `${read.collection} ${read.id} ${read.path}`;
    if (logged.has(place) || logged.size >= maxLogged) return;
    logged.add(place);
    log.error(read, 'a stored date is damaged');
  });
}
