import { badRequest, unprocessable } from './errors.ts';
import { isRecord, type Fields } from './shape.ts';

/** Applies `{"patch":{"$set":{...}}}`; nested patches are keyed by the record that they change. */
export function patched(fields: Fields, body: unknown, immutable: string[]): Fields {
  const patch = isRecord(body) && Object.keys(body).length === 1 ? body['patch'] : undefined;
  if (!isRecord(patch) || Object.keys(patch).length === 0)
    throw badRequest('The body must be {"patch":{"$set":{...}}}');
  const fixed = touched(patch).find((name) => immutable.includes(name));
  if (fixed !== undefined)
    throw unprocessable(`patch/$set/${fixed}`, 'ReadOnly field present in a partial_update request');
  return applied(fields, patch);
}

const touched = ({ $set, $delete, ...deeper }: Fields): string[] => [
  ...Object.keys(isRecord($set) ? $set : {}),
  ...(Array.isArray($delete) ? $delete.map(String) : []),
  ...Object.keys(deeper),
];

function applied(fields: Fields, { $set = {}, $delete = [], ...deeper }: Fields): Fields {
  if (!isRecord($set) || !Array.isArray($delete)) throw badRequest('$set must be a record and $delete a list');
  const kept = Object.entries({ ...fields, ...$set }).filter(([name]) => !$delete.includes(name));
  const next = Object.fromEntries(kept);
  for (const [name, inner] of Object.entries(deeper)) {
    const own = fields[name];
    if (!isRecord(inner) || (own !== undefined && !isRecord(own)))
      throw badRequest(`The patch of ${name} is not a record`);
    next[name] = applied(own ?? {}, inner);
  }
  return next;
}
