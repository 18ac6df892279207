/** Returns the earlier of two times, of which either may be missing. */
export const earlierOf = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one && other ? (one < other ? one : other) : (one ?? other);
