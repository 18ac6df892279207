import type { UpdateListingAttributesInput, UpdateListingAttributesPayload } from '../../contract/listing.ts';
import type { Ctx } from '../context.ts';
import { attributeKinds } from './attribute-kinds.ts';
import { checkKinds, planAttributes } from './check-attributes.ts';
import { editListing } from './edit.ts';
import { isPending } from './mask-fields.ts';
import { callListing, requireLocation, type ListingTarget } from './resolve-location.ts';

/** Changes the attributes that the mask names, in one platform call; ignored input causes warnings. */
export async function updateListingAttributes(
  ctx: Ctx,
  input: UpdateListingAttributesInput,
  objectId: string,
): Promise<UpdateListingAttributesPayload> {
  const plan = planAttributes(input);
  const { changes } = plan;
  const fields = changes.map(({ name }) => name);
  const target = await requireLocation(ctx, input);
  const { adapter, locationId } = target;
  const warnings = checkKinds(plan, await attributeKinds(ctx, target, fields));
  const attributes = await editListing(ctx, target, {
    fields,
    change: { attributes: changes.map(({ name, value }) => ({ name, value })) },
    objectId,
    send: (access) => adapter.updateAttributes(access, locationId, changes),
  });
  return {
    success: true,
    accountId: input.accountId,
    locationId,
    attributes,
    pending: await readPending(ctx, target),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** The answer to a change of attributes does not say it. The change is made, so a failed read must not fail the call. */
const readPending = (ctx: Ctx, target: ListingTarget): Promise<boolean | null> =>
  callListing(ctx, target, (access) => target.adapter.readLocation(access, target.locationId, ['metadata'])).then(
    isPending,
    () => null,
  );
