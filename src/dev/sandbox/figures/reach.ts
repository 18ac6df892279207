/** Everyone who can see the ads of an account. */
export const audience = 20_000;

/**
 * How many of the pseudo-people saw at least one of so many impressions, each shown to a random one: never more than
 * the impressions, and for several days or ads together less than the sum of each.
 */
export const reachOf = (impressions: number, people = audience): number =>
  Math.min(impressions, Math.ceil(people * (1 - Math.exp(-impressions / people))));

/** In millionths, at least one; null without impressions. */
export const frequencyOf = (impressions: number, people = audience): number | null =>
  impressions === 0 ? null : Math.round((impressions * 1_000_000) / reachOf(impressions, people));
