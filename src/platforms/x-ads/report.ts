import { segment } from '../../lib/segment.ts';
import { inParallel } from '../parallel.ts';
import { dayCount } from '../../lib/calendar-days.ts';
import type { Access } from '../platform.ts';
import type { ReportAdapter, ReportQuery, ReportRow } from '../report.ts';
import type { Client } from './client.ts';
import type { Quota } from './quota.ts';
import { createBook } from './report-book.ts';
import { fetchJobs, pollJobs, startJobs } from './report-jobs.ts';
import { accountPath, parentsOf } from './report-objects.ts';
import { reachOf } from './report-reach.ts';
import { callsAtOnce, complete, paramsOf, planOf, requestedFor, segmentOf } from './report-requests.ts';
import { Stats } from './report-rows.ts';
import { longestMs } from './report-windows.ts';

/** The platform asks to leave larger reads to jobs. */
const maxDays = 31;

export const createReports = (client: Client, quota: Quota): ReportAdapter => ({
  version: 1,
  read: (access, query) => read(client, access, query),
  needsJob: (query) => segmentOf(query) !== undefined || dayCount(query) > maxDays,
  usage: ({ id }) => quota.usageOf(segment(id)),
  start: (access, query) => startJobs(client, access, query),
  poll: (access, query, job) => pollJobs(client, access, query, job),
  fetch: (access, query, job) => fetchJobs(client, access, query, job),
});

async function* read(client: Client, access: Access, query: ReportQuery): AsyncGenerator<ReportRow[]> {
  const { timeZone, chunks } = await planOf(client, access, query, longestMs.call);
  const ofAccount = createBook(query, timeZone, requestedFor(query));
  for (const { ids, asked } of chunks) {
    const book = query.level === 'account' ? ofAccount : createBook(query, timeZone, requestedFor(query));
    await inParallel(asked, callsAtOnce, async (one) => {
      const params = paramsOf(query, one);
      const stats = await client.read(access, `stats/${accountPath(query)}`, { schema: Stats, params });
      book.add(complete(stats, one.ids), one);
    });
    if (query.level === 'account') continue;
    const parents = await parentsOf(client, access, query, ids);
    yield book.rows(parents, await reachOf(client, access, query, { ids, timeZone }));
  }
  if (query.level === 'account') yield ofAccount.rows();
}
