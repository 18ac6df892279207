import { parseAddress } from '../../../lib/web-address.ts';
import { categoryOf } from './catalogue.ts';
import { violation } from './errors.ts';
import { checkRegularHours, checkSpecialHours } from './hours.ts';
import { isFields } from './masks.ts';
import type { Fields } from './state.ts';

const text = (value: unknown, field: string, longest: number): string => {
  if (typeof value !== 'string' || value.trim() === '') throw violation(field, 'Text is expected.');
  if (value.length > longest) throw violation(field, `At most ${longest} characters are allowed.`);
  return value;
};

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

/** Both fields are set together, because one alone cannot be updated. */
function checkPhones(value: unknown): void {
  const { primaryPhone, additionalPhones } = object(value, 'phone_numbers');
  if (primaryPhone === undefined || additionalPhones === undefined)
    throw violation('phone_numbers', 'Both primary_phone and additional_phones must be set.');
  const additional = list(additionalPhones, 'phone_numbers.additional_phones');
  if (additional.length > 2) throw violation('phone_numbers.additional_phones', 'At most two additional phones.');
  for (const phone of [primaryPhone, ...additional])
    if (typeof phone !== 'string' || !/^\+?[\d\s().-]{5,24}$/.test(phone))
      throw violation('phone_numbers', 'The phone number is not valid.');
}

function checkCategories(value: unknown): void {
  const { primaryCategory, additionalCategories } = object(value, 'categories');
  if (primaryCategory === undefined || additionalCategories === undefined)
    throw violation('categories', 'Both primary_category and additional_categories must be set.');
  const additional = list(additionalCategories, 'categories.additional_categories');
  // The number is unconfirmed.
  if (additional.length > 9) throw violation('categories.additional_categories', 'At most nine additional categories.');
  if (!categoryOf(object(primaryCategory, 'categories.primary_category')['name']))
    throw violation('categories.primary_category.name', 'The category does not exist.');
  for (const [at, entry] of additional.entries())
    if (!isFields(entry) || !categoryOf(entry['name']))
      throw violation(`categories.additional_categories[${at}].name`, 'The category does not exist.');
}

function checkServices(value: unknown): void {
  for (const [at, entry] of list(value, 'service_items').entries()) {
    const where = `service_items[${at}]`;
    const { structuredServiceItem: structured, freeFormServiceItem: free, price } = object(entry, where);
    if ((structured === undefined) === (free === undefined))
      throw violation(where, 'Exactly one of structured_service_item and free_form_service_item must be set.');
    if (structured !== undefined) checkStructured(structured, `${where}.structured_service_item`);
    if (free !== undefined) checkFreeForm(free, `${where}.free_form_service_item`);
    if (price !== undefined) checkPrice(object(price, `${where}.price`), `${where}.price`);
  }
}

function checkStructured(value: unknown, where: string): void {
  const { serviceTypeId, description } = object(value, where);
  if (!/^job_type_id:\w+$/.test(String(serviceTypeId)))
    throw violation(`${where}.service_type_id`, 'The service type does not exist.');
  if (description !== undefined) text(description, `${where}.description`, 300);
}

function checkFreeForm(value: unknown, where: string): void {
  const { category, label } = object(value, where);
  if (!categoryOf(category)?.isService)
    throw violation(
      `${where}.category`,
      'Provided free-form service item category is not a service business category.',
    );
  const { displayName, description } = object(label, `${where}.label`);
  text(displayName, `${where}.label.display_name`, 140);
  if (description !== undefined) text(description, `${where}.label.description`, 250);
}

function checkPrice({ currencyCode, units = '0', nanos = 0 }: Fields, where: string): void {
  if (!/^[A-Z]{3}$/.test(String(currencyCode)))
    throw violation(`${where}.currency_code`, 'The currency code is not valid.');
  if (!/^-?\d+$/.test(String(units)) || !Number.isInteger(nanos)) throw violation(where, 'The amount is not valid.');
}

const checks: Record<string, (value: unknown) => void> = {
  title: (value) => text(value, 'title', 750),
  storeCode: (value) => text(value, 'store_code', 64),
  websiteUri: (value) => {
    if (typeof value !== 'string' || !parseAddress(value) || !/^https?:/.test(value))
      throw violation('website_uri', 'The address is not valid.');
  },
  phoneNumbers: checkPhones,
  categories: checkCategories,
  storefrontAddress: (value) => {
    if (!/^[A-Z]{2}$/.test(String(object(value, 'storefront_address')['regionCode'])))
      throw violation('storefront_address.region_code', 'The region code is required.');
  },
  regularHours: (value) => checkRegularHours(value),
  specialHours: checkSpecialHours,
  moreHours: (value) => list(value, 'more_hours').forEach((entry, at) => checkRegularHours(entry, `more_hours[${at}]`)),
  serviceArea: (value) =>
    oneOf(object(value, 'service_area')['businessType'], 'service_area.business_type', [
      'CUSTOMER_LOCATION_ONLY',
      'CUSTOMER_AND_BUSINESS_LOCATION',
    ]),
  openInfo: (value) =>
    oneOf(object(value, 'open_info')['status'], 'open_info.status', [
      'OPEN',
      'CLOSED_PERMANENTLY',
      'CLOSED_TEMPORARILY',
    ]),
  profile: (value) => {
    const { description } = object(value, 'profile');
    if (description !== undefined) text(description, 'profile.description', 750);
  },
  labels: (value) => list(value, 'labels').forEach((label, at) => text(label, `labels[${at}]`, 255)),
  serviceItems: checkServices,
};

/** Checks the updated fields of a location as they would be after the update. */
export function checkLocation(next: Fields, roots: Set<string>, canHaveServices: boolean): void {
  for (const root of roots) if (next[root] !== undefined) checks[root]?.(next[root]);
  if (next['title'] === undefined) throw violation('title', 'The title is required.');
  if (next['categories'] === undefined) throw violation('categories', 'The primary category is required.');
  if (next['specialHours'] !== undefined && next['regularHours'] === undefined)
    throw violation('special_hours', 'Special hours cannot be set without regular hours.');
  if (roots.has('serviceItems') && next['serviceItems'] !== undefined && !canHaveServices)
    throw violation('service_items', 'The services of this location cannot be modified.');
}
