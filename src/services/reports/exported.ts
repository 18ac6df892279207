import type { AdFigureReadDoc, AdFiguresDoc } from '../../models/ad-figures.ts';
import type { Figures } from '../../platforms/platform.ts';
import { amountsOf, namedFigures, noAmounts, type RowFigures } from './figure-code.ts';
import { eachDay } from './month-code.ts';
import { decodeResult } from './read-results.ts';

/** Integers of any length are text in JSON. */
const inJson = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? String(member) : member)));

const named = (figures: RowFigures): Figures => namedFigures(amountsOf(figures, noAmounts()));

/** Stored figures as a person can read them. A day can occur twice: from the read that the coverage names, and from a later one. */
export async function exportedFigures({ days, ...document }: AdFiguresDoc): Promise<unknown> {
  const shown: object[] = [];
  const bytes = days.value();
  eachDay(
    bytes,
    () => true,
    (day, start, end, read) => shown.push({ day, read, figures: named({ bytes, start, end }) }),
  );
  return { ...document, days: inJson(shown) };
}

export const exportedResult = async ({ rows, ...document }: AdFigureReadDoc): Promise<unknown> => ({
  ...document,
  rows: inJson((await decodeResult(rows)).map(({ figures, ...row }) => ({ ...row, figures: named(figures) }))),
});
