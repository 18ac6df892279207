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
  'unsupported_platform_operation',
];
const ofLocation: ErrorCode[] = [...ofAccount, 'location_required'];

export const listingRoutes = [
  route({
    name: 'updateListingAttributes',
    method: 'PUT',
    path: '/v1/accounts/{accountId}/listing-attributes',
    inQuery: ['locationId'],
    summary: 'Change the attributes of a location that the mask names',
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
    summary: 'Change the fields of a location that the mask names',
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
    summary: 'The locations that a listing account reaches',
    input: ListListingLocationsInput,
    output: ListListingLocationsResult,
    errors: ofAccount,
    run: listListingLocations,
  }),
  route({
    name: 'selectListingLocation',
    method: 'PUT',
    path: '/v1/accounts/{accountId}/listing-locations',
    summary: 'Select the location that calls mean when they name none',
    input: SelectListingLocationInput,
    output: SelectListingLocationResult,
    errors: ofAccount,
    run: selectListingLocation,
  }),
  route({
    name: 'listingAttributes',
    method: 'GET',
    path: '/v1/accounts/{accountId}/listing-attributes',
    summary: 'The attributes of a location that are set',
    input: ListingAttributesInput,
    output: ListingAttributesResult,
    errors: ofLocation,
    run: listingAttributes,
  }),
  route({
    name: 'listingAttributeMetadata',
    method: 'GET',
    path: '/v1/accounts/{accountId}/listing-attribute-metadata',
    summary: 'The attributes that a location may have',
    input: ListingAttributeMetadataInput,
    output: ListingAttributeMetadataResult,
    errors: ofLocation,
    run: listingAttributeMetadata,
  }),
  route({
    name: 'listingLocationDetails',
    method: 'GET',
    path: '/v1/accounts/{accountId}/listing-location-details',
    summary: 'A location as the platform has it',
    input: ListingLocationDetailsInput,
    output: ListingLocationDetailsResult,
    errors: ofLocation,
    run: listingLocationDetails,
  }),
];
