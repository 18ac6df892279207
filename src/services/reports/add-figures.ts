import { countedMetrics, type ConversionEvent } from '../../contract/reporting/metrics.ts';
import type { Figures } from '../../platforms/platform.ts';

type Amount = bigint | null | undefined;
type Events = NonNullable<Figures['events']>;

/** A part that is unknown makes the sum unknown. */
const sum = (a: Amount, b: Amount): Amount => {
  if (a === undefined || b === undefined) return undefined;
  return a === null || b === null ? null : a + b;
};

/** Adds the figures of a further day or object to a sum, in place. Reach is never added. */
export function addTo(total: Figures, more: Figures): void {
  if (total.optimisedFor !== more.optimisedFor) total.optimisedFor = commonEvent(total, more);
  for (const metric of countedMetrics) {
    const amount = total[metric];
    if (amount !== undefined) total[metric] = sum(amount, more[metric]);
  }
  total.reach = undefined;
  total.frequency = undefined;
  if (more.events) addEvents((total.events ??= {}), more.events);
}

/** The sum of two days, or of two objects. */
export function addFigures(a: Figures, b: Figures): Figures {
  const total = { ...a, events: a.events && { ...a.events } };
  addTo(total, b);
  return total;
}

export function hasConversions({ events }: Figures): boolean {
  for (const name in events) if (events[name as ConversionEvent]?.count !== 0n) return true;
  return false;
}

/** The event that the conversions of both count; one without conversions does not matter. */
const commonEvent = (a: Figures, b: Figures): ConversionEvent | undefined =>
  hasConversions(a) === hasConversions(b) ? undefined : (hasConversions(a) ? a : b).optimisedFor;

/** An event that one day lacks did not happen on it. */
function addEvents(total: Events, more: Events): void {
  for (const name in more) {
    const event = name as ConversionEvent;
    const [known, added] = [total[event], more[event]];
    if (!added) continue;
    if (known) total[event] = { count: known.count + added.count, value: sum(known.value, added.value) };
    else total[event] = added;
  }
}
