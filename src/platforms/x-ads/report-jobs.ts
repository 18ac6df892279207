import { z } from 'zod';
import { PlatformError } from '../error.ts';
import { inParallel } from '../parallel.ts';
import type { Access } from '../platform.ts';
import type { ReportJob, ReportJobState, ReportQuery, ReportRow } from '../report.ts';
import { InstantText, PlatformId } from '../tolerant.ts';
import type { Client } from './client.ts';
import { createBook } from './report-book.ts';
import { accountPath, parentsOf, timeZoneOf } from './report-objects.ts';
import { reachOf } from './report-reach.ts';
import { callsAtOnce, complete, paramsOf, planOf, requestedFor, segmentOf } from './report-requests.ts';
import { Stats } from './report-rows.ts';
import { longestMs } from './report-windows.ts';
import { dataOf, pageOf } from './wire.ts';

/** The platform runs as many at once for an ad account. */
const maxJobs = 100;
/** A job that runs longer has failed, as the platform says. */
const longestRunMs = 3_600_000;

const Job = z.object({
  id_str: z.string(),
  status: z.string(),
  url: z.string().nullable(),
  created_at: InstantText,
  expires_at: InstantText.nullable(),
  entity_ids: z.array(PlatformId),
  placement: z.string(),
  start_time: InstantText,
  end_time: InstantText,
  granularity: z.enum(['TOTAL', 'DAY', 'HOUR']),
});
type Job = z.infer<typeof Job>;

const pathOf = (query: ReportQuery): string => `stats/jobs/${accountPath(query)}`;

export async function startJobs(client: Client, access: Access, query: ReportQuery): Promise<ReportJob> {
  const { chunks } = await planOf(client, access, query, longestMs.job);
  const asked = chunks.flatMap((chunk) => chunk.asked);
  if (asked.length > maxJobs)
    throw new PlatformError(
      'E',
      'rejected',
      `The report needs ${asked.length} jobs and the platform runs ${maxJobs} at once: request a shorter range or fewer objects`,
    );
  const tokens = Array.from({ length: asked.length }, () => '');
  await inParallel([...asked.entries()], callsAtOnce, async ([at, one]) => {
    const { data } = await client.read(access, pathOf(query), {
      method: 'POST',
      schema: dataOf(z.object({ id_str: z.string() })),
      params: { ...paramsOf(query, one), segmentation_type: segmentOf(query) },
    });
    tokens[at] = data.id_str;
  });
  return { tokens };
}

async function jobsOf(client: Client, access: Access, query: ReportQuery, { tokens }: ReportJob): Promise<Job[]> {
  if (tokens.length === 0) return [];
  const params = { job_ids: tokens.join(',') };
  return (await client.read(access, pathOf(query), { schema: pageOf(Job), params })).data;
}

export async function pollJobs(
  client: Client,
  access: Access,
  query: ReportQuery,
  job: ReportJob,
): Promise<ReportJobState> {
  const jobs = await jobsOf(client, access, query, job);
  const now = access.clock.now();
  if (jobs.length < job.tokens.length) return { status: 'failed', reason: 'The platform no longer knows the report' };
  if (jobs.some(({ expires_at: end }) => end !== null && new Date(end) <= now))
    return { status: 'failed', reason: 'The file of the report has expired' };
  const running = jobs.filter(({ status }) => status !== 'SUCCESS');
  const stopped = running.find(
    ({ status, created_at: at }) =>
      /^(FAILED|CANCELLED)$/.test(status) || now.getTime() - Date.parse(at) > longestRunMs,
  );
  if (stopped) return { status: 'failed', reason: `The platform did not finish the report (${stopped.status})` };
  if (running.length === 0) return { status: 'finished' };
  return { status: 'running', percent: Math.floor(((jobs.length - running.length) / jobs.length) * 100) };
}

export async function* fetchJobs(
  client: Client,
  access: Access,
  query: ReportQuery,
  job: ReportJob,
): AsyncGenerator<ReportRow[]> {
  const jobs = await jobsOf(client, access, query, job);
  const timeZone = await timeZoneOf(client, access, query);
  // The placements and windows of an object are in several files.
  const book = createBook(query, timeZone, requestedFor(query));
  const ids = new Set<string>();
  await inParallel(jobs, callsAtOnce, async ({ url, entity_ids: objects, placement, ...window }) => {
    if (url === null) throw new PlatformError('E', 'unavailable', 'The platform has not finished the report');
    const stats = complete(await client.download(url, Stats), objects);
    book.add(stats, { placement, window });
    for (const id of objects) ids.add(id);
  });
  const reach = await reachOf(client, access, query, { ids: [...ids], timeZone });
  yield book.rows(await parentsOf(client, access, query, [...ids]), reach);
}
