import { countedMetrics } from '../../contract/reporting/metrics.ts';
import { plus } from './exact.ts';
import {
  eventCodes,
  metricCodes,
  noEventsCode,
  optimisedForCode,
  valueOffset,
  type Amount,
  type Amounts,
} from './figure-code.ts';

const countedCodes = countedMetrics.map((metric) => metricCodes[metric]);
const countCodes = Object.values(eventCodes);

/** A part that is unknown makes the sum unknown. */
const sum = (a: Amount, b: Amount): Amount => {
  if (a === undefined || b === undefined) return undefined;
  return a === null || b === null ? null : plus(a, b);
};

/** Adds the figures of a further day or object to a sum, in place. Reach is never added. */
export function addTo(total: Amounts, more: Amounts): void {
  if (total[optimisedForCode] !== more[optimisedForCode]) total[optimisedForCode] = commonEvent(total, more);
  for (const code of countedCodes) {
    const amount = total[code];
    if (amount !== undefined) total[code] = sum(amount, more[code]);
  }
  total[metricCodes.reach] = undefined;
  total[metricCodes.frequency] = undefined;
  total[noEventsCode] ??= more[noEventsCode];
  for (const code of countCodes) if (more[code] !== undefined) addEvent(total, more, code);
}

/** An event that one day lacks did not happen on it. */
function addEvent(total: Amounts, more: Amounts, code: number): void {
  const value = code + valueOffset;
  const isNew = total[code] === undefined;
  total[code] = isNew ? more[code] : sum(total[code], more[code]);
  total[value] = isNew ? more[value] : sum(total[value], more[value]);
}

export function hasConversions(amounts: Amounts): boolean {
  for (const code of countCodes) {
    const count = amounts[code];
    if (count !== undefined && count !== 0) return true;
  }
  return false;
}

/** The event that the conversions of both count; one without conversions does not matter. */
const commonEvent = (a: Amounts, b: Amounts): Amount =>
  hasConversions(a) === hasConversions(b) ? undefined : (hasConversions(a) ? a : b)[optimisedForCode];
