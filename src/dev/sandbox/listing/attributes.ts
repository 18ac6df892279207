import { parseAddress } from '../../../lib/web-address.ts';
import { attributeKinds, categoryOf, type AttributeKind } from './catalogue.ts';
import { coded, violation } from './errors.ts';
import { isFields } from './masks.ts';
import type { Attribute, Fields, Location } from './state.ts';

/** Attributes available to a business of these categories. */
export function kindsFor({ fields }: Location): AttributeKind[] {
  const { primaryCategory, additionalCategories = [] } = (fields['categories'] ?? {}) as {
    primaryCategory?: Fields;
    additionalCategories?: Fields[];
  };
  const serves = [primaryCategory, ...additionalCategories].map((entry) => categoryOf(entry?.['name'])?.serves);
  return attributeKinds.filter(({ only }) => only === undefined || serves.includes(only));
}

export const showAttributes = ({ id, attributes }: Location): object => ({
  name: `locations/${id}/attributes`,
  ...(attributes.length > 0 && { attributes: attributes.map(showAttribute) }),
});

const showAttribute = ({ name, ...value }: Attribute): object => ({
  name,
  valueType: attributeKinds.find(({ id }) => `attributes/${id}` === name)?.valueType,
  ...value,
});

/** In the mask and in the body: set. Only in the mask: deleted. Only in the body: ignored. */
export function changedAttributes(location: Location, mask: string | undefined, body: Fields): Attribute[] {
  const names = (mask ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  if (names.length === 0) throw violation('attribute_mask', 'The attribute_mask is required.');
  if (body['name'] !== undefined && body['name'] !== `locations/${location.id}/attributes`)
    throw violation('attributes.name', 'The name is not that of the address.');
  const given = body['attributes'] ?? [];
  if (!Array.isArray(given) || !given.every(isFields)) throw violation('attributes', 'A list is expected.');
  const kinds = kindsFor(location);
  return names.reduce((kept, name) => {
    if (!name.startsWith('attributes/')) throw violation('attribute_mask', `Invalid name: ${name}`);
    const kind = kinds.find(({ id }) => `attributes/${id}` === name);
    if (!kind) throw coded('INVALID_ATTRIBUTE_NAME', undefined, { attribute_names: name });
    const at = given.findIndex((entry) => entry['name'] === name);
    const others = kept.filter((entry) => entry.name !== name);
    if (at < 0) return others;
    const value = valueOf(given[at] ?? {}, kind, `attributes.attributes[${at}]`);
    return kind.isDeprecated ? kept : [...others, { name, ...value }];
  }, location.attributes);
}

type Value = Omit<Attribute, 'name'>;
const fieldOf = { BOOL: 'values', ENUM: 'values', URL: 'uriValues', REPEATED_ENUM: 'repeatedEnumValue' } as const;

/** Each type has one value field; the others must be empty. */
function valueOf(entry: Fields, kind: AttributeKind, where: string): Value {
  const field = fieldOf[kind.valueType];
  const odd = Object.keys(entry).find(
    (name) => name !== 'name' && name !== 'valueType' && name !== field && !isEmpty(entry[name]),
  );
  if (odd) throw violation(where, `${kind.valueType} requires ${field}, not ${odd}.`);
  if (field === 'values') return { values: [singleOf(entry['values'], kind, where)] };
  return field === 'uriValues'
    ? { uriValues: addressesOf(entry['uriValues'], where) }
    : { repeatedEnumValue: choicesOf(entry['repeatedEnumValue'], kind, where) };
}

const isEmpty = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

function singleOf(values: unknown, { id, valueType, values: allowed }: AttributeKind, where: string): unknown {
  if (!Array.isArray(values) || values.length !== 1)
    throw violation(`${where}.values`, 'Exactly one value is expected.');
  const [value] = values as unknown[];
  const fits = valueType === 'BOOL' ? typeof value === 'boolean' : allowed.includes(String(value));
  if (!fits && valueType === 'ENUM')
    throw coded('ATTRIBUTE_INVALID_ENUM_VALUE', undefined, {
      attribute_names: `attributes/${id}`,
      value: String(value),
    });
  if (!fits) throw violation(`${where}.values[0]`, `The value is not a valid ${valueType}.`);
  return value;
}

/** A web address, or a number for attributes such as url_text_messaging. */
const isAddress = (uri: string): boolean =>
  /^(?:sms|tel):\+?[\d().-]{3,}$/.test(uri) || (/^https?:/.test(uri) && parseAddress(uri) !== undefined);

function addressesOf(given: unknown, where: string): { uri: string }[] {
  if (!Array.isArray(given) || given.length === 0)
    throw violation(`${where}.uri_values`, 'At least one address is expected.');
  return given.map((entry: unknown, at) => {
    const uri = isFields(entry) ? entry['uri'] : undefined;
    if (typeof uri !== 'string' || !isAddress(uri))
      throw violation(`${where}.uri_values[${at}].uri`, 'The address is not valid.');
    return { uri };
  });
}

function choicesOf(given: unknown, { values }: AttributeKind, where: string): Attribute['repeatedEnumValue'] {
  const { setValues = [], unsetValues = [] } = isFields(given) ? given : {};
  const lists = [setValues, unsetValues] as unknown[];
  const all = lists.flatMap((entries) => (Array.isArray(entries) ? (entries as unknown[]) : [undefined]));
  const odd = all.find((value) => typeof value !== 'string' || !values.includes(value));
  if (all.length === 0 || odd !== undefined || all.includes(undefined) || new Set(all).size < all.length)
    throw violation(`${where}.repeated_enum_value`, 'The values must be known ones, each set or unset.');
  return {
    ...((setValues as string[]).length > 0 && { setValues: setValues as string[] }),
    ...((unsetValues as string[]).length > 0 && { unsetValues: unsetValues as string[] }),
  };
}
