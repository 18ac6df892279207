import type { ListingEditDoc } from '../../models/listing-edit.ts';
import { PlatformError } from '../../platforms/error.ts';
import { withAccess } from '../accounts/access-token.ts';
import type { Services } from '../context.ts';
import { announceEdit, dropEdit, type ListingChange } from './edit-store.ts';
import { valueAt, type Fields } from './mask-fields.ts';

/** How long after a look that told nothing the next one comes. An intent of which a day tells nothing goes. */
const lookAgainMs = 600_000;

/** Looks for edits that nobody ended: what the platform shows is announced, what it does not show came to nothing. */
export async function settleDueEdits(services: Services, limit = 20): Promise<number> {
  for (let looked = 0; looked < limit; looked += 1) {
    const edit = await claimDue(services);
    if (!edit) return looked;
    await settle(services, edit).catch((error: unknown) =>
      services.log.warn({ err: error, accountId: edit.accountId }, 'An edit of a listing could not be looked for'),
    );
  }
  return limit;
}

async function claimDue({ db, clock }: Services): Promise<ListingEditDoc | null> {
  const now = clock.now();
  const settleAfter = new Date(now.getTime() + lookAgainMs);
  return db.listingEdits
    .findOneAndUpdate(
      { settleAfter: { $lte: now } },
      { $set: { settleAfter } },
      { sort: { settleAfter: 1 }, returnDocument: 'after' },
    )
    .lean();
}

async function settle(services: Services, edit: ListingEditDoc): Promise<void> {
  const seen = await look(services, edit);
  if (seen === 'shown') await announceEdit(services, edit);
  else if (seen === 'absent') await dropEdit(services, edit);
}

/** `reviewed`: the platform has taken changes that it does not show yet, and this may be one of them. */
type Seen = 'shown' | 'absent' | 'reviewed';

async function look(services: Services, { accountId, locationId, change }: ListingEditDoc): Promise<Seen> {
  const { db, listing: adapter } = services;
  const account = await db.accounts.findOne({ _id: accountId }).lean();
  if (!account || account.disconnectedAt || !adapter) return 'absent';
  const wanted = JSON.parse(change) as ListingChange;
  try {
    return await withAccess(services, account, async (access): Promise<Seen> => {
      if ('attributes' in wanted) {
        const set = new Map((await adapter.listAttributes(access, locationId)).map((one) => [one.name, one]));
        return wanted.attributes.every(({ name, value }) => shows(set.get(name), value)) ? 'shown' : 'absent';
      }
      const roots = new Set(wanted.paths.map((path) => path.split('.')[0] ?? ''));
      const location = await adapter.readLocation(access, locationId, [...roots, 'metadata']);
      if (wanted.paths.every((path) => shows(valueAt(location, path), valueAt(wanted.fields, path)))) return 'shown';
      return valueAt(location, 'metadata.hasPendingEdits') === true ? 'reviewed' : 'absent';
    });
  } catch (error) {
    if (error instanceof PlatformError && error.fault === 'not_found') return 'absent';
    throw error;
  }
}

/** True if the stored value contains everything we sent; the platform adds fields and omits empty ones. */
export function shows(there: unknown, sent: unknown): boolean {
  if (isNought(sent)) return isNought(there);
  if (Array.isArray(sent)) return Array.isArray(there) && showsAll(there, sent);
  if (typeof sent !== 'object') return there === sent;
  return isFields(there) && Object.entries(sent as Fields).every(([name, value]) => shows(there[name], value));
}

/** A list may come in another order. */
function showsAll(there: unknown[], sent: unknown[]): boolean {
  const left = [...there];
  const isEach = sent.every((one) => {
    const at = left.findIndex((other) => shows(other, one));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return isEach && left.length === 0;
}

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const isNought = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) ? value.length === 0 : typeof value === 'object' && Object.values(value).every(isNought));
