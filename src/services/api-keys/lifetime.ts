import { invalidField } from '../../contract/error.ts';
import type { Ctx } from '../context.ts';

const dayMs = 86_400_000;

/** The earlier of two expiry times; null means none. */
export const earlier = (one: Date | null | undefined, other: Date | null | undefined): Date | null =>
  [one, other].reduce<Date | null>((end, date) => (date && (end === null || date < end) ? date : end), null);

/** When a new key expires: as requested but no later than the key that creates it, and with that key by default. */
export function newKeyEnd({ clock, caller: { endsAt } }: Ctx, days: number | undefined): Date | null {
  if (days === undefined) return endsAt ?? null;
  const now = clock.now().getTime();
  const end = new Date(now + days * dayMs);
  if (!endsAt || end <= endsAt) return end;
  const most = Math.floor((endsAt.getTime() - now) / dayMs);
  const atMost = most > 0 ? `at most ${most}, or omitted` : 'omitted';
  const message = `must be ${atMost}: the key that creates this one expires at ${endsAt.toISOString()}`;
  throw invalidField('expiresIn', message);
}
