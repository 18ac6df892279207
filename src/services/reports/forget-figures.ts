import type { Collection, Db } from '../../models/db.ts';
import { idsUnder } from './figure-target.ts';

/** Deletes all figures of an account, beginning with what would read them again. */
export async function forgetFigures(db: Db, accountId: string): Promise<void> {
  const { adFigureJobs, adFigureSources, adFigureReads, adFigureCoverage, adFigures } = db;
  for (const collection of [adFigureJobs, adFigureSources, adFigureReads, adFigureCoverage, adFigures])
    await (collection as unknown as Collection<{ _id: string }>).deleteMany({ _id: idsUnder(accountId) });
}
