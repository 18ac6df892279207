import type { Db } from '../../models/db.ts';
import { exportedFigures, exportedResult } from '../reports/exported.ts';
import { ownerOf, recordsOf } from './user-records.ts';

/** Fields that hold a secret, encrypted or as a hash. */
const isSecret = (field: string): boolean => /^encrypted|Hash$|^bodyHash$/.test(field);

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  const kept = Object.entries(value).filter(([field]) => !isSecret(field));
  return Object.fromEntries(kept.map(([field, member]) => [field, withoutSecrets(member)]));
}

/** Documents of encoded values. */
const readable: Record<string, (document: never) => Promise<unknown>> = {
  adFigures: exportedFigures,
  adFigureReads: exportedResult,
};

/** Writes everything stored about a user, one document at a time and without secrets; returns the number by collection. */
export async function exportUser(
  { db }: { db: Db },
  userId: string,
  write: (collection: string, document: unknown) => Promise<void>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name, collection, filter } of recordsOf(db, await ownerOf(db, userId)).toReversed()) {
    for await (const document of collection.find(filter).lean().cursor()) {
      await write(name, withoutSecrets(await (readable[name]?.(document as never) ?? document)));
      counts[name] = (counts[name] ?? 0) + 1;
    }
  }
  return counts;
}
