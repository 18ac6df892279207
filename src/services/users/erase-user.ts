import { batchesOf } from '../../lib/batches.ts';
import type { Db } from '../../models/db.ts';
import { ownerOf, recordsOf, type Owner, type UserRecords } from './user-records.ts';

const batch = 1_000;
const maxPasses = 5;

/**
 * Erases everything stored about a user; returns the number of erased documents by collection. Can be repeated after an
 * interruption. What exists at the platforms stays there.
 */
export async function eraseUser({ db }: { db: Db }, userId: string): Promise<Record<string, number>> {
  await requireFinished(db, userId);
  const counts: Record<string, number> = {};
  let owner: Owner = { userId, accountIds: [], keyIds: [], duplicationIds: [] };
  // A worker that was under way may still have stored something; nothing begins any more without keys and accounts.
  for (let pass = 0; pass < maxPasses; pass += 1) {
    let erased = 0;
    owner = joined(owner, await ownerOf(db, userId));
    for (const records of recordsOf(db, owner)) {
      const count = await eraseAll(records);
      if (count > 0) counts[records.name] = (counts[records.name] ?? 0) + count;
      erased += count;
    }
    if (erased === 0) return counts;
  }
  throw new Error(`Processes still store data of user ${userId}; run the command again.`);
}

/** Keeps the ids of erased accounts, keys and copies: a worker may still have stored something under them. */
const joined = (before: Owner, now: Owner): Owner => ({
  ...now,
  accountIds: [...new Set([...before.accountIds, ...now.accountIds])],
  keyIds: [...new Set([...before.keyIds, ...now.keyIds])],
  duplicationIds: [...new Set([...before.duplicationIds, ...now.duplicationIds])],
});

/** In batches, because one command over millions of documents would outlast its connection. */
async function eraseAll({ collection, filter }: UserRecords): Promise<number> {
  let erased = 0;
  // One pass, because some of these collections have no index of users.
  for await (const found of batchesOf(collection.find(filter, { _id: 1 }).lean().cursor(), batch)) {
    const ids = found.map(({ _id }) => _id);
    erased += (await collection.deleteMany({ _id: { $in: ids } })).deletedCount;
  }
  return erased;
}

/** The record of an unfinished order or removal is all that is known about what it did at the platform. */
async function requireFinished({ ads, duplications, removals }: Db, userId: string): Promise<void> {
  const [orders, copies, removed] = await Promise.all([
    ads.countDocuments({ userId, status: { $in: ['creating', 'unconfirmed'] } }),
    duplications.countDocuments({ userId, status: 'running' }),
    removals.countDocuments({ userId }),
  ]);
  if (orders + copies + removed === 0) return;
  throw new Error(
    `${orders} ads, ${copies} campaign copies and ${removed} removals of this user are unfinished; run the command again once they are reconciled.`,
  );
}
