import type {
  ListingAttributeMetadataResult,
  ListingAttributesInput,
  ListingAttributesResult,
  ListingLocationDetailsInput,
  ListingLocationDetailsResult,
} from '../../contract/listing.ts';
import { maskEntries, readablePaths } from '../../contract/listing-mask.ts';
import type { Ctx } from '../context.ts';
import { attributeKinds } from './attribute-kinds.ts';
import { callListing, requireLocation } from './resolve-location.ts';

/** The attributes that are set. */
export async function listingAttributes(ctx: Ctx, input: ListingAttributesInput): Promise<ListingAttributesResult> {
  const target = await requireLocation(ctx, input);
  const { adapter, locationId } = target;
  const attributes = await callListing(ctx, target, (access) => adapter.listAttributes(access, locationId));
  return { accountId: input.accountId, locationId, attributes };
}

/** The attributes that the location supports. */
export async function listingAttributeMetadata(
  ctx: Ctx,
  input: ListingAttributesInput,
): Promise<ListingAttributeMetadataResult> {
  const target = await requireLocation(ctx, input);
  const kinds = await attributeKinds(ctx, target);
  return {
    accountId: input.accountId,
    locationId: target.locationId,
    attributeMetadata: kinds.map(({ name, valueType, displayName, groupDisplayName, isDeprecated, choices }) => ({
      name,
      valueType,
      displayName: displayName ?? null,
      groupDisplayName: groupDisplayName ?? null,
      isDeprecated,
      choices: choices.map((choice) => ({ value: choice.value, displayName: choice.displayName ?? null })),
    })),
  };
}

/** A location in the platform's own shape. */
export async function listingLocationDetails(
  ctx: Ctx,
  input: ListingLocationDetailsInput,
): Promise<ListingLocationDetailsResult> {
  const target = await requireLocation(ctx, input);
  const { adapter, locationId } = target;
  const paths = input.readMask === undefined ? readablePaths : maskEntries(input.readMask);
  const location = await callListing(ctx, target, (access) => adapter.readLocation(access, locationId, paths));
  return { accountId: input.accountId, locationId, location };
}
