import type { Integers } from './integers.ts';
import type { RowTable } from './row-table.ts';

interface Keys {
  /** A number for each row, such as that of its date. */
  numbers: Integers;
  /** The key of each number. */
  keyOf: readonly number[];
  keys: number;
}

/** Groups rows by small integers. The groups are parts of one array, in which each keeps the order of its rows. */
export function groupRows(
  rows: Uint32Array,
  { numbers, keyOf, keys }: Keys,
): { placed: Uint32Array; groups: Uint32Array[] } {
  const next = new Uint32Array(keys + 1);
  const keyed = Uint32Array.from(keyOf);
  const numberOf = numbers.all();
  for (const row of rows) next[keyed[numberOf[row]!]! + 1]! += 1;
  for (let key = 0; key < keys; key++) next[key + 1]! += next[key]!;
  const starts = next.slice();
  const placed = new Uint32Array(rows.length);
  for (const row of rows) placed[next[keyed[numberOf[row]!]!]!++] = row;
  return { placed, groups: Array.from({ length: keys }, (_, key) => placed.subarray(starts[key], starts[key + 1])) };
}

/** Sorts rows by date. Those of a date keep their order; a table has few dates. */
export function sortedByDate(table: RowTable, rows: Uint32Array, isDescending = false): Uint32Array {
  const sorted = table.dates.map((date) => date ?? '').toSorted();
  if (isDescending) sorted.reverse();
  const ranks = table.dates.map((date) => sorted.indexOf(date ?? ''));
  return groupRows(rows, { numbers: table.dateOf, keyOf: ranks, keys: sorted.length }).placed;
}

/** Groups rows by the id of their object. */
export function groupByObject(
  table: RowTable,
  rows: Uint32Array,
): { placed: Uint32Array; groups: Map<string, Uint32Array> } {
  const numbers = new Map<string, number>();
  const groupOf = table.objects.map(({ platformId }) => {
    if (!numbers.has(platformId)) numbers.set(platformId, numbers.size);
    return numbers.get(platformId) ?? 0;
  });
  const { placed, groups } = groupRows(rows, { numbers: table.objectOf, keyOf: groupOf, keys: numbers.size });
  return { placed, groups: new Map([...numbers].map(([platformId, group]) => [platformId, groups[group]!])) };
}
