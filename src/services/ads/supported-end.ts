import type { Warning } from '../../contract/common.ts';
import type { AdAccount, AdsAdapter } from '../../platforms/platform.ts';

interface Ending extends Pick<AdsAdapter, 'supportedEnd'> {
  adAccount: AdAccount;
  now: Date;
}

/** Moves the end to one that the platform supports, with a warning. An end that would be past then stays, to be rejected. */
export function withSupportedEnd<T extends { endDate?: string | null }>(
  change: T,
  { supportedEnd, adAccount, now }: Ending,
): { input: T; warnings: Warning[] } {
  const requested = change.endDate ? new Date(change.endDate) : undefined;
  const end = requested && supportedEnd?.(requested, adAccount);
  // A fraction of a second is not worth a warning.
  if (!end || end <= now || requested.getTime() - end.getTime() < 1000) return { input: change, warnings: [] };
  const endDate = end.toISOString();
  const message = `is moved to ${endDate}: ${dailyEnd(adAccount)}`;
  return { input: { ...change, endDate }, warnings: [{ param: 'endDate', message }] };
}

/** Why an end is too early for a run that starts now or later. */
export function endProblem(
  endDate: string,
  { supportedEnd, adAccount, now, start = now }: Ending & { start?: Date },
): string | undefined {
  const requested = new Date(endDate);
  if (requested <= now) return 'must be in the future';
  const from = start > now ? start : now;
  if (requested <= from) return `must be after the start, which is ${from.toISOString()}`;
  if (!supportedEnd || supportedEnd(requested, adAccount) >= from) return undefined;
  const earliest = supportedEnd(new Date(from.getTime() + dayMs), adAccount).toISOString();
  return `must be ${earliest} or later: ${dailyEnd(adAccount)}`;
}

const dayMs = 86_400_000;

const dailyEnd = ({ timezone = 'UTC' }: AdAccount): string =>
  `campaigns of this platform end at the end of a day of the ad account (${timezone})`;
