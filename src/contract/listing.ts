import { z } from 'zod';
import { ObjectId, Warning } from './common.ts';
import { locationFields } from './listing-location.ts';
import { AttributeMask, AttributeName, ReadMask, UpdateMask } from './listing-mask.ts';

const LocationId = z
  .string()
  .trim()
  .max(255)
  .regex(/^(?:(?:accounts\/[\w-]+\/)?locations\/)?[\w-]{1,64}$/, 'must be an id such as 123 or locations/123')
  .transform((id) => id.split('/').at(-1) ?? id)
  .describe('As listingLocations returns it, or in the platform format: locations/123');
const located = {
  accountId: ObjectId,
  locationId: LocationId.nullable().optional().describe("Instead of the account's selected location"),
};
const answered = {
  accountId: z.string().describe('As it was given'),
  locationId: z.string().describe('The location of the call'),
};
const success = z.literal(true).describe('Always true; failures are errors');
const pending = z
  .boolean()
  .nullable()
  .describe('Whether the platform reviews changes of the location before it shows them; null if that is not known');
const warnings = z.array(Warning).optional().describe('What was not applied, or is not visible yet; absent if none');

const scalar = z.union([z.boolean(), z.string().max(255)], { error: 'must be true, false or a text' });
const attributeValue = {
  values: z.array(scalar).max(100).nullable().optional().describe('One boolean or one choice; an empty list deletes'),
  uriValues: z
    .array(
      z
        .strictObject({ uri: z.string().max(2048).describe('The address') })
        .meta({ id: 'UriValue', description: 'An address' }),
    )
    .max(100)
    .nullable()
    .optional()
    .describe('For attributes that are addresses'),
  repeatedEnumValue: z
    .strictObject({
      setValues: z.array(z.string().max(255)).max(100).nullable().optional().describe('Choices to set'),
      unsetValues: z.array(z.string().max(255)).max(100).nullable().optional().describe('Choices to unset'),
    })
    .meta({ id: 'RepeatedEnumValue', description: 'Several choices of one attribute' })
    .nullable()
    .optional()
    .describe('For attributes with several choices'),
};

export const ListingAttributeInput = z
  .strictObject({
    name: AttributeName,
    ...attributeValue,
    valueType: z.string().max(64).nullable().optional().describe('As read; the platform sets it'),
  })
  .meta({ id: 'ListingAttributeInput', description: 'An attribute and its new value' });
export type ListingAttributeInput = z.output<typeof ListingAttributeInput>;

export const ListingAttribute = z
  .strictObject({
    name: z.string().describe('In the platform format'),
    valueType: z.string().nullable().optional().describe('BOOL, ENUM, URL or REPEATED_ENUM'),
    ...attributeValue,
  })
  .meta({ id: 'ListingAttribute', description: 'An attribute that is set' });

export const UpdateListingAttributesInput = z
  .strictObject({
    ...located,
    attributes: z.array(ListingAttributeInput).max(500).describe('The new values of the attributes'),
    attributeMask: AttributeMask,
  })
  .meta({ id: 'UpdateListingAttributesInput', description: 'Changes the attributes that the mask names' });
export type UpdateListingAttributesInput = z.output<typeof UpdateListingAttributesInput>;

export const UpdateListingAttributesPayload = z
  .strictObject({
    success,
    ...answered,
    attributes: z.array(ListingAttribute).describe('Current values at the platform'),
    pending,
    warnings,
  })
  .meta({ id: 'UpdateListingAttributesPayload', description: 'The attributes after the change' });
export type UpdateListingAttributesPayload = z.infer<typeof UpdateListingAttributesPayload>;

export const UpdateListingLocationDetailsInput = z
  .strictObject({ ...located, updateMask: UpdateMask, ...locationFields })
  .meta({
    id: 'UpdateListingLocationDetailsInput',
    description: 'Changes the fields that the mask names; null clears one',
  });
export type UpdateListingLocationDetailsInput = z.output<typeof UpdateListingLocationDetailsInput>;

export const UpdateListingLocationDetailsPayload = z
  .strictObject({ success, ...answered, pending, warnings })
  .meta({ id: 'UpdateListingLocationDetailsPayload', description: 'The location was changed' });
export type UpdateListingLocationDetailsPayload = z.infer<typeof UpdateListingLocationDetailsPayload>;

export const ListingLocation = z
  .strictObject({
    id: z.string().meta({ scalar: 'ID', description: 'The id of the location; the same as locationId' }),
    locationId: z.string().describe('What locationId takes'),
    title: z.string().describe('The name of the business'),
    storeCode: z.string().nullable().describe("The business's own code for it"),
    address: z.string().nullable().describe('In one line'),
    websiteUri: z.string().nullable().describe('Its website'),
    primaryPhone: z.string().nullable().describe('Its telephone number'),
    primaryCategory: z.string().nullable().describe('What kind of business it is'),
    isSelected: z.boolean().describe('The default location of listing calls'),
  })
  .meta({ id: 'ListingLocation', description: 'A location accessible to a connection' });

export const ListListingLocationsInput = z
  .strictObject({ accountId: ObjectId })
  .meta({ id: 'ListListingLocationsInput' });
export type ListListingLocationsInput = z.output<typeof ListListingLocationsInput>;

export const ListListingLocationsResult = z
  .strictObject({
    accountId: z.string(),
    selectedLocationId: z.string().nullable(),
    locations: z.array(ListingLocation),
  })
  .meta({ id: 'ListListingLocationsResult' });
export type ListListingLocationsResult = z.infer<typeof ListListingLocationsResult>;

export const SelectListingLocationInput = z
  .strictObject({ accountId: ObjectId, selectedLocationId: LocationId })
  .meta({ id: 'SelectListingLocationInput', description: 'The default location of listing calls' });
export type SelectListingLocationInput = z.output<typeof SelectListingLocationInput>;

export const SelectListingLocationPayload = z
  .strictObject({
    success,
    accountId: z.string().describe('As it was given'),
    selectedLocationId: z.string().describe('The new default location'),
  })
  .meta({ id: 'SelectListingLocationPayload', description: 'The location is selected' });
export type SelectListingLocationPayload = z.infer<typeof SelectListingLocationPayload>;

export const ListingAttributesInput = z.strictObject(located).meta({ id: 'ListingAttributesInput' });
export type ListingAttributesInput = z.output<typeof ListingAttributesInput>;

export const ListingAttributesResult = z
  .strictObject({ ...answered, attributes: z.array(ListingAttribute).describe('Those that are set') })
  .meta({ id: 'ListingAttributesResult', description: 'The attributes of a location' });
export type ListingAttributesResult = z.infer<typeof ListingAttributesResult>;

export const ListingAttributeKind = z
  .strictObject({
    name: z.string().describe('In the platform format'),
    valueType: z.string().describe('BOOL, ENUM, URL or REPEATED_ENUM'),
    displayName: z.string().nullable().describe('Display name'),
    groupDisplayName: z.string().nullable().describe('Display name of its group'),
    isDeprecated: z.boolean().describe('The platform accepts it but does not save it'),
    choices: z
      .array(
        z
          .strictObject({
            value: scalar.describe('What to send'),
            displayName: z.string().nullable().describe('Display name'),
          })
          .meta({ id: 'ListingAttributeChoice', description: 'A choice of an attribute' }),
      )
      .describe('Empty for kinds without choices'),
  })
  .meta({ id: 'ListingAttributeKind', description: 'An attribute that the location supports' });

export const ListingAttributeMetadataInput = z.strictObject(located).meta({ id: 'ListingAttributeMetadataInput' });

export const ListingAttributeMetadataResult = z
  .strictObject({ ...answered, attributeMetadata: z.array(ListingAttributeKind).describe('Cached for a day') })
  .meta({ id: 'ListingAttributeMetadataResult', description: 'The attributes that a location supports' });
export type ListingAttributeMetadataResult = z.infer<typeof ListingAttributeMetadataResult>;

export const ListingLocationDetailsInput = z
  .strictObject({ ...located, readMask: ReadMask.optional() })
  .meta({ id: 'ListingLocationDetailsInput' });
export type ListingLocationDetailsInput = z.output<typeof ListingLocationDetailsInput>;

export const ListingLocationDetailsResult = z
  .strictObject({
    ...answered,
    location: z.record(z.string(), z.unknown()).describe("In the platform's own names and shapes"),
  })
  .meta({ id: 'ListingLocationDetailsResult', description: 'A location at the platform' });
export type ListingLocationDetailsResult = z.infer<typeof ListingLocationDetailsResult>;
