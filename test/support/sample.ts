/** `npm run check` tries everything; `npm test` tries a sample of what is repeated, random or exhaustive. */
export const isExhaustive = process.env['EXHAUSTIVE'] === '1';

/** How often something is repeated. */
export const repeats = (few: number, all: number): number => (isExhaustive ? all : few);

/** The first and others at even distances; all of them in `npm run check`. */
export function sampleOf<T>(items: readonly T[], few: number): T[] {
  const count = isExhaustive ? items.length : Math.min(few, items.length);
  return Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)]!);
}
