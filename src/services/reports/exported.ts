import type { AdFigureReadDoc, AdFiguresDoc } from '../../models/ad-figures.ts';
import { eachDay } from './month-code.ts';
import { decodeResult } from './read-results.ts';

/** Integers of any length are text in JSON. */
const inJson = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? String(member) : member)));

/** Stored figures as a person can read them. A day may be there twice: as the coverage names it, and of a later read. */
export async function exportedFigures({ days, ...document }: AdFiguresDoc): Promise<unknown> {
  const shown: object[] = [];
  eachDay(
    days.value(),
    () => true,
    (day, figures, read) => shown.push({ day, read, figures }),
  );
  return { ...document, days: inJson(shown) };
}

export const exportedResult = async ({ rows, ...document }: AdFigureReadDoc): Promise<unknown> => ({
  ...document,
  rows: inJson(await decodeResult(rows)),
});
