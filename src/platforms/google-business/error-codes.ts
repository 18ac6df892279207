import { own } from '../../lib/own.ts';

interface Known {
  /** The field, if the refusal does not name one. */
  field?: string;
  /** States what to do; the platform's own message often does not. */
  hint?: string;
}

const address = { field: 'storefront_address' };
const pin = {
  ...address,
  hint: 'The platform cannot locate the address: set the pin of the location in the Business Profile interface, or correct the address',
};
const phones = { field: 'phone_numbers' };
const description = { field: 'profile.description' };
const special = { field: 'special_hours' };
const services = { field: 'service_items' };
const relations = { field: 'relationship_data' };
const opening = { field: 'open_info.opening_date' };
const unknown = {};

/** The error codes of the Business Information API, by which it rejects changes of a location. */
const codes: Record<string, Known> = {
  INVALID_ATTRIBUTE_NAME: { hint: 'The platform does not offer the attribute for this location' },
  ASSOCIATE_OPERATION_ON_VERIFIED_LOCATION: unknown,
  ASSOCIATE_LOCATION_INVALID_PLACE_ID: unknown,
  LAT_LNG_UPDATES_NOT_PERMITTED: { field: 'latlng' },
  PO_BOX_IN_ADDRESS_NOT_ALLOWED: { ...address, hint: 'A post office box is no address of a location' },
  BLOCKED_REGION: { ...address, hint: 'The platform accepts no businesses of this region' },
  MISSING_BOTH_PHONE_AND_WEBSITE: {
    ...phones,
    hint: 'A business without a storefront needs a phone number or a website',
  },
  MISSING_STOREFRONT_ADDRESS_OR_SAB: { ...address, hint: 'A location needs a storefront address or a service area' },
  LAT_LNG_TOO_FAR_FROM_ADDRESS: address,
  LAT_LNG_REQUIRED: pin,
  PIN_DROP_REQUIRED: pin,
  INVALID_CHARACTERS: { hint: 'The text contains characters that the platform does not accept' },
  FORBIDDEN_WORDS: { hint: 'The text contains words that the platform does not accept' },
  INVALID_INTERCHANGE_CHARACTERS: { hint: 'The text contains characters that the platform does not accept' },
  FIELDS_REQUIRED_FOR_CATEGORY: { field: 'categories', hint: 'The category requires further fields' },
  STOREFRONT_REQUIRED_FOR_CATEGORY: { ...address, hint: 'The category requires a storefront address' },
  ADDRESS_MISSING_REGION_CODE: { field: 'storefront_address.region_code' },
  ADDRESS_EDIT_CHANGES_COUNTRY: {
    field: 'storefront_address.region_code',
    hint: 'A location cannot move to another country',
  },
  UNVERIFIED_LOCATION: { hint: 'The location is not verified: verify it in the Business Profile interface first' },
  INVALID_LOCATION_CATEGORY: { field: 'categories' },
  INVALID_URL: { field: 'website_uri' },
  URL_PROVIDER_NOT_ALLOWED: unknown,
  TOO_MANY_VALUES: unknown,
  DELETED_LINK: unknown,
  LINK_ALREADY_EXISTS: unknown,
  LINK_DOES_NOT_EXIST: unknown,
  SCALABLE_DEEP_LINK_INVALID_MULTIPLICITY: unknown,
  SPECIAL_HOURS_SET_WITHOUT_REGULAR_HOURS: { ...special, hint: 'Special hours need regular hours' },
  INVALID_TIME_SCHEDULE: { hint: 'The periods overlap, or one ends before it begins' },
  INVALID_HOURS_VALUE: unknown,
  OVERLAPPED_SPECIAL_HOURS: { ...special, hint: 'Special hours overlap' },
  INCOMPATIBLE_MORE_HOURS_TYPE_FOR_CATEGORY: { field: 'more_hours' },
  DUPLICATE_CHILDREN_LOCATIONS: relations,
  INCOMPATIBLE_SERVICE_AREA_AND_CATEGORY: { field: 'service_area' },
  INVALID_SERVICE_AREA_PLACE_ID: { field: 'service_area' },
  INVALID_AREA_TYPE_FOR_SERVICE_AREA: { field: 'service_area' },
  OPENING_DATE_TOO_FAR_IN_THE_FUTURE: { ...opening, hint: 'The opening date must be within a year' },
  OPENING_DATE_MISSING_YEAR_OR_MONTH: opening,
  OPENING_DATE_BEFORE_1AD: opening,
  TOO_MANY_ENTRIES: unknown,
  INVALID_PHONE_NUMBER: { ...phones, hint: 'The phone number is not valid' },
  INVALID_PHONE_NUMBER_FOR_REGION: { ...phones, hint: "The phone number is not valid in the location's country" },
  MISSING_PRIMARY_PHONE_NUMBER: { ...phones, hint: 'A primary phone number is required' },
  THROTTLED: { hint: 'The platform accepts only a few changes of a field per day; try again later' },
  UNSUPPORTED_POINT_RADIUS_SERVICE_AREA: { field: 'service_area' },
  INVALID_CATEGORY: { field: 'categories', hint: 'The platform has no such category' },
  CANNOT_REOPEN: { field: 'open_info.status', hint: 'The business cannot be opened again' },
  INVALID_BUSINESS_OPENING_DATE: opening,
  INVALID_LATLNG: { field: 'latlng' },
  PROFILE_DESCRIPTION_CONTAINS_URL: { ...description, hint: 'A description must not contain a web address' },
  LODGING_CANNOT_EDIT_PROFILE_DESCRIPTION: {
    ...description,
    hint: 'The platform writes the description of lodgings itself',
  },
  INVALID_ADDRESS: address,
  PARENT_CHAIN_CANNOT_BE_THE_LOCATION_ITSELF: relations,
  RELATION_CANNOT_BE_THE_LOCATION_ITSELF: relations,
  RELATION_ENDPOINTS_TOO_FAR: relations,
  MULTIPLE_ORGANIZATIONALLY_PART_OF_RELATION: relations,
  MISSING_ADDRESS_COMPONENTS: { ...address, hint: 'The address is incomplete' },
  READ_ONLY_ADDRESS_COMPONENTS: address,
  ADDRESS_REMOVAL_NOT_ALLOWED: { ...address, hint: 'The address of this business cannot be removed' },
  STRING_TOO_LONG: { hint: 'The text is too long' },
  STRING_TOO_SHORT: { hint: 'The text is too short' },
  REQUIRED_FIELD_MISSING_VALUE: { hint: 'A required field has no value' },
  ATTRIBUTE_PROVIDER_URL_NOT_ALLOWED: unknown,
  ATTRIBUTE_INVALID_ENUM_VALUE: { hint: 'The attribute has no such choice' },
  ATTRIBUTE_NOT_AVAILABLE: { hint: 'The platform does not offer the attribute for this location' },
  ATTRIBUTE_CANNOT_BE_REPEATED: unknown,
  ATTRIBUTE_TYPE_NOT_COMPATIBLE_FOR_CATEGORY: { hint: 'The category of the location does not have the attribute' },
  AMBIGUOUS_TITLE: { field: 'title' },
  INVALID_CATEGORY_FOR_SAB: { field: 'categories' },
  INVALID_SERVICE_ITEM: services,
  SERVICE_ITEM_LABEL_NO_DISPLAY_NAME: services,
  SERVICE_ITEM_LABEL_DUPLICATE_DISPLAY_NAME: services,
  SERVICE_ITEM_LABEL_INVALID_UTF8: services,
  FREE_FORM_SERVICE_ITEM_WITH_NO_CATEGORY_ID: services,
  FREE_FORM_SERVICE_ITEM_WITH_NO_LABEL: services,
  SERVICE_ITEM_WITH_NO_SERVICE_TYPE_ID: services,
  SERVICE_TYPE_ID_DUPLICATE: services,
  PRICE_CURRENCY_MISSING: services,
  PRICE_CURRENCY_INVALID: services,
  INVALID_LANGUAGE: unknown,
  STALE_DATA: {
    hint: 'The platform has changed the location itself: accept or reject its changes in the Business Profile interface first',
  },
  PHONE_NUMBER_EDITS_NOT_ALLOWED: { ...phones, hint: 'The phone number of this location cannot be changed' },
};

const apiAccess =
  'This installation has no access to the Business Profile APIs: request it for the project in the Google Cloud console';

/** Reasons of Google's API gateway; the others concern the credentials and have the status of an expired token. */
const gateway: Record<string, Known> = {
  SERVICE_DISABLED: { hint: apiAccess },
  SERVICE_NOT_VISIBLE: { hint: apiAccess },
  GBP_RESTRICTED_API: { hint: apiAccess },
  CONSUMER_SUSPENDED: { hint: 'The Google Cloud project of this installation is suspended' },
  CONSUMER_INVALID: { hint: 'The Google Cloud project of this installation is not valid' },
  USER_BLOCKED_BY_ADMIN: { hint: "The user's administrator blocks this app" },
  ACCOUNT_STATE_INVALID: { hint: 'The Google account is disabled or deleted' },
};

export const noQuota = apiAccess;

/** What is known of an error code; undefined for one that is not published. */
export const knownCode = (reason: string | undefined): Known | undefined =>
  own(codes, reason ?? '') ?? own(gateway, reason ?? '');
