/** Retry schedule and circuit-breaker schedule, in seconds, from configuration. */
export interface DeliveryTimes {
  /** Wait before each attempt of a delivery, the first included. */
  retrySchedule: number[];
  /** Wait before each probe once an endpoint is spared; empty turns sparing off. */
  breakerSchedule: number[];
  failureLimit: number;
  timeoutMs: number;
}

/** A receiver that wants strict order waits for each delivery, but for none longer than a day. */
const strictSeconds = 86_400;

/** The times of one webhook: strict order has a shorter ladder. */
export function timesFor({ ordering }: { ordering: 'none' | 'strict' }, times: DeliveryTimes): DeliveryTimes {
  if (ordering === 'none') return times;
  let sum = 0;
  const retrySchedule = times.retrySchedule.filter((step) => (sum += step) <= strictSeconds);
  return { ...times, retrySchedule };
}

/** Strikes after which only probes are sent. */
export const breakerStrikes = 3;

/** Statuses that rarely recover get a shorter retry schedule. */
const cappedStatuses = new Set([400, 401, 403, 404, 405, 422]);
const cappedAttempts = 5;
const longestWaitSeconds = 86_400;
/** A delivery older than this has failed, whatever its ladder says. */
export const expiryMs = 100 * 3_600_000;

export interface Outcome {
  status: number | null;
  errorClass: string | null;
  /** What the receiver asked for, in seconds. */
  retryAfter?: number;
}

/** How many attempts a failing delivery gets. */
export const attemptsFor = ({ status }: Outcome, { retrySchedule }: DeliveryTimes): number =>
  status !== null && cappedStatuses.has(status) ? Math.min(cappedAttempts, retrySchedule.length) : retrySchedule.length;

/**
 * Seconds until the next attempt after `failures` failed ones; undefined at the end of the ladder. Short steps vary by a
 * fifth, long ones by almost a third, so that an outage does not end in one wave.
 */
export function nextWait(
  failures: number,
  outcome: Outcome,
  times: DeliveryTimes,
  random = Math.random,
): number | undefined {
  if (failures >= attemptsFor(outcome, times)) return undefined;
  const step = times.retrySchedule[failures] ?? 0;
  const spread = step < 300 ? 0.2 : 0.3;
  const wait = step * (1 + spread * (2 * random() - 1));
  const asked = Math.min(outcome.retryAfter ?? 0, longestWaitSeconds);
  return Math.max(wait, asked);
}

/** Seconds until the next probe after a number of strikes; undefined while the endpoint is not spared. */
export const probeWait = (strikes: number, { breakerSchedule }: DeliveryTimes): number | undefined =>
  strikes < breakerStrikes || breakerSchedule.length === 0
    ? undefined
    : breakerSchedule[Math.min(strikes - breakerStrikes, breakerSchedule.length - 1)];
