import { cent, figureNames, noFigures, type Figures } from './figures.ts';
import { hashOf, mix } from './noise.ts';

/** A value of a breakdown with its weight, such as `female` or `unknown`. */
export interface Part {
  value: string;
  weight: number;
}

export interface Cell {
  values: readonly string[];
  figures: Figures;
}

/**
 * Splits figures into the cells of one or two dimensions. The cells add up to the figures exactly, and the cells of
 * two dimensions to those of either, if both are always split and then merged. The key, such as the id and the day,
 * makes ads differ. Amounts are split in multiples of the currency's smallest unit.
 */
export function splitFigures(
  figures: Readonly<Figures>,
  dimensions: readonly (readonly Part[])[],
  key: string,
  unit = cent,
): Cell[] {
  const cells = combined(dimensions);
  const seed = hashOf(key);
  const total = cells.reduce((sum, { weight }) => sum + weight, 0);
  const made = cells.map(({ values }) => ({ values, figures: noFigures() }));
  for (const [salt, name] of figureNames.entries()) {
    const whole = figures[name];
    if (whole === 0) continue;
    const start = mix(seed, salt) % total;
    const step = name === 'spend' || name === 'purchaseValue' ? unit : 1;
    const units = Math.floor(whole / step);
    let [weights, before] = [0, 0];
    for (const [at, { weight }] of cells.entries()) {
      weights += weight;
      const upTo = at === cells.length - 1 ? whole : step * portion(units, weights, { total, start });
      const cell = made[at];
      if (cell) cell.figures[name] = upTo - before;
      before = upTo;
    }
  }
  return made;
}

/** Whole part of `(whole * weights + start) / total`, exact also for large amounts. */
function portion(whole: number, weights: number, { total, start }: { total: number; start: number }): number {
  const [times, rest] = [Math.floor(whole / total), whole % total];
  return times * weights + Math.floor((rest * weights + start) / total);
}

/** Merges cells that have the same value of one dimension. */
export function mergeCells(cells: readonly Cell[], dimension: number): Cell[] {
  const merged = new Map<string, Figures>();
  for (const { values, figures } of cells) {
    const value = values[dimension] ?? '';
    const sum = merged.get(value) ?? noFigures();
    for (const name of figureNames) sum[name] += figures[name];
    merged.set(value, sum);
  }
  return [...merged].map(([value, figures]) => ({ values: [value], figures }));
}

function combined(dimensions: readonly (readonly Part[])[]): { values: string[]; weight: number }[] {
  let cells: { values: string[]; weight: number }[] = [{ values: [], weight: 1 }];
  for (const parts of dimensions)
    cells = cells.flatMap(({ values, weight }) =>
      parts.map((part) => ({ values: [...values, part.value], weight: weight * part.weight })),
    );
  return cells;
}
