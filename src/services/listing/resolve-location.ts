import { AppError, type ErrorExtras } from '../../contract/error.ts';
import { accountKinds } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { ListingAdapter } from '../../platforms/listing.ts';
import type { Access } from '../../platforms/platform.ts';
import { requireAccount } from '../access.ts';
import { requireScopes } from '../accounts/scopes.ts';
import { withAccess } from '../accounts/platform-access.ts';
import type { Ctx, Services } from '../context.ts';
import { appErrorFromPlatform } from '../platform-error.ts';

export interface ListingConnection {
  account: AccountDoc;
  adapter: ListingAdapter;
}

export interface ListingTarget extends ListingConnection {
  locationId: string;
}

interface Named {
  accountId: string;
  locationId?: string | null;
}

/** Finds a business-listing account accessible to the key; one of another platform is not found. */
export async function requireListing(ctx: Ctx, accountId: string): Promise<ListingConnection> {
  const account = await requireAccount(ctx, accountId);
  if (!accountKinds[account.platform]?.hasListings) {
    const message = `The account ${accountId} is of platform ${account.platform}, which has no listings`;
    throw new AppError('account_not_found', message, { param: 'accountId' });
  }
  if (!ctx.listing) throw new AppError('unsupported_platform_operation', 'No listing platform is configured');
  requireScopes(ctx, account, 'editListing');
  return { account, adapter: ctx.listing };
}

/** The location of a call: the named one, else the account's default. */
export async function requireLocation(ctx: Ctx, { accountId, locationId }: Named): Promise<ListingTarget> {
  const connection = await requireListing(ctx, accountId);
  const meant = locationId ?? connection.account.selectedLocationId;
  if (meant) return { ...connection, locationId: meant };
  throw new AppError('location_required', 'Name a location, or select one for the account first', {
    param: 'locationId',
  });
}

/** Calls the platform for an account. Its error includes all details, because the message alone is rarely specific. */
export async function callListing<T>(
  services: Services,
  { account }: ListingConnection,
  ask: (access: Access) => Promise<T>,
): Promise<T> {
  try {
    return await withAccess(services, account, ask);
  } catch (error) {
    throw error instanceof PlatformError ? refusal(error) : error;
  }
}

function refusal(error: PlatformError): AppError {
  const { code, message, extras } = appErrorFromPlatform(error, 'location_not_found');
  const isUnknown = code === 'location_not_found';
  const { title, details: upstream } = error.upstream;
  const said = { ...(title && { status: title }), ...(upstream?.length && { upstream }) };
  const full: ErrorExtras = {
    ...extras,
    ...(isUnknown && { param: extras.param ?? 'locationId' }),
    details: { ...extras.details, ...said },
  };
  const text = isUnknown ? `The location does not exist or this account cannot access it: ${message}` : message;
  return new AppError(code, text, full, { cause: error });
}
