/** The entry of a table under a name from outside; `constructor` and other inherited names have none. */
export const own = <T>(table: Readonly<Record<string, T>>, name: string | number): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
