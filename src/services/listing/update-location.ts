import type { Warning } from '../../contract/common.ts';
import { invalidInput, type Problem } from '../../contract/error.ts';
import type { UpdateListingLocationDetailsInput, UpdateListingLocationDetailsPayload } from '../../contract/listing.ts';
import { maskEntries } from '../../contract/listing-mask.ts';
import type { Ctx } from '../context.ts';
import { forgetAttributeKinds } from './attribute-kinds.ts';
import { editListing } from './edit.ts';
import { isPending, leftOut, pick, saysNothing, valueAt, type Fields } from './mask-fields.ts';
import { requireLocation } from './resolve-location.ts';

/** Changes the fields of a location that the mask names, in one platform call; ignored input causes warnings. */
export async function updateListingLocationDetails(
  ctx: Ctx,
  input: UpdateListingLocationDetailsInput,
  objectId: string,
): Promise<UpdateListingLocationDetailsPayload> {
  const { accountId, locationId: _named, updateMask, ...body } = input;
  const paths = maskEntries(updateMask);
  requireValues(body, paths);
  const target = await requireLocation(ctx, input);
  const { fields, warnings } = withoutIdleTimes(pick(body, paths));
  const { adapter, locationId } = target;
  const change = { paths, fields };
  const answer = await editListing(ctx, target, {
    fields: paths,
    change,
    objectId,
    send: (access) => adapter.updateLocation(access, locationId, change),
  });
  if (paths.some((path) => /^(?:categories|storefrontAddress)\b/.test(path))) await forgetAttributeKinds(ctx, target);
  const pending = isPending(answer);
  const all = [...leftOut(body, paths).map(notApplied), ...warnings, ...(pending ? [reviewed] : [])];
  return { success: true, accountId, locationId, pending, ...(all.length > 0 && { warnings: all }) };
}

/** The platform clears a field that is named without a value; this requires an explicit null here. */
function requireValues(body: Fields, paths: string[]): void {
  const problems = paths
    .filter((path) => saysNothing(valueAt(body, path)))
    .map((path): Problem => {
      const message = 'is named in updateMask and has no value; send null to clear it';
      return { code: 'missing_required_field', path, message };
    });
  const isSpecial = paths.some((path) => /^specialHours\b/.test(path)) && Boolean(body['specialHours']);
  if (isSpecial && paths.includes('regularHours') && body['regularHours'] === null) {
    const message = 'cannot be set while regularHours is cleared';
    problems.push({ code: 'invalid_field_value', path: 'specialHours', message });
  }
  if (problems.length > 0) throw invalidInput(problems);
}

const notApplied = (param: string): Warning => ({ param, message: 'was not applied: updateMask does not name it' });

interface SpecialPeriod extends Fields {
  closed?: boolean;
}

/** The platform ignores the hours of a closed day: they are not sent and cause a warning. */
function withoutIdleTimes(fields: Fields): { fields: Fields; warnings: Warning[] } {
  const special = fields['specialHours'] as { specialHourPeriods?: SpecialPeriod[] } | undefined;
  if (!special?.specialHourPeriods) return { fields, warnings: [] };
  const warnings: Warning[] = [];
  const specialHourPeriods = special.specialHourPeriods.map((period, at) => {
    const { openTime, closeTime, ...rest } = period;
    if (!period.closed) return period;
    for (const [name, time] of Object.entries({ openTime, closeTime })) {
      const param = `specialHours.specialHourPeriods.${at}.${name}`;
      if (time) warnings.push({ param, message: 'was not applied: the day is closed' });
    }
    return rest;
  });
  return { fields: { ...fields, specialHours: { ...special, specialHourPeriods } }, warnings };
}

const reviewed: Warning = { param: 'updateMask', message: 'The platform reviews the changes before it shows them' };
