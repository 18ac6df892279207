import { countedMetrics, type ConversionEvent } from '../../contract/reporting/metrics.ts';
import type { Figures } from '../../platforms/platform.ts';

type Amount = bigint | null | undefined;

/** A part that is unknown makes the sum unknown. */
const sum = (a: Amount, b: Amount): Amount => {
  if (a === undefined || b === undefined) return undefined;
  return a === null || b === null ? null : a + b;
};

/** Adds the figures of two days, or of two objects. Reach is never added. */
export function addFigures(a: Figures, b: Figures): Figures {
  const added: Figures = {};
  for (const metric of countedMetrics) {
    const total = sum(a[metric], b[metric]);
    if (total !== undefined) added[metric] = total;
  }
  const events = addEvents(a.events, b.events);
  const optimisedFor = commonEvent(a, b);
  return { ...added, ...(events && { events }), ...(optimisedFor && { optimisedFor }) };
}

export const hasConversions = ({ events = {} }: Figures): boolean =>
  Object.values(events).some(({ count }) => count !== 0n);

/** The event that the conversions of both count; one without conversions does not matter. */
function commonEvent(a: Figures, b: Figures): ConversionEvent | undefined {
  if (hasConversions(a) !== hasConversions(b)) return (hasConversions(a) ? a : b).optimisedFor;
  return a.optimisedFor === b.optimisedFor ? a.optimisedFor : undefined;
}

/** An event that one day lacks did not happen on it. */
function addEvents(a: Figures['events'], b: Figures['events']): Figures['events'] {
  if (!a || !b) return a ?? b;
  const added = { ...a };
  for (const [name, { count, value }] of Object.entries(b)) {
    const event = name as keyof typeof added;
    const known = added[event];
    added[event] = known ? { count: known.count + count, ...valueOf(known, { count, value }) } : { count, value };
  }
  return added;
}

type Counted = { count: bigint; value?: Amount };

const valueOf = (a: Counted, b: Counted): { value?: bigint | null } => {
  const value = sum(a.value, b.value);
  return value === undefined ? {} : { value };
};
