import type { StopDoc } from '../../models/stop.ts';
import type { Services } from '../context.ts';
import { markedAccounts, markOf } from './targets.ts';

/** Marks the accounts or keys, which every request reads anyway, so that activations are refused. Idempotent. */
export async function markTarget(services: Services, stop: StopDoc): Promise<void> {
  await mark(services, stop);
  // A stop that was lifted meanwhile must leave no marks.
  if (await services.db.stops.exists({ _id: stop._id, liftedAt: { $ne: null } })) await unmarkTarget(services, stop);
}

async function mark(services: Services, stop: StopDoc): Promise<void> {
  const { db } = services;
  const accounts = await markedAccounts(services, stop);
  if (accounts) await db.accounts.updateMany(accounts, { $set: { [markOf(stop)]: stop._id } }, { timestamps: false });
  if (stop.budgetKeyId === null) return;
  const keys = { userId: stop.userId, $or: [{ _id: stop.budgetKeyId }, { budgetKeyId: stop.budgetKeyId }] };
  await db.apiKeys.updateMany(keys, { $set: { stopId: stop._id } });
  const marked = await db.apiKeys.find(keys, { keyHash: 1 }).limit(1000).lean();
  await Promise.all(marked.map(({ keyHash }) => services.markKeyRevoked(keyHash)));
}

/** Removes all marks of a stop, also from accounts that no longer have access to its ad account. */
export async function unmarkTarget(services: Services, stop: StopDoc): Promise<void> {
  const { db } = services;
  const [path, { userId, _id }] = [markOf(stop), stop];
  await db.accounts.updateMany({ userId, [path]: _id } as object, { $unset: { [path]: 1 } }, { timestamps: false });
  const keys = { userId, stopId: _id };
  const marked = await db.apiKeys.find(keys, { keyHash: 1 }).limit(1000).lean();
  await db.apiKeys.updateMany(keys, { $unset: { stopId: 1 } });
  await Promise.all(marked.map(({ keyHash }) => services.markKeyRevoked(keyHash)));
}
