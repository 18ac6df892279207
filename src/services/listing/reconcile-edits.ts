import type { ListingEditDoc } from '../../models/listing-edit.ts';
import { PlatformError } from '../../platforms/error.ts';
import { withAccess } from '../accounts/platform-access.ts';
import type { Services } from '../context.ts';
import { reconcileDue, type Finding } from '../durable/reconcile.ts';
import { completeEdit, discardEdit, editLeaseMs, type ListingChange } from './edit-store.ts';
import { isPending, valueAt, type Fields } from './mask-fields.ts';

/** Time between two checks. An edit that a day of checks does not decide expires. */
const defaultRecheckMs = 600_000;

/**
 * Reconciles edits of unknown outcome: publishes those that the platform shows and discards those found missing twice.
 */
export const reconcileDueEdits = (services: Services, limit = 20, recheckMs = defaultRecheckMs): Promise<number> =>
  reconcileDue(
    services,
    {
      kind: 'listing_edit',
      collection: services.db.listingEdits,
      filter: {},
      leaseMs: editLeaseMs,
      recheckMs,
      inspect: (edit) => inspect(services, edit),
      onError: (error, { accountId }) =>
        services.log.warn({ err: error, accountId }, 'could not reconcile a listing edit'),
    },
    limit,
  );

async function inspect(services: Services, edit: ListingEditDoc): Promise<Finding> {
  const seen = await look(services, edit);
  if (seen === 'shown') return { complete: () => completeEdit(services, edit) };
  return seen === 'absent' ? { giveUp: () => discardEdit(services, edit) } : undefined;
}

/** `reviewed`: the platform has accepted changes that it does not show yet, and this may be one of them. */
type Seen = 'shown' | 'absent' | 'reviewed';

async function look(services: Services, { accountId, locationId, change }: ListingEditDoc): Promise<Seen> {
  const { db, listing: adapter } = services;
  const account = await db.accounts.findOne({ _id: accountId }).lean();
  if (!account || account.disconnectedAt || !adapter) return 'absent';
  const requested = JSON.parse(change) as ListingChange;
  try {
    return await withAccess(services, account, async (access): Promise<Seen> => {
      if ('attributes' in requested) {
        const set = new Map((await adapter.listAttributes(access, locationId)).map((one) => [one.name, one]));
        return requested.attributes.every(({ name, value }) => contains(set.get(name), value)) ? 'shown' : 'absent';
      }
      const roots = new Set(requested.paths.map((path) => path.split('.')[0] ?? ''));
      const location = await adapter.readLocation(access, locationId, [...roots, 'metadata']);
      if (requested.paths.every((path) => contains(valueAt(location, path), valueAt(requested.fields, path))))
        return 'shown';
      return isPending(location) ? 'reviewed' : 'absent';
    });
  } catch (error) {
    if (error instanceof PlatformError && error.fault === 'not_found') return 'absent';
    throw error;
  }
}

/** True if the stored value contains everything we sent; the platform adds fields and omits empty ones. */
export function contains(there: unknown, sent: unknown): boolean {
  if (isEmptyValue(sent)) return isEmptyValue(there);
  if (Array.isArray(sent)) return Array.isArray(there) && containsAll(there, sent);
  if (typeof sent !== 'object') return there === sent;
  return isFields(there) && Object.entries(sent as Fields).every(([name, value]) => contains(there[name], value));
}

/** The platform may return lists in another order. */
function containsAll(there: unknown[], sent: unknown[]): boolean {
  const left = [...there];
  const isEach = sent.every((one) => {
    const at = left.findIndex((other) => contains(other, one));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return isEach && left.length === 0;
}

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const isEmptyValue = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) ? value.length === 0 : typeof value === 'object' && Object.values(value).every(isEmptyValue));
