import {
  ListingAttributeMetadataInput,
  ListingAttributeMetadataResult,
  ListingAttributesInput,
  ListingAttributesResult,
  ListingLocation,
  ListingLocationDetailsInput,
  ListingLocationDetailsResult,
  ListListingLocationsInput,
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
import { builder } from './builder.ts';
import { argsOf, fromArgs, inputArgs, objectType, parsed } from './from-contract.ts';
import { mutate } from './mutate.ts';

const ids = ['accountId', 'locationId'];
const withoutNulls = { dropNulls: true };

builder.queryField('listingLocations', (t) =>
  t.field({
    type: [objectType(ListingLocation)],
    description: 'The locations that a listing account reaches, over all accounts of the platform.',
    args: t.validate(argsOf(t, ListListingLocationsInput), fromArgs(ListListingLocationsInput)),
    resolve: async (_root, input, ctx) =>
      (await listListingLocations(ctx, parsed(ListListingLocationsInput, input))).locations,
  }),
);

builder.queryField('listingAttributes', (t) =>
  t.field({
    type: objectType(ListingAttributesResult),
    description: 'The attributes of a location that are set.',
    args: t.validate(argsOf(t, ListingAttributesInput), fromArgs(ListingAttributesInput, withoutNulls)),
    resolve: (_root, input, ctx) => listingAttributes(ctx, parsed(ListingAttributesInput, input)),
  }),
);

builder.queryField('listingAttributeMetadata', (t) =>
  t.field({
    type: objectType(ListingAttributeMetadataResult),
    description: 'The attributes that a location may have, by its category and country; asked once a day.',
    args: t.validate(argsOf(t, ListingAttributeMetadataInput), fromArgs(ListingAttributeMetadataInput, withoutNulls)),
    resolve: (_root, input, ctx) => listingAttributeMetadata(ctx, parsed(ListingAttributeMetadataInput, input)),
  }),
);

builder.queryField('listingLocationDetails', (t) =>
  t.field({
    type: objectType(ListingLocationDetailsResult),
    description: "A location as the platform has it; 404 `location_not_found` when it is not among the account's.",
    args: t.validate(argsOf(t, ListingLocationDetailsInput), fromArgs(ListingLocationDetailsInput, withoutNulls)),
    resolve: (_root, input, ctx) => listingLocationDetails(ctx, parsed(ListingLocationDetailsInput, input)),
  }),
);

builder.mutationField('selectListingLocation', (t) =>
  t.field({
    type: objectType(SelectListingLocationResult),
    nullable: true,
    description: 'Selects the location that listing calls mean when they name none.',
    args: t.validate(inputArgs(t, SelectListingLocationInput, ['accountId']), fromArgs(SelectListingLocationInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, () => selectListingLocation(ctx, parsed(SelectListingLocationInput, input))),
  }),
);

builder.mutationField('updateListingAttributes', (t) =>
  t.field({
    type: objectType(UpdateListingAttributesResult),
    nullable: true,
    description: 'Changes the attributes of a location that the mask names; an empty list of values deletes one.',
    args: t.validate(inputArgs(t, UpdateListingAttributesInput, ids), fromArgs(UpdateListingAttributesInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, (newId) =>
        updateListingAttributes(ctx, parsed(UpdateListingAttributesInput, input), newId),
      ),
  }),
);

builder.mutationField('updateListingLocationDetails', (t) =>
  t.field({
    type: objectType(UpdateListingLocationDetailsResult),
    nullable: true,
    description: 'Changes the fields of a location that the mask names; null clears one.',
    args: t.validate(inputArgs(t, UpdateListingLocationDetailsInput, ids), fromArgs(UpdateListingLocationDetailsInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, (newId) =>
        updateListingLocationDetails(ctx, parsed(UpdateListingLocationDetailsInput, input), newId),
      ),
  }),
);
