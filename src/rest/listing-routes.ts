import type { ErrorCode } from '../contract/error.ts';
import {
  ListingAttributeMetadataInput,
  ListingAttributeMetadataResult,
  ListingAttributesInput,
  ListingAttributesResult,
  ListingLocationDetailsInput,
  ListingLocationDetailsResult,
  ListListingLocationsInput,
  ListListingLocationsResult,
  SelectListingLocationInput,
  SelectListingLocationResult,
  UpdateListingAttributesInput,
  UpdateListingAttributesResult,
  UpdateListingLocationDetailsInput,
  UpdateListingLocationDetailsResult,
} from '../contract/listing.ts';
import { listListingLocations, selectListingLocation } from '../services/listing/locations.ts';
import {
  listingAttributeMetadata,
  listingAttributes,
  listingLocationDetails,
} from '../services/listing/read-listing.ts';
import { updateListingAttributes } from '../services/listing/update-attributes.ts';
import { updateListingLocationDetails } from '../services/listing/update-location.ts';
import { route } from './route.ts';

const ofAccount: ErrorCode[] = [
  'platform_token_expired',
  'account_not_found',
  'location_not_found',
  'platform_api_error',
  'missing_platform_permission',
  'unsupported_platform_operation',
];
const ofLocation: ErrorCode[] = [...ofAccount, 'location_required'];

export const listingRoutes = [
  route({
    name: 'updateListingAttributes',
    method: 'PUT',
    path: '/v1/accounts/{accountId}/listing-attributes',
    inQuery: ['locationId'],
    summary: 'Update listing attributes',
    description: 'Changes the attributes of a location that `attributeMask` names; all others stay as they are.',
    input: UpdateListingAttributesInput,
    output: UpdateListingAttributesResult,
    errors: ofLocation,
    run: updateListingAttributes,
  }),
  route({
    name: 'updateListingLocationDetails',
    method: 'PUT',
    path: '/v1/accounts/{accountId}/listing-location-details',
    inQuery: ['locationId'],
    summary: 'Update listing details',
    description:
      'Changes the fields of a location that `updateMask` names; null clears a field, all others stay as they are.',
    input: UpdateListingLocationDetailsInput,
    output: UpdateListingLocationDetailsResult,
    errors: ofLocation,
    run: updateListingLocationDetails,
  }),
  route({
    name: 'listingLocations',
    method: 'GET',
    path: '/v1/accounts/{accountId}/listing-locations',
    shortPath: '/v1/listing-locations',
    summary: 'List listing locations',
    description: 'Returns the locations that a listing account can access.',
    input: ListListingLocationsInput,
    output: ListListingLocationsResult,
    errors: ofAccount,
    run: listListingLocations,
  }),
  route({
    name: 'selectListingLocation',
    method: 'PUT',
    path: '/v1/accounts/{accountId}/listing-locations',
    summary: 'Select a listing location',
    description: 'Selects the location that listing requests use if they name none.',
    input: SelectListingLocationInput,
    output: SelectListingLocationResult,
    errors: ofAccount,
    run: selectListingLocation,
  }),
  route({
    name: 'listingAttributes',
    method: 'GET',
    path: '/v1/accounts/{accountId}/listing-attributes',
    summary: 'Retrieve listing attributes',
    description: 'Returns the attributes of a location that are set.',
    input: ListingAttributesInput,
    output: ListingAttributesResult,
    errors: ofLocation,
    run: listingAttributes,
  }),
  route({
    name: 'listingAttributeMetadata',
    method: 'GET',
    path: '/v1/accounts/{accountId}/listing-attribute-metadata',
    summary: 'List available listing attributes',
    description: 'Returns the attributes that a location can have, with their types and choices.',
    input: ListingAttributeMetadataInput,
    output: ListingAttributeMetadataResult,
    errors: ofLocation,
    run: listingAttributeMetadata,
  }),
  route({
    name: 'listingLocationDetails',
    method: 'GET',
    path: '/v1/accounts/{accountId}/listing-location-details',
    summary: 'Retrieve listing details',
    description: 'Returns the fields of a location as the platform has them, or only those that `readMask` names.',
    input: ListingLocationDetailsInput,
    output: ListingLocationDetailsResult,
    errors: ofLocation,
    run: listingLocationDetails,
  }),
];
