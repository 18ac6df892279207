const minute = 60_000;
const day = 86_400_000;
/** A token that lives longer than this is renewed a week ahead, any other ten minutes. */
const longLifeMs = 14 * day;

/** When to renew a token that ends then, so that no call ever meets its end. */
export function refreshTime(endsAt: Date, now: Date): Date {
  const lead = endsAt.getTime() - now.getTime() > longLifeMs ? 7 * day : 10 * minute;
  return new Date(endsAt.getTime() - lead);
}
