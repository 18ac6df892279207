import type { Access } from './platform.ts';

/** The fields of a location in the platform's own names and shapes. */
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

/** What an attribute says; which member holds it depends on the kind of the attribute. */
export interface AttributeValue {
  values?: (boolean | string)[];
  uriValues?: { uri: string }[];
  repeatedEnumValue?: { setValues?: string[]; unsetValues?: string[] };
}

export interface ListingAttribute extends AttributeValue {
  /** As the platform says it: `attributes/has_delivery`. */
  name: string;
  valueType?: string;
}

/** An attribute that a location may have. */
export interface AttributeKind {
  name: string;
  valueType: string;
  displayName?: string;
  groupDisplayName?: string;
  /** The choices, for kinds that have them. */
  choices: { value: boolean | string; displayName?: string }[];
  isRepeatable: boolean;
  /** Taken without an error and not saved. */
  isDeprecated: boolean;
}

export interface AttributeChange {
  name: string;
  /** Without one the attribute is deleted. */
  value?: AttributeValue;
  /** Where the caller wrote it, to name it when the platform refuses it. */
  path: string;
}

export interface LocationChange {
  /** What changes; a path without a value in `fields` is cleared. */
  paths: string[];
  fields: LocationFields;
}

/** What the business listing can do. Every failure is a PlatformError. */
export interface ListingAdapter {
  /** All locations of all the accounts that the connection reaches, each once. */
  listLocations: (access: Access) => Promise<FoundLocation[]>;
  readLocation: (access: Access, locationId: string, paths: string[]) => Promise<LocationFields>;
  /** Setting a value twice changes nothing the second time, so both updates may be repeated. */
  updateLocation: (access: Access, locationId: string, change: LocationChange) => Promise<LocationFields>;
  /** Those that are set. */
  listAttributes: (access: Access, locationId: string) => Promise<ListingAttribute[]>;
  updateAttributes: (access: Access, locationId: string, changes: AttributeChange[]) => Promise<ListingAttribute[]>;
  /** Those that this location may have, by its category and country. */
  listAttributeKinds: (access: Access, locationId: string) => Promise<AttributeKind[]>;
}
