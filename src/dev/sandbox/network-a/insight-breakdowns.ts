import type { Figures } from '../figures/figures.ts';
import { mergeCells, splitFigures, type Cell, type Part } from '../figures/split.ts';
import { GraphError } from './errors.ts';

const parts = (text: string): Part[] =>
  text.split(' ').map((entry) => {
    const [value = '', weight = '1'] = entry.split('=');
    return { value, weight: Number(weight) };
  });

const ages = parts('18-24=14 25-34=27 35-44=22 45-54=16 55-64=11 65+=8 Unknown=2');
const genders = parts('female=52 male=44 unknown=4');
const countries = parts('DE=40 US=31 FR=17 JP=9 unknown=3');
const placements = parts(
  'facebook/feed=38 facebook/marketplace=7 instagram/feed=22 instagram/story=24 audience_network/classic=6 unknown/unknown=3',
);
const devices = parts('iphone=36 android_smartphone=40 ipad=5 android_tablet=4 desktop=13 other=2');

interface Split {
  /** Dimensions that are always split together, so that pairs agree with single ones. */
  grid: Part[][];
  /** The dimension that is shown; all of them if undefined. */
  only?: number;
}

const splits: Record<string, Split> = {
  age: { grid: [ages, genders], only: 0 },
  gender: { grid: [ages, genders], only: 1 },
  'age,gender': { grid: [ages, genders] },
  country: { grid: [countries] },
  'publisher_platform,platform_position': { grid: [placements, devices], only: 0 },
  impression_device: { grid: [placements, devices], only: 1 },
  'publisher_platform,platform_position,impression_device': { grid: [placements, devices] },
};

/** Rejects breakdowns that do not exist, and combinations that are not possible. */
export function requirePossible(breakdowns: string[]): void {
  const known = new Set(Object.keys(splits).flatMap((names) => names.split(',')));
  const at = breakdowns.findIndex((name) => !known.has(name));
  if (at >= 0) {
    const message = `breakdowns[${at}] must be one of the following values: ${[...known].join(', ')}`;
    throw new GraphError({ code: 100, message });
  }
  if (breakdowns.length > 0 && !splits[breakdowns.join(',')])
    throw new GraphError({
      code: 2,
      subcode: 1504041,
      message: `Current combination of data breakdown columns (${breakdowns.join(', ')}) is invalid`,
    });
}

/** The figures of one ad and period by breakdown, with the columns of the breakdown. */
export function brokenDown(
  figures: Readonly<Figures>,
  breakdowns: string[],
  { key, unit }: { key: string; unit: number },
): { columns: Record<string, string>; figures: Figures }[] {
  const { grid, only } = splits[breakdowns.join(',')] ?? { grid: [] };
  const cells = splitFigures(figures, grid, key, unit);
  const shown: Cell[] = only === undefined ? cells : mergeCells(cells, only);
  return shown.map(({ values, figures: part }) => {
    const texts = values.flatMap((value) => value.split('/'));
    return { columns: Object.fromEntries(breakdowns.map((name, at) => [name, texts[at] ?? ''])), figures: part };
  });
}
