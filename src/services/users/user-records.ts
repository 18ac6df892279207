import type { Collection, Db, Models } from '../../models/db.ts';
import { idsUnder } from '../reports/figure-target.ts';

/** Which documents of a collection belong to a user; `none` for data of no user. */
type Belonging = 'none' | ((owner: Owner) => object);

export interface Owner {
  userId: string;
  accountIds: string[];
  keyIds: string[];
  duplicationIds: string[];
}

const byUser: Belonging = ({ userId }) => ({ userId });
/** Ids that begin with that of an account. */
const byAccountId: Belonging = ({ accountIds }) => ({ $or: accountIds.map((id) => ({ _id: idsUnder(id) })) });

/** Every collection, in the order of erasure: first what lets others act for the user, last the user. */
const belongings: Record<keyof Models, Belonging> = {
  pageSessions: ({ keyIds }) => ({ apiKeyId: { $in: keyIds } }),
  listingEdits: ({ accountIds }) => ({ accountId: { $in: accountIds } }),
  listingKinds: byAccountId,
  adFigureJobs: byAccountId,
  adFigureSources: byAccountId,
  adFigureReads: byAccountId,
  adFigureCoverage: byAccountId,
  adFigures: byAccountId,
  apiKeys: byUser,
  accounts: byUser,
  connectStates: byUser,
  connectGrants: byUser,
  duplicationSteps: ({ duplicationIds }) => ({ duplicationId: { $in: duplicationIds } }),
  duplications: byUser,
  campaignDiscoveries: byUser,
  removals: byUser,
  budgetLedgers: byUser,
  stopSteps: byUser,
  stops: byUser,
  ads: byUser,
  adSets: byUser,
  campaigns: byUser,
  webhookRecoveries: byUser,
  webhookDeliveries: byUser,
  webhookEvents: byUser,
  webhooks: byUser,
  idempotency: byUser,
  activity: byUser,
  profiles: byUser,
  users: ({ userId }) => ({ _id: userId }),
  places: 'none',
  encryptionKeys: 'none',
  processes: 'none',
};

export async function ownerOf({ accounts, apiKeys, duplications }: Db, userId: string): Promise<Owner> {
  const [accountIds, keyIds, duplicationIds] = await Promise.all(
    [accounts, apiKeys, duplications].map((collection) =>
      (collection as unknown as Collection<{ userId: string }>).distinct('_id', { userId }),
    ),
  );
  return { userId, accountIds, keyIds, duplicationIds } as Owner;
}

export interface UserRecords {
  name: string;
  collection: Collection<{ _id: string }>;
  filter: object;
}

/** The user's documents of every collection, in the order of erasure. */
export function recordsOf(db: Db, owner: Owner): UserRecords[] {
  return Object.entries(belongings).flatMap(([name, belonging]) => {
    if (belonging === 'none') return [];
    const filter = belonging(owner);
    // An empty $or is an error.
    if ('$or' in filter && (filter.$or as unknown[]).length === 0) return [];
    return [{ name, collection: db[name as keyof Models] as unknown as UserRecords['collection'], filter }];
  });
}
