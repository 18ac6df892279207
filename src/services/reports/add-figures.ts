import { countedMetrics } from '../../contract/reporting/metrics.ts';
import type { Amount, Amounts } from './amounts.ts';
import { eventCodes, metricCodes, noEventsCode, optimisedForCode, valueOffset } from './figure-code.ts';

const countedMetricCodes = countedMetrics.map((metric) => metricCodes[metric]);
const eventCountCodes = Object.values(eventCodes);
/** A row that reports conversions has at least one of these. */
const reportedEventCodes = [noEventsCode, ...eventCountCodes];
const allEventCodes = [...reportedEventCodes, ...eventCountCodes.map((code) => code + valueOffset), optimisedForCode];

/** Adds the figures of a further day or object to a sum, in place. Reach is never added. */
export function addTo(total: Amounts, more: Amounts): void {
  const hasEvents = reportsEvents(total) && reportsEvents(more);
  if (total.get(optimisedForCode) !== more.get(optimisedForCode)) total.set(optimisedForCode, commonEvent(total, more));
  for (const code of countedMetricCodes) if (total.has(code)) total.add(code, more);
  total.set(metricCodes.reach, undefined);
  total.set(metricCodes.frequency, undefined);
  if (more.has(noEventsCode)) total.set(noEventsCode, 0);
  for (const code of eventCountCodes) if (more.has(code)) addEvent(total, more, code);
  if (!hasEvents) for (const code of allEventCodes) total.set(code, undefined);
}

/** Whether conversions were reported, even if there were none. */
export function reportsEvents(amounts: Amounts): boolean {
  for (const code of reportedEventCodes) if (amounts.has(code)) return true;
  return false;
}

/** An event that one day lacks did not happen on it. */
function addEvent(total: Amounts, more: Amounts, code: number): void {
  const isNew = !total.has(code);
  for (const part of [code, code + valueOffset]) {
    if (isNew) total.set(part, more.get(part));
    else total.add(part, more);
  }
}

export function hasConversions(amounts: Amounts): boolean {
  for (const code of eventCountCodes) {
    const count = amounts.number(code);
    if (count !== 0 && !Number.isNaN(count)) return true;
  }
  return false;
}

/** The event that the conversions of both count; one without conversions does not matter. */
const commonEvent = (a: Amounts, b: Amounts): Amount =>
  hasConversions(a) === hasConversions(b) ? undefined : (hasConversions(a) ? a : b).get(optimisedForCode);
