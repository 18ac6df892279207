export type Fields = Record<string, unknown>;

/** What is left out is not sent. */
export const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
