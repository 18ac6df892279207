import { invalidRequest, PinError } from './errors.ts';
import type { Fields } from './state.ts';

export interface Page {
  items: Fields[];
  bookmark: string | null;
}

/** A list parameter is repeated, except `columns`, which is one comma-separated value. */
export function listIn(rawQuery: string, name: string): string[] | undefined {
  const values = new URLSearchParams(rawQuery).getAll(name).filter((value) => value !== '');
  if (values.length === 0) return undefined;
  if (name === 'columns' && values.length > 1) throw invalidRequest(`'columns' must be one comma-separated value`);
  const list = name === 'columns' ? values.flatMap((value) => value.split(',')) : values;
  const odd = name.endsWith('_ids') && list.find((id) => !/^\d+$/.test(id));
  if (odd) throw invalidRequest(`'${name}' value '${odd}' must match the pattern: ^\\d+$`);
  if (list.length > 250) throw invalidRequest(`'${name}' may have at most 250 elements`);
  return list;
}

const bookmarkOf = (id: string): string => Buffer.from(`after:${id}`).toString('base64url');

function idIn(bookmark: string): string {
  const id = /^after:(\d+)$/.exec(Buffer.from(bookmark, 'base64url').toString())?.[1];
  if (id === undefined) throw invalidRequest('the bookmark is not valid');
  return id;
}

function sizeIn({ page_size: size = '25' }: Record<string, string>): number {
  if (!/^-?\d+$/.test(size)) throw new PinError(400, 1, `Parameter 'page_size' was not numeric (was ${size})`);
  if (Number(size) < 1 || Number(size) > 250) throw invalidRequest('page_size must be from 1 to 250');
  return Number(size);
}

/** Position after this id; ids ascend and have equal length. */
function positionAfter(ids: string[], id: string): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? '') <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** One page of ascending ids, filtered by what `show` returns; the bookmark is null at the end. */
export function pageOf(
  ids: string[],
  query: Record<string, string>,
  showing: (id: string) => Fields | undefined,
): Page {
  const size = sizeIn(query);
  // Unconfirmed: the default order.
  const { bookmark, order = 'ASCENDING' } = query;
  if (!/^(ASCENDING|DESCENDING)$/.test(order)) throw invalidRequest('order must be ASCENDING or DESCENDING');
  const step = order === 'ASCENDING' ? 1 : -1;
  const last = bookmark ? idIn(bookmark) : undefined;
  const after = last === undefined ? undefined : positionAfter(ids, last);
  let at = step === 1 ? (after ?? 0) : after === undefined ? ids.length - 1 : after - 2;
  const items: Fields[] = [];
  let end = '';
  for (; at >= 0 && at < ids.length; at += step) {
    const id = ids[at] ?? '';
    const shown = showing(id);
    if (!shown) continue;
    if (items.length === size) return { items, bookmark: bookmarkOf(end) };
    items.push(shown);
    end = id;
  }
  return { items, bookmark: null };
}
