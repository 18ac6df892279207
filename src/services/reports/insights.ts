import type { AdReport } from '../../contract/report.ts';
import type { InsightsInput } from '../../contract/report-input.ts';
import type { ReportLevel } from '../../contract/reporting/metrics.ts';
import { chunksOf } from '../../lib/chunks.ts';
import { grouped } from '../../lib/group-by.ts';
import { requireAdAccount } from '../ads/ad-target.ts';
import type { Ctx } from '../context.ts';
import { pageOf } from './paging.ts';
import { buildReport, type BuiltReport } from './build-report.ts';
import { createHold, reportName, type Hold } from './report-memory.ts';
import { reportTarget, sourceOf } from './resolve.ts';
import { reportOf } from './to-report.ts';

/** The highest number of objects of an ad account in one read. */
const maxObjects = 100;
/** Units of the rate limit for one read. */
export const insightsWeight = 2;

interface InsightsOptions {
  level: ReportLevel;
  input: InsightsInput;
}

/** The key of an object: its connected account, its ad account and its id at the platform. */
export const insightsKey = (accountId: string, adAccountId: string, platformId: string): string =>
  [accountId, adAccountId, platformId].join(' ');

const partsOf = (key: string): [accountId: string, adAccountId: string, platformId: string] => {
  const [accountId = '', adAccountId = '', ...platformId] = key.split(' ');
  return [accountId, adAccountId, platformId.join(' ')];
};

/** The figures of each object, with one read for up to a hundred objects of an ad account. */
export async function insightsOf(
  ctx: Ctx,
  keys: string[],
  options: InsightsOptions,
): Promise<Map<string, AdReport | Error>> {
  const groups = [...grouped(keys, (key) => partsOf(key).slice(0, 2).join(' ')).values()];
  const reads = groups.flatMap((group) => chunksOf(group, maxObjects));
  return new Map((await Promise.all(reads.map((group) => readGroup(ctx, group, options)))).flat());
}

/** A failed read fails its objects only. */
async function readGroup(ctx: Ctx, keys: string[], options: InsightsOptions): Promise<[string, AdReport | Error][]> {
  const [, adAccountId] = partsOf(keys[0] ?? '');
  const hold = createHold(ctx.reportMemory, 'reads', reportName(adAccountId, options.level));
  try {
    const built = await buildGroup(ctx, keys, options, hold);
    const rows = built.rows.byObject();
    const insights = keys.map((key): [string, AdReport] => {
      const [, , platformId] = partsOf(key);
      return [key, toInsights(built, rows.get(platformId) ?? built.rows.none(), options, platformId)];
    });
    built.rows.free();
    return insights;
  } catch (error) {
    return keys.map((key) => [key, error as Error]);
  } finally {
    hold.free();
  }
}

async function buildGroup(
  ctx: Ctx,
  keys: string[],
  { level, input }: InsightsOptions,
  hold: Hold,
): Promise<BuiltReport> {
  const [accountId, adAccountId] = partsOf(keys[0] ?? '');
  await ctx.charge?.(insightsWeight);
  const target = await reportTarget(ctx, accountId);
  const source = await sourceOf(ctx, target, await requireAdAccount(ctx, target, adAccountId));
  const ids = keys.map((key) => partsOf(key)[2]);
  const named = level === 'account' ? undefined : { level, ids };
  return buildReport(ctx, { source, level, named, choice: input }, hold);
}

function toInsights(
  built: BuiltReport,
  rows: BuiltReport['rows'],
  { input }: InsightsOptions,
  platformId: string,
): AdReport {
  const { cursor, limit, ...identity } = input;
  const { isDescending } = built.order;
  const { page, pagination } = pageOf(rows, { cursor, limit }, { identity: [identity, platformId], isDescending });
  const isOne = rows.length === 1 && built.metricContext.breakdowns.length === 0;
  return reportOf({ ...built, rows, reachFigures: isOne ? rows.at(0)?.figures : undefined }, page, pagination);
}
