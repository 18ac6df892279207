import { invalidInput } from '../../contract/error.ts';
import type { Ctx } from '../context.ts';

const dayMs = 86_400_000;

/** The earlier of two ends; null is no end. */
export const earlier = (one: Date | null | undefined, other: Date | null | undefined): Date | null =>
  [one, other].reduce<Date | null>((end, date) => (date && (end === null || date < end) ? date : end), null);

/** When a new key ends: as asked, never later than the key that makes it, and with it if nothing is asked. */
export function newKeyEnd({ clock, caller: { endsAt } }: Ctx, days: number | undefined): Date | null {
  if (days === undefined) return endsAt ?? null;
  const now = clock.now().getTime();
  const end = new Date(now + days * dayMs);
  if (!endsAt || end <= endsAt) return end;
  const most = Math.floor((endsAt.getTime() - now) / dayMs);
  const atMost = most > 0 ? `at most ${most}, or left out` : 'left out';
  const message = `must be ${atMost} for the same end: the key that makes this one ends at ${endsAt.toISOString()}`;
  throw invalidInput([{ code: 'invalid_field_value', path: 'expiresIn', message }]);
}
