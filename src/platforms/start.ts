import type { AdOrder } from './platform.ts';

/** The requested start if it is still ahead; undefined if the ad starts at once. */
export function pendingStart({ input: { startDate } }: Pick<AdOrder, 'input'>, now: Date): Date | undefined {
  const start = startDate === undefined ? undefined : new Date(startDate);
  return start && start > now ? start : undefined;
}

/** When an ad starts that has a requested start; an order that came too late starts at once. */
export const recordedStart = (order: Pick<AdOrder, 'input'>, now: Date): Date | undefined =>
  order.input.startDate === undefined ? undefined : (pendingStart(order, now) ?? wholeSecond(now));

/** The start for a platform that requires one: the requested one, or now plus the lead that the platform needs. */
export function startAfter(order: Pick<AdOrder, 'input'>, now: Date, leadMs = 0): Date {
  const earliest = new Date(now.getTime() + leadMs);
  return pendingStart(order, earliest) ?? wholeSecond(earliest);
}

const wholeSecond = (instant: Date): Date => new Date(Math.ceil(instant.getTime() / 1000) * 1000);
