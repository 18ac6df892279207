import type { AttributeKind } from '../../platforms/listing.ts';
import type { Ctx } from '../context.ts';
import { callListing, type ListingTarget } from './resolve-location.ts';

const keptMs = 86_400_000;
/** What was asked this recently is not asked again for a name that is not among it. */
const freshMs = 60_000;

const keyOf = ({ account, locationId }: ListingTarget): string => `${account._id}:${locationId}`;

/**
 * The attributes that a location may have, asked of the platform once a day. A name that is not among them may be new:
 * before it is refused the platform is asked again.
 */
export async function attributeKinds(ctx: Ctx, target: ListingTarget, wanted: string[] = []): Promise<AttributeKind[]> {
  const { db, clock } = ctx;
  const known = await db.listingKinds.findById(keyOf(target)).lean();
  if (known) {
    const kinds = known.kinds as AttributeKind[];
    const age = clock.now().getTime() - known.askedAt.getTime();
    const names = new Set(kinds.map(({ name }) => name));
    if (age < freshMs || (age < keptMs && wanted.every((name) => names.has(name)))) return kinds;
  }
  const kinds = await callListing(ctx, target, (access) =>
    target.adapter.listAttributeKinds(access, target.locationId),
  );
  const askedAt = clock.now();
  await db.listingKinds.updateOne({ _id: keyOf(target) }, { $set: { kinds, askedAt } }, { upsert: true });
  return kinds;
}

/** Attributes hang on category and country: where these change, the others are asked for anew. */
export async function forgetAttributeKinds({ db }: Ctx, target: ListingTarget): Promise<void> {
  await db.listingKinds.deleteOne({ _id: keyOf(target) });
}
