/** `npm run check` tries everything; `npm test` tries a sample of what is repeated, random or exhaustive. */
const isExhaustive = process.env['EXHAUSTIVE'] === '1';

/** How often something is repeated. */
export const repeats = (few: number, all: number): number => (isExhaustive ? all : few);

/** The first, the last and some of the others, chosen at random; all of them in `npm run check`. */
export function sampleOf<T>(items: readonly T[], few: number): T[] {
  if (isExhaustive || items.length <= few) return [...items];
  const between = items.slice(1, -1).map((item) => ({ item, at: Math.random() }));
  const chosen = new Set(
    between
      .toSorted((a, b) => a.at - b.at)
      .slice(0, few - 2)
      .map(({ item }) => item),
  );
  return items.filter((item, at) => at === 0 || at === items.length - 1 || chosen.has(item));
}
