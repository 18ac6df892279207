/** Retry schedule and circuit-breaker schedule, in seconds, from configuration. */
export interface DeliveryTimes {
  /** Wait before each attempt of a delivery, including the first. */
  retrySchedule: number[];
  /** Wait before each probe once the circuit is open; an empty list disables the circuit breaker. */
  breakerSchedule: number[];
  failureLimit: number;
  timeoutMs: number;
}

/** With strict ordering later deliveries wait for each one, but never longer than a day. */
const strictSeconds = 86_400;

/** The schedule of one webhook: strict ordering has a shorter one. */
export function timesFor({ ordering }: { ordering: 'none' | 'strict' }, times: DeliveryTimes): DeliveryTimes {
  if (ordering === 'none') return times;
  let sum = 0;
  const retrySchedule = times.retrySchedule.filter((step) => (sum += step) <= strictSeconds);
  return { ...times, retrySchedule };
}

/** Failures after which only probes are sent. */
export const breakerFailures = 3;

/** Statuses that rarely recover get a shorter retry schedule. */
const cappedStatuses = new Set([400, 401, 403, 404, 405, 422]);
const cappedAttempts = 5;
const maxWaitSeconds = 86_400;
/** A delivery older than this has failed, whatever its retry schedule. */
export const expiryMs = 100 * 3_600_000;

export interface Outcome {
  status: number | null;
  errorClass: string | null;
  /** The receiver's Retry-After, in seconds. */
  retryAfter?: number;
}

/** Maximum attempts of a failing delivery. */
export const attemptsFor = ({ status }: Outcome, { retrySchedule }: DeliveryTimes): number =>
  status !== null && cappedStatuses.has(status) ? Math.min(cappedAttempts, retrySchedule.length) : retrySchedule.length;

/**
 * Seconds until the next attempt after `failures` failed ones; undefined at the end of the schedule. Short delays vary
 * by a fifth, long ones by almost a third, so that retries after an outage are spread.
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
  const asked = Math.min(outcome.retryAfter ?? 0, maxWaitSeconds);
  return Math.max(wait, asked);
}

/** Seconds until the next probe after a number of failures; undefined while the circuit is closed. */
export const probeWait = (failures: number, { breakerSchedule }: DeliveryTimes): number | undefined =>
  failures < breakerFailures || breakerSchedule.length === 0
    ? undefined
    : breakerSchedule[Math.min(failures - breakerFailures, breakerSchedule.length - 1)];
