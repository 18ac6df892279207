/** Some platforms start a new ad only in a minute or two; its figures begin at once, so that they can be seen. */
const soonMs = 5 * 60_000;

/** Whether an ad with this start, in milliseconds, has figures; without one it has started. */
export const hasStarted = (start: number | undefined): boolean => start === undefined || !(start > Date.now() + soonMs);
