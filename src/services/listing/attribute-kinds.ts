import type { AttributeKind } from '../../platforms/listing.ts';
import type { Ctx } from '../context.ts';
import { storedDates } from '../stored-dates.ts';
import { callListing, type ListingTarget } from './resolve-location.ts';

const { date } = storedDates('listing_kinds');
const retentionMs = 86_400_000;
/** Minimum time between two refreshes for unknown names. */
const minRefreshMs = 60_000;

const keyOf = ({ account, locationId }: ListingTarget): string => `${account._id}:${locationId}`;

/**
 * The attributes that a location supports, cached for a day. An unknown name may be new, so the cache is refreshed
 * before it is rejected.
 */
export async function attributeKinds(
  ctx: Ctx,
  target: ListingTarget,
  requested: string[] = [],
): Promise<AttributeKind[]> {
  const { db, clock } = ctx;
  const cached = await db.listingKinds.findById(keyOf(target)).lean();
  if (cached) {
    const kinds = cached.kinds as AttributeKind[];
    const age = clock.now().getTime() - date(cached, 'askedAt').getTime();
    const names = new Set(kinds.map(({ name }) => name));
    if (age < minRefreshMs || (age < retentionMs && requested.every((name) => names.has(name)))) return kinds;
  }
  const kinds = await callListing(ctx, target, (access) =>
    target.adapter.listAttributeKinds(access, target.locationId),
  );
  const askedAt = clock.now();
  await db.listingKinds.updateOne({ _id: keyOf(target) }, { $set: { kinds, askedAt } }, { upsert: true });
  return kinds;
}

/** Attributes depend on category and country: a change of these invalidates the cache. */
export async function forgetAttributeKinds({ db }: Ctx, target: ListingTarget): Promise<void> {
  await db.listingKinds.deleteOne({ _id: keyOf(target) });
}
