import { mergeCells, splitFigures, type Part } from '../figures/split.ts';
import type { Figures } from '../figures/figures.ts';

export type Dimension = 'ad_network_type' | 'device' | 'age' | 'gender' | 'country';

/** Demographics and countries come about once a day. */
export const isOfAudience = (dimension: Dimension): boolean => ['age', 'gender', 'country'].includes(dimension);

const parts = (text: string): Part[] =>
  text.split(' ').map((entry) => {
    const [value = '', weight = '1'] = entry.split('=');
    return { value, weight: Number(weight) };
  });

const ages = parts(
  'AGE_RANGE_18_24=12 AGE_RANGE_25_34=24 AGE_RANGE_35_44=20 AGE_RANGE_45_54=14 AGE_RANGE_55_64=10 AGE_RANGE_65_UP=7 AGE_RANGE_UNDETERMINED=13',
);
const genders = parts('MALE=45 FEMALE=42 UNDETERMINED=13');
const networks = parts('SEARCH=60 SEARCH_PARTNERS=14 CONTENT=20 YOUTUBE=6');
const devices = parts('MOBILE=55 DESKTOP=33 TABLET=8 CONNECTED_TV=3 OTHER=1');
/** Ids of countries; some impressions have none. */
const countries = parts('2840=50 2276=28 2250=17 none=5');

/** Dimensions that are always split together, so that pairs agree with single ones. */
const grids: Record<Dimension, [grid: Part[][], at: number]> = {
  ad_network_type: [[networks, devices], 0],
  device: [[networks, devices], 1],
  age: [[ages, genders], 0],
  gender: [[ages, genders], 1],
  country: [[countries], 0],
};

/** The figures of one ad and day by the values of the dimensions, in their order. */
export function partsOf(
  figures: Readonly<Figures>,
  dimensions: readonly Dimension[],
  { key, unit }: { key: string; unit: number },
): { values: string[]; figures: Readonly<Figures> }[] {
  const [first] = dimensions;
  if (first === undefined) return [{ values: [], figures }];
  const [grid, at] = grids[first];
  const cells = splitFigures(figures, grid, key, unit);
  if (dimensions.length === 1) return mergeCells(cells, at).map((cell) => ({ ...cell, values: [...cell.values] }));
  const order = dimensions.map((dimension) => grids[dimension][1]);
  return cells.map((cell) => ({ values: order.map((index) => cell.values[index] ?? ''), figures: cell.figures }));
}
