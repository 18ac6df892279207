/** The own property of a table under an external name; inherited names such as `constructor` have none. */
export const own = <T>(table: Readonly<Record<string, T>>, name: string | number): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
