import { gzipSync } from 'node:zlib';
import type { Reply } from '../platform.ts';
import { list, optionalOneOf, stamp } from './checks.ts';
import { AdsError } from './errors.ts';
import { askedFor, hourIn, segmentationTypes, statsIn } from './stats.ts';
import type { AdAccount, Params, SandboxState, StatsJob } from './state.ts';

const dayMs = 24 * 3_600_000;
const maxRunning = 100;
const keptMs = 2 * dayMs;

/** Files are served without credentials. */
export const filesPath = 'advertiser-api-async-analytics';

const askedBy = (sandbox: SandboxState, account: AdAccount, params: Params) => {
  const segmentation = optionalOneOf(params, 'segmentation_type', segmentationTypes);
  const asked = askedFor(sandbox, account, params, (segmentation === undefined ? 90 : 45) * dayMs);
  return { ...asked, segmentation };
};

export function startJob(sandbox: SandboxState, account: AdAccount, params: Params): object {
  askedBy(sandbox, account, params);
  const own = sandbox.statsJobs.all().filter(({ accountId }) => accountId === account.id);
  // Unconfirmed: the code for too many jobs at once.
  if (own.filter(({ readsLeft }) => readsLeft > 0).length >= maxRunning)
    throw new AdsError(429, { code: 'TOO_MANY_REQUESTS', message: `At most ${maxRunning} jobs run at once` });
  const { readsOfJobs, outcomeOfJobs } = sandbox.settings;
  const job: StatsJob = {
    id: sandbox.newLongId(),
    accountId: account.id,
    params,
    createdAt: sandbox.figures.now(),
    readsLeft: readsOfJobs,
    outcome: outcomeOfJobs,
  };
  sandbox.statsJobs.put(job.id, job);
  return { data: shown(job, account, '') };
}

export function readJobs(
  sandbox: SandboxState,
  account: AdAccount,
  { params, origin }: { params: Params; origin: string },
): object {
  const ids = list(params, 'job_ids', 200);
  const own = sandbox.statsJobs
    .all()
    .filter(({ id, accountId }) => accountId === account.id && (!ids || ids.includes(id)));
  const data = own.map((job) => {
    const next = { ...job, readsLeft: Math.max(0, job.readsLeft - 1) };
    sandbox.statsJobs.put(job.id, next);
    return shown(job, account, origin);
  });
  return { data, next_cursor: null };
}

function shown({ id, params, createdAt, readsLeft, outcome }: StatsJob, account: AdAccount, origin: string): object {
  const isOver = readsLeft === 0;
  const status = isOver ? outcome : 'PROCESSING';
  const isGood = status === 'SUCCESS';
  const times = ['start_time', 'end_time'].map((name) => [name, stamp(hourIn(params, name, account))]);
  return {
    ...params,
    ...Object.fromEntries(times),
    entity_ids: params['entity_ids']?.split(','),
    metric_groups: params['metric_groups']?.split(','),
    segmentation_type: params['segmentation_type'] ?? null,
    country: null,
    platform: null,
    // Beyond double precision: only the text is exact.
    id: Number(id),
    id_str: id,
    account_id: account.id,
    status,
    url: isGood ? `${origin}/${filesPath}/stats_job_${id}.json.gz` : null,
    created_at: stamp(createdAt),
    updated_at: stamp(createdAt),
    expires_at: isGood ? stamp(createdAt + keptMs) : null,
  };
}

/** The base address of the platform. */
export const originOf = (url: string): string => url.slice(0, url.indexOf('/12/'));

/** The file of a finished job, which exists for two days. */
export function jobFile(sandbox: SandboxState, path: string): Reply {
  const [, id = ''] = /stats_job_(\d+)\.json\.gz$/.exec(path) ?? [];
  const job = sandbox.statsJobs.get(id);
  const account = job && sandbox.accounts.get(job.accountId);
  if (!account || job.readsLeft > 0 || job.outcome !== 'SUCCESS' || job.createdAt + keptMs <= sandbox.figures.now())
    return { status: 404, body: '<!doctype html><title>Not found</title><p>Sorry, that page does not exist.</p>' };
  const stats = statsIn(sandbox, askedBy(sandbox, account, job.params));
  const request = { params: { ...job.params, segmentation_type: job.params['segmentation_type'] ?? null } };
  return {
    status: 200,
    body: gzipSync(JSON.stringify({ ...stats, request })),
    headers: { 'content-type': 'application/gzip' },
  };
}
