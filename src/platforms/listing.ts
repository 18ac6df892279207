import type { Access } from './platform.ts';

/** The fields of a location under the platform's own names and types. */
export type LocationFields = Record<string, unknown>;

export interface FoundLocation {
  /** Without `locations/`. */
  id: string;
  title: string;
  storeCode?: string;
  address?: string;
  websiteUri?: string;
  primaryPhone?: string;
  primaryCategory?: string;
}

/** The value of an attribute; its kind decides which member is set. */
export interface AttributeValue {
  values?: (boolean | string)[];
  uriValues?: { uri: string }[];
  repeatedEnumValue?: { setValues?: string[]; unsetValues?: string[] };
}

export interface ListingAttribute extends AttributeValue {
  /** The platform's name: `attributes/has_delivery`. */
  name: string;
  valueType?: string;
}

/** An attribute that a location may have. */
export interface AttributeKind {
  name: string;
  valueType: string;
  displayName?: string;
  groupDisplayName?: string;
  /** The choices, for kinds that have any. */
  choices: { value: boolean | string; displayName?: string }[];
  isRepeatable: boolean;
  /** Accepted without an error but not saved. */
  isDeprecated: boolean;
}

export interface AttributeChange {
  name: string;
  /** Omitted to delete the attribute. */
  value?: AttributeValue;
  /** The caller's path, used to report a rejection. */
  path: string;
}

export interface LocationChange {
  /** Paths to change; a path without a value in `fields` is cleared. */
  paths: string[];
  fields: LocationFields;
}

/** Operations on business listings. Every failure is a PlatformError. */
export interface ListingAdapter {
  /** All locations of all accessible accounts, without duplicates. */
  listLocations: (access: Access) => Promise<FoundLocation[]>;
  readLocation: (access: Access, locationId: string, paths: string[]) => Promise<LocationFields>;
  /** Idempotent like `updateAttributes`, so both may be retried. */
  updateLocation: (access: Access, locationId: string, change: LocationChange) => Promise<LocationFields>;
  /** The attributes that are set. */
  listAttributes: (access: Access, locationId: string) => Promise<ListingAttribute[]>;
  updateAttributes: (access: Access, locationId: string, changes: AttributeChange[]) => Promise<ListingAttribute[]>;
  /** The attributes available to this location, by its category and country. */
  listAttributeKinds: (access: Access, locationId: string) => Promise<AttributeKind[]>;
}
