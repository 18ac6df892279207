export type Fields = Record<string, unknown>;

/** Drops undefined fields. */
export const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
