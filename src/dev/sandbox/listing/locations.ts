import type { Received } from '../platform.ts';
import { changedAttributes, showAttributes } from './attributes.ts';
import { ListingError, tooMany, violation } from './errors.ts';
import { withoutNoughts } from './hours.ts';
import { isFields, masked, readMask, rejectUnknownFields, updateMask, valueAt, withValue } from './masks.ts';
import { checkLocation } from './rules.ts';
import { editLimit, type Fields, type Location, type SandboxState } from './state.ts';

/** Shows a location through a read mask; output-only fields are computed. */
export function showLocation(location: Location, paths: string[]): Fields {
  const { id, fields } = location;
  const pending = /\[review:pending\]/.test(String(fields['title']));
  const metadata = {
    placeId: `ChIJ${id}`,
    mapsUri: `https://maps.google.com/maps?cid=${id}`,
    canModifyServiceList: canHaveServices(location),
    canDelete: true,
    ...(pending && { hasPendingEdits: true }),
  };
  return masked({ ...fields, name: `locations/${id}`, metadata }, paths);
}

/** Food shops have menus instead. */
const canHaveServices = ({ fields }: Location): boolean =>
  !/gcid:(cafe|restaurant|bakery)$/.test(String(valueAt(fields, 'categories.primaryCategory.name')));

/** Updates by mask: a field in mask and body is set, one only in the mask cleared, one only in the body ignored. */
export function patchLocation(sandbox: SandboxState, location: Location, { query, json }: Received): Fields {
  const body = bodyOf(json);
  rejectUnknownFields(body);
  const paths = updateMask(query['updateMask']);
  const next = paths.reduce(
    (fields, path) => withValue(fields, path, withoutNoughts(valueAt(body, path))),
    location.fields,
  );
  checkLocation(next, new Set(paths.map((path) => path.split('.')[0] ?? '')), canHaveServices(location));
  if (query['validateOnly'] === 'true') return {};
  countEdit(sandbox, location);
  const changed = { ...location, fields: next };
  sandbox.locations.put(location.id, changed);
  return showLocation(changed, [...Object.keys(next), 'name', 'metadata']);
}

export function patchAttributes(sandbox: SandboxState, location: Location, { query, json }: Received): object {
  const attributes = changedAttributes(location, query['attributeMask'], bodyOf(json));
  countEdit(sandbox, location);
  const changed = { ...location, attributes };
  sandbox.locations.put(location.id, changed);
  return showAttributes(changed);
}

function bodyOf(json: unknown): Fields {
  if (isFields(json)) return json;
  throw violation('location', "Invalid value at 'location': an object is expected.");
}

/** Limits edits per minute and location, across callers. */
function countEdit(sandbox: SandboxState, { id }: Location): void {
  const recent = (sandbox.edits.get(id) ?? []).filter((at) => at > Date.now() - 60_000);
  const limit = editLimit(sandbox);
  if (recent.length >= limit) throw new ListingError(tooMany('Edits of a location', limit));
  sandbox.edits.set(id, [...recent, Date.now()]);
}

/** One page of an account's locations. */
export function listLocations(all: Location[], query: Record<string, string>): object {
  const paths = readMask(query['readMask']);
  const size = Number(query['pageSize'] ?? 10);
  if (!Number.isInteger(size) || size < 1 || size > 100)
    throw violation('page_size', 'The page size must be between 1 and 100.');
  const found = ordered(all.filter(filterOf(query['filter'])), query['orderBy']);
  const { slice, next } = pageOf(found, size, query['pageToken']);
  return {
    ...(slice.length > 0 && { locations: slice.map((location) => showLocation(location, paths)) }),
    ...next,
    ...(query['filter'] && { totalSize: found.length }),
  };
}

/** The supported part of the filter language: one string comparison. */
function filterOf(filter: string | undefined): (location: Location) => boolean {
  if (!filter) return () => true;
  const [, path, requested = ''] = /^(title|storeCode|websiteUri)\s*=\s*"?([^"]*)"?$/.exec(filter) ?? [];
  if (!path) throw violation('filter', 'The filter is not valid.');
  return ({ fields }) => String(fields[path] ?? '').toLowerCase() === requested.toLowerCase();
}

function ordered(locations: Location[], order: string | undefined): Location[] {
  if (!order) return locations;
  const [, field, direction] = /^(title|storeCode)(\s+desc)?$/.exec(order) ?? [];
  if (!field) throw violation('order_by', 'The order is not valid.');
  const sorted = locations.toSorted((one, other) =>
    String(one.fields[field] ?? '').localeCompare(String(other.fields[field] ?? '')),
  );
  return direction ? sorted.toReversed() : sorted;
}

/** One page of a list, with a token if more follow. */
export function pageOf<T>(all: T[], size: number, token: string | undefined): { slice: T[]; next: object } {
  const start = token ? Number(/^p(\d+)$/.exec(Buffer.from(token, 'base64url').toString())?.[1] ?? Number.NaN) : 0;
  if (!Number.isInteger(start)) throw violation('page_token', 'The page token is not valid.');
  const end = start + size;
  const next = end < all.length ? { nextPageToken: Buffer.from(`p${end}`).toString('base64url') } : {};
  return { slice: all.slice(start, end), next };
}
