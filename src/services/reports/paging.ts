import type { Pagination } from '../../contract/common.ts';
import { invalidField } from '../../contract/error.ts';
import { canonicalJson, sha256 } from '../../lib/hash.ts';
import { partsOf, skipOf, totalOf } from '../list-page.ts';
import { exact } from './exact.ts';
import type { Row } from './row-table.ts';
import { comparePlaces, type Place, type Rows } from './sort-rows.ts';

export interface Window {
  page?: number;
  cursor?: string;
  limit: number;
}

/** A page of sorted rows. Cursors hold for the same request only. */
export function pageOf(
  rows: Rows,
  window: Window,
  { identity, isDescending }: { identity: unknown; isDescending: boolean },
): { page: readonly Row[]; pagination: Pagination } {
  const mark = sha256(canonicalJson(identity)).slice(0, 10);
  const skip = skipOf(window);
  const start = window.cursor === undefined ? skip : startAfter(rows, positionOf(window.cursor, mark), isDescending);
  const page = rows.slice(start, start + window.limit);
  const last = page.at(-1);
  const { count, isExact } = totalOf(rows.length);
  return {
    page,
    pagination: {
      page: window.cursor === undefined ? (window.page ?? 1) : null,
      limit: window.limit,
      total: count,
      totalIsExact: isExact,
      pages: Math.ceil(count / window.limit),
      nextCursor: last && start + page.length < rows.length ? cursorOf(last, mark) : null,
    },
  };
}

/** The first row after a place, by binary search. */
function startAfter(rows: Rows, place: Place, isDescending: boolean): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const row = rows.at(middle);
    if (row && comparePlaces(row, place, isDescending) > 0) to = middle;
    else from = middle + 1;
  }
  return from;
}

const cursorOf = ({ sortBy, platformId, date, values }: Place, mark: string): string => {
  const key = sortBy === null ? null : [typeof sortBy === 'string' ? 'string' : 'integer', String(sortBy)];
  return Buffer.from(JSON.stringify([mark, key, platformId, date, values])).toString('base64url');
};

function positionOf(cursor: string, mark: string): Place {
  const [from, key, platformId, date, values] = partsOf(cursor);
  if (typeof platformId !== 'string' || typeof values !== 'string' || !(date === null || typeof date === 'string'))
    throw invalidField('cursor', 'must be the nextCursor of an earlier page');
  if (from !== mark) throw invalidField('cursor', 'belongs to another report; start from the first page of this one');
  return { sortBy: sortByOf(key), platformId, date, values };
}

function sortByOf(key: unknown): Place['sortBy'] {
  const [type, text] = Array.isArray(key) ? (key as unknown[]) : [];
  if (typeof text !== 'string') return null;
  return type === 'integer' && /^-?\d+$/.test(text) ? exact(BigInt(text)) : text;
}
