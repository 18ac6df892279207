import { AppError } from '../../contract/error.ts';
import type {
  ListListingLocationsInput,
  ListListingLocationsResult,
  SelectListingLocationInput,
  SelectListingLocationPayload,
} from '../../contract/listing.ts';
import { accountActivity } from '../accounts/account-event.ts';
import { authorOf } from '../activity/author.ts';
import { changesOf } from '../activity/new-activity.ts';
import type { Ctx } from '../context.ts';
import { callListing, requireListing } from './resolve-location.ts';

/** Lists every location the connection can access, from the platform on each call. */
export async function listListingLocations(
  ctx: Ctx,
  { accountId }: ListListingLocationsInput,
): Promise<ListListingLocationsResult> {
  const connection = await requireListing(ctx, accountId);
  const { selectedLocationId } = connection.account;
  const found = await callListing(ctx, connection, connection.adapter.listLocations);
  const locations = found.map(({ id, title, storeCode, address, websiteUri, primaryPhone, primaryCategory }) => ({
    id,
    locationId: id,
    title,
    storeCode: storeCode ?? null,
    address: address ?? null,
    websiteUri: websiteUri ?? null,
    primaryPhone: primaryPhone ?? null,
    primaryCategory: primaryCategory ?? null,
    isSelected: id === selectedLocationId,
  }));
  return { accountId, selectedLocationId, locations };
}

/** Selects the default location of calls that name none; it must be one of the account's. */
export async function selectListingLocation(
  ctx: Ctx,
  { accountId, selectedLocationId }: SelectListingLocationInput,
): Promise<SelectListingLocationPayload> {
  const connection = await requireListing(ctx, accountId);
  const found = await callListing(ctx, connection, connection.adapter.listLocations);
  if (!found.some(({ id }) => id === selectedLocationId)) {
    throw new AppError('location_not_found', `The location ${selectedLocationId} is not among the account's`, {
      param: 'selectedLocationId',
    });
  }
  const { account } = connection;
  const changes = changesOf(account, { selectedLocationId });
  const entry = accountActivity('account.updated', account, { author: authorOf(ctx), at: ctx.clock.now(), changes });
  await ctx.db.accounts.updateOne(
    { _id: accountId },
    { $set: { selectedLocationId }, $push: { pendingEvents: entry } },
  );
  ctx.wakeRelay();
  return { success: true, accountId, selectedLocationId };
}
