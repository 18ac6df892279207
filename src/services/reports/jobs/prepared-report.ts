import { AppError } from '../../../contract/error.ts';
import type { FigureStep } from '../../../models/ad-figures.ts';
import { PlatformError } from '../../../platforms/error.ts';
import type { Access, ReportJobState, ReportQuery, ReportRow } from '../../../platforms/platform.ts';
import { withAccess } from '../../accounts/platform-access.ts';
import type { Services } from '../../context.ts';
import type { FigureSource } from '../read-live.ts';
import { saveJob, type JobRun } from './job-store.ts';

export interface Part {
  query: ReportQuery;
  /** Days that the job has still to read. */
  days: number;
}

/** A report that can be fetched. */
export interface Prepared {
  startedAt: Date;
  pages: (access: Access) => AsyncIterable<ReportRow[]>;
}

/** The first request and two more. */
const maxStarts = 3;
const maxPolls = 200;
const [firstPollSeconds, longestPollSeconds] = [2, 60];

interface Work {
  source: FigureSource;
  part: Part;
}

/** Has the platform prepare a report, or asks how far it is. What the platform calls it is stored as soon as it is known. */
export async function fromReport(
  services: Services,
  run: JobRun,
  { source, part }: Work,
): Promise<Prepared | { waitSeconds: number }> {
  const { step } = run.doc;
  if (!step?.tokens) return start(services, run, { source, part, step });
  const { tokens } = step;
  const { reports, account } = source;
  const state = await withAccess(services, account, async (access): Promise<ReportJobState> => {
    if (!reports.poll) return { status: 'finished' };
    return reports.poll(access, part.query, { tokens });
  }).catch(unlessGone);
  if (state.status === 'running' && step.polls < maxPolls) {
    await saveJob(services, run, { step: { ...step, polls: step.polls + 1 } });
    return { waitSeconds: Math.min(firstPollSeconds * 2 ** Math.min(step.polls, 10), longestPollSeconds) };
  }
  if (state.status !== 'finished') return start(services, run, { source, part, step });
  return { startedAt: step.startedAt, pages: (access) => fetched(services, run, { access, source, part, tokens }) };
}

/** A report that the platform no longer knows has to be prepared again. */
function unlessGone(error: unknown): ReportJobState {
  if (error instanceof PlatformError && error.fault === 'not_found') return { status: 'failed', reason: error.message };
  throw error;
}

async function* fetched(
  services: Services,
  run: JobRun,
  { access, source, part, tokens }: Work & { access: Access; tokens: string[] },
): AsyncGenerator<ReportRow[]> {
  try {
    yield* source.reports.fetch?.(access, part.query, { tokens }) ?? [];
  } catch (error) {
    // An expired file is prepared again; the job keeps count of that.
    const { step } = run.doc;
    if (step && error instanceof PlatformError && error.fault === 'not_found')
      await saveJob(services, run, { step: withoutTokens(step) });
    throw error;
  }
}

const withoutTokens = ({ tokens: _tokens, ...step }: FigureStep): FigureStep => step;

async function start(
  services: Services,
  run: JobRun,
  { source: { account, reports }, part: { query }, step }: Work & { step: FigureStep | null },
): Promise<{ waitSeconds: number }> {
  const starts = (step?.starts ?? 0) + 1;
  if (starts > maxStarts) {
    const message = `The platform failed to prepare the report ${maxStarts} times`;
    throw new AppError('platform_api_error', message, { platform: run.doc.platform });
  }
  const { fromDate, toDate } = query;
  const started = { fromDate, toDate, startedAt: services.clock.now(), starts, polls: 0 };
  await saveJob(services, run, { step: started });
  try {
    const job = await withAccess(services, account, async (access) => reports.start?.(access, query));
    if (!job) throw new AppError('unsupported_platform_operation', 'The platform prepares no reports');
    await saveJob(services, run, { step: { ...started, tokens: [...job.tokens] } });
  } catch (error) {
    const isUnsent = error instanceof PlatformError && ['rate_limited', 'unavailable'].includes(error.fault);
    if (isUnsent) await saveJob(services, run, { step: { ...started, starts: starts - 1 } });
    throw error;
  }
  return { waitSeconds: firstPollSeconds };
}
