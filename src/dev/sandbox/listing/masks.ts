import { violation, type ListingError } from './errors.ts';
import type { Fields } from './state.ts';

/** `list` ends a path: masks cannot address list elements. */
type Shape = 'value' | 'list' | { [name: string]: Shape };

const values = (names: string): Record<string, Shape> =>
  Object.fromEntries(names.split(' ').map((name) => [name, 'value']));
const date = values('year month day');

const shape: Record<string, Shape> = {
  ...values('name languageCode storeCode title websiteUri'),
  phoneNumbers: { primaryPhone: 'value', additionalPhones: 'list' },
  categories: {
    primaryCategory: { ...values('name displayName'), serviceTypes: 'list', moreHoursTypes: 'list' },
    additionalCategories: 'list',
  },
  storefrontAddress: {
    ...values('revision regionCode languageCode postalCode sortingCode administrativeArea locality sublocality'),
    ...values('organization'),
    addressLines: 'list',
    recipients: 'list',
  },
  regularHours: { periods: 'list' },
  specialHours: { specialHourPeriods: 'list' },
  serviceArea: { ...values('businessType regionCode'), places: { placeInfos: 'list' } },
  labels: 'list',
  adWordsLocationExtensions: values('adPhone'),
  latlng: values('latitude longitude'),
  openInfo: { ...values('status canReopen'), openingDate: date },
  metadata: values(
    'hasGoogleUpdated hasPendingEdits canDelete canOperateLocalPost canModifyServiceList canHaveFoodMenus canOperateHealthData canOperateLodgingData placeId duplicateLocation mapsUri newReviewUri canHaveBusinessCalls hasVoiceOfMerchant isParticularlyPersonalPlace',
  ),
  profile: values('description'),
  relationshipData: {
    parentLocation: values('placeId relationType'),
    childrenLocations: 'list',
    parentChain: 'value',
  },
  moreHours: 'list',
  serviceItems: 'list',
};

const exists = (path: string): boolean => {
  let at: Shape | undefined = shape;
  for (const part of path.split('.')) at = typeof at === 'object' ? at[part] : undefined;
  return at !== undefined;
};

const split = (mask: string | undefined): string[] =>
  (mask ?? '')
    .split(',')
    .map((path) => path.trim())
    .filter(Boolean);

/** The paths to read; none without a mask. */
export function readMask(mask: string | undefined): string[] {
  const paths = split(mask);
  if (paths.length === 0) throw violation('read_mask', 'The read_mask is required.');
  const odd = paths.find((path) => !exists(path));
  if (odd) throw violation('read_mask', `Invalid field mask provided: ${odd}`);
  return paths;
}

const whole = ['categories', 'phoneNumbers'];

/** The paths to write. */
export function updateMask(mask: string | undefined): string[] {
  const paths = split(mask);
  if (paths.length === 0) throw violation('update_mask', 'The update_mask is required.');
  for (const path of paths) {
    const wrong = reasonAgainst(path);
    if (wrong) throw violation('update_mask', `${wrong}: ${path}`);
  }
  return paths;
}

function reasonAgainst(path: string): string | undefined {
  const [root = '', below] = path.split('.');
  if (!exists(path)) return 'Invalid field mask provided';
  if (root === 'name' || root === 'metadata') return 'The field is output only';
  if (root === 'languageCode') return 'The field is immutable';
  if (root === 'latlng') return 'The field can be written by approved clients only';
  if (below !== undefined && whole.includes(root)) return 'The field can be updated as a whole only';
  return undefined;
}

/** The value at a path. */
export function valueAt(fields: Fields, path: string): unknown {
  let at: unknown = fields;
  for (const part of path.split('.')) at = isFields(at) ? at[part] : undefined;
  return at;
}

/** A copy with this value at the path; undefined clears the field. */
export function withValue(fields: Fields, path: string, value: unknown): Fields {
  const [root = '', ...rest] = path.split('.');
  const { [root]: own, ...others } = fields;
  const next = rest.length === 0 ? value : withValue(isFields(own) ? own : {}, rest.join('.'), value);
  const isEmpty = next === undefined || next === null || (isFields(next) && Object.keys(next).length === 0);
  return isEmpty ? others : { ...others, [root]: next };
}

/** Only the fields in the mask; unset fields are omitted. */
export function masked(fields: Fields, paths: string[]): Fields {
  return paths.reduce<Fields>((seen, path) => {
    const value = valueAt(fields, path);
    return value === undefined ? seen : withValue(seen, path, value);
  }, {});
}

/** The body is parsed before its mask: an unknown field rejects the request. */
export function rejectUnknownFields(body: Fields): void {
  const odd = oddIn(body, shape);
  if (odd === undefined) return;
  const error: ListingError = violation(
    'location',
    `Invalid JSON payload received. Unknown name "${odd}" at 'location': Cannot find field.`,
  );
  error.fault.message = `Invalid JSON payload received. Unknown name "${odd}" at 'location': Cannot find field.`;
  throw error;
}

function oddIn(body: Fields, known: Record<string, Shape>): string | undefined {
  for (const [name, value] of Object.entries(body)) {
    const own = known[name];
    if (own === undefined) return name;
    const below = typeof own === 'object' && isFields(value) ? oddIn(value, own) : undefined;
    if (below !== undefined) return below;
  }
  return undefined;
}

export const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
