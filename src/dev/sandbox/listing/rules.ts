import { parseAddress } from '../../../lib/web-address.ts';
import { categoryOf } from './catalogue.ts';
import { coded, violation } from './errors.ts';
import { checkRegularHours, checkSpecialHours } from './hours.ts';
import { isFields } from './masks.ts';
import type { Fields } from './state.ts';

const text = (value: unknown, field: string, longest: number): string => {
  if (typeof value !== 'string') throw violation(field, 'Text is expected.');
  if (value.trim() === '') throw coded('STRING_TOO_SHORT', maskOf(field));
  if (value.length > longest) throw coded('STRING_TOO_LONG', maskOf(field));
  return value;
};

/** A mask names no elements of lists. */
const maskOf = (field: string): string => field.replace(/\[.*$/, '');

const list = (value: unknown, field: string): unknown[] => {
  if (!Array.isArray(value)) throw violation(field, 'A list is expected.');
  return value;
};

const object = (value: unknown, field: string): Fields => {
  if (!isFields(value)) throw violation(field, 'An object is expected.');
  return value;
};

const oneOf = (value: unknown, field: string, allowed: string[]): void => {
  if (value !== undefined && !allowed.includes(String(value)))
    throw violation(field, `The value must be one of ${allowed.join(', ')}.`);
};

/** In protobuf an empty list is the same as none. */
function checkPhones(value: unknown): void {
  const { primaryPhone, additionalPhones = [] } = object(value, 'phone_numbers');
  if (primaryPhone === undefined) throw coded('MISSING_PRIMARY_PHONE_NUMBER', 'phone_numbers');
  const additional = list(additionalPhones, 'phone_numbers.additional_phones');
  if (additional.length > 2) throw coded('TOO_MANY_ENTRIES', 'phone_numbers.additional_phones');
  for (const phone of [primaryPhone, ...additional])
    if (typeof phone !== 'string' || !/^\+?[\d\s().-]{5,24}$/.test(phone))
      throw coded('INVALID_PHONE_NUMBER', 'phone_numbers', { value: String(phone) });
}

function checkCategories(value: unknown): void {
  const { primaryCategory, additionalCategories = [] } = object(value, 'categories');
  if (primaryCategory === undefined) throw coded('REQUIRED_FIELD_MISSING_VALUE', 'categories.primary_category');
  const additional = list(additionalCategories, 'categories.additional_categories');
  // The number is unconfirmed.
  if (additional.length > 9) throw coded('TOO_MANY_ENTRIES', 'categories.additional_categories');
  const { name } = object(primaryCategory, 'categories.primary_category');
  if (!categoryOf(name)) throw coded('INVALID_CATEGORY', 'categories.primary_category', { value: String(name) });
  for (const entry of additional)
    if (!isFields(entry) || !categoryOf(entry['name']))
      throw coded('INVALID_CATEGORY', 'categories.additional_categories');
}

function checkServices(value: unknown): void {
  for (const [at, entry] of list(value, 'service_items').entries()) {
    const where = `service_items[${at}]`;
    const { structuredServiceItem: structured, freeFormServiceItem: free, price } = object(entry, where);
    if ((structured === undefined) === (free === undefined)) throw coded('INVALID_SERVICE_ITEM', 'service_items');
    if (structured !== undefined) checkStructured(structured, `${where}.structured_service_item`);
    if (free !== undefined) checkFreeForm(free, `${where}.free_form_service_item`);
    if (price !== undefined) checkPrice(object(price, `${where}.price`), `${where}.price`);
  }
}

function checkStructured(value: unknown, where: string): void {
  const { serviceTypeId, description } = object(value, where);
  if (!/^job_type_id:\w+$/.test(String(serviceTypeId)))
    throw coded('SERVICE_ITEM_WITH_NO_SERVICE_TYPE_ID', 'service_items');
  if (description !== undefined) text(description, `${where}.description`, 300);
}

function checkFreeForm(value: unknown, where: string): void {
  const { category, label } = object(value, where);
  if (!categoryOf(category)?.isService)
    throw violation(
      `${where}.category`,
      'Provided free-form service item category is not a service business category.',
    );
  if (label === undefined) throw coded('FREE_FORM_SERVICE_ITEM_WITH_NO_LABEL', 'service_items');
  const { displayName, description } = object(label, `${where}.label`);
  if (displayName === undefined) throw coded('SERVICE_ITEM_LABEL_NO_DISPLAY_NAME', 'service_items');
  text(displayName, `${where}.label.display_name`, 140);
  if (description !== undefined) text(description, `${where}.label.description`, 250);
}

function checkPrice({ currencyCode, units = '0', nanos = 0 }: Fields, where: string): void {
  if (currencyCode === undefined) throw coded('PRICE_CURRENCY_MISSING', 'service_items');
  if (!/^[A-Z]{3}$/.test(String(currencyCode))) throw coded('PRICE_CURRENCY_INVALID', 'service_items');
  if (!/^-?\d+$/.test(String(units)) || !Number.isInteger(nanos)) throw violation(where, 'The amount is not valid.');
}

function checkOpening({ year, month, day = 1 }: Fields): void {
  const field = 'open_info.opening_date';
  if (!year || !month) throw coded('OPENING_DATE_MISSING_YEAR_OR_MONTH', field);
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) || 1));
  if (date.getUTCMonth() !== Number(month) - 1) throw violation(field, 'The date is not valid.');
  if (date.getTime() > Date.now() + 366 * 86_400_000) throw coded('OPENING_DATE_TOO_FAR_IN_THE_FUTURE', field);
}

function checkRelations(value: unknown): void {
  const { parentLocation, childrenLocations = [] } = object(value, 'relationship_data');
  const children = list(childrenLocations, 'relationship_data.children_locations');
  for (const related of [...(parentLocation === undefined ? [] : [parentLocation]), ...children])
    oneOf(object(related, 'relationship_data')['relationType'], 'relationship_data.relation_type', [
      'DEPARTMENT_OF',
      'INDEPENDENT_ESTABLISHMENT_IN',
    ]);
}

const checks: Record<string, (value: unknown) => void> = {
  title: (value) => text(value, 'title', 750),
  storeCode: (value) => text(value, 'store_code', 64),
  websiteUri: (value) => {
    if (typeof value !== 'string' || !parseAddress(value) || !/^https?:/.test(value))
      throw coded('INVALID_URL', 'website_uri', { value: String(value) });
  },
  phoneNumbers: checkPhones,
  categories: checkCategories,
  storefrontAddress: (value) => {
    const { regionCode, addressLines = [] } = object(value, 'storefront_address');
    if (!/^[A-Z]{2}$/.test(String(regionCode)))
      throw coded('ADDRESS_MISSING_REGION_CODE', 'storefront_address.region_code');
    if (list(addressLines, 'storefront_address.address_lines').length > 5)
      throw coded('TOO_MANY_ENTRIES', 'storefront_address.address_lines');
  },
  regularHours: (value) => checkRegularHours(value),
  specialHours: checkSpecialHours,
  moreHours: (value) => list(value, 'more_hours').forEach((entry, at) => checkRegularHours(entry, `more_hours[${at}]`)),
  serviceArea: (value) => {
    const { businessType, places = {} } = object(value, 'service_area');
    oneOf(businessType, 'service_area.business_type', ['CUSTOMER_LOCATION_ONLY', 'CUSTOMER_AND_BUSINESS_LOCATION']);
    const { placeInfos = [] } = object(places, 'service_area.places');
    if (list(placeInfos, 'service_area.places.place_infos').length > 20)
      throw coded('TOO_MANY_ENTRIES', 'service_area.places.place_infos');
  },
  openInfo: (value) => {
    const { status, openingDate } = object(value, 'open_info');
    oneOf(status, 'open_info.status', ['OPEN', 'CLOSED_PERMANENTLY', 'CLOSED_TEMPORARILY']);
    if (openingDate !== undefined) checkOpening(object(openingDate, 'open_info.opening_date'));
  },
  relationshipData: checkRelations,
  profile: (value) => {
    const { description } = object(value, 'profile');
    if (description === undefined) return;
    if (/(?:https?:\/\/|www\.)\S/i.test(text(description, 'profile.description', 750)))
      throw coded('PROFILE_DESCRIPTION_CONTAINS_URL', 'profile.description');
  },
  labels: (value) => list(value, 'labels').forEach((label, at) => text(label, `labels[${at}]`, 255)),
  serviceItems: checkServices,
};

/** Codes that no change of a location can provoke here, such as `[refuse:STALE_DATA]` in a store code or description. */
function refuseOnDemand(next: Fields): void {
  for (const [field, value] of [
    ['store_code', next['storeCode']],
    ['profile.description', (next['profile'] as Fields | undefined)?.['description']],
  ] as const) {
    const [, code] = /\[refuse:([A-Z_]+)\]/.exec(String(value)) ?? [];
    if (code) throw coded(code, field);
  }
}

/** Checks the updated fields of a location as they would be after the update. */
export function checkLocation(next: Fields, roots: Set<string>, canHaveServices: boolean): void {
  for (const root of roots) if (next[root] !== undefined) checks[root]?.(next[root]);
  if (next['title'] === undefined) throw coded('REQUIRED_FIELD_MISSING_VALUE', 'title');
  if (next['categories'] === undefined) throw coded('REQUIRED_FIELD_MISSING_VALUE', 'categories');
  if (next['specialHours'] !== undefined && next['regularHours'] === undefined)
    throw coded('SPECIAL_HOURS_SET_WITHOUT_REGULAR_HOURS', 'special_hours');
  refuseOnDemand(next);
  if (roots.has('serviceItems') && next['serviceItems'] !== undefined && !canHaveServices)
    throw violation('service_items', 'The services of this location cannot be modified.');
}
