import { segment } from '../../lib/segment.ts';
import { PlatformError } from '../error.ts';
import { addDays } from '../../lib/calendar-days.ts';
import { chunksOf } from '../../lib/chunks.ts';
import { dayOf } from '../../lib/account-time.ts';
import type { Access, ReportAdapter, ReportQuery, ReportRow } from '../platform.ts';
import { z } from 'zod';
import type { Client } from './client.ts';
import { reportColumns } from './figure-columns.ts';
import { prepared } from './report-jobs.ts';
import { attribution, daysOfRequests, idsInRequest, maxIds, names } from './report-request.ts';
import { breakdownOf, rowOf, Rows, TargetingRows, targetingTypes } from './report-rows.ts';

export const createReports = (client: Client): ReportAdapter => ({
  version: 1,
  read: (access, query) => read(client, access, query),
  needsJob: ({ fromDate, breakdowns }, today) => breakdowns.length === 0 && fromDate < earliest(today),
  ...prepared(client),
});

const earliest = (today: string): string => addDays(today, -daysOfRequests);

async function* read(client: Client, access: Access, query: ReportQuery): AsyncGenerator<ReportRow[]> {
  const first = earliest(dayOf(access.clock.now()));
  if (query.fromDate < first)
    throw new PlatformError('C', 'unsupported', `The platform answers requests for days since ${first} only`);
  const { level, adAccount } = query;
  const account = `ad_accounts/${segment(adAccount.id)}`;
  if (level === 'account') return yield* rowsOf(client, access, { query, path: account });
  const { path, ids: name } = names[level];
  for await (const ids of idsOf(client, access, query))
    for (const some of chunksOf(ids, idsInRequest(query)))
      yield* rowsOf(client, access, { query, path: `${account}/${path}`, ids: { [name]: some } });
}

interface Asked {
  query: ReportQuery;
  path: string;
  ids?: Record<string, string[]>;
}

async function* rowsOf(client: Client, access: Access, { query, path, ids = {} }: Asked): AsyncGenerator<ReportRow[]> {
  const { fromDate, toDate, granularity, level, withReach, breakdowns } = query;
  const { conversion_report_time, ...windows } = attribution;
  const [breakdown] = breakdowns;
  const asked = {
    ...ids,
    ...(breakdown && { targeting_types: targetingTypes[breakdown] }),
    columns: reportColumns(level, withReach && !breakdown).join(','),
    granularity: granularity.toUpperCase(),
    start_date: fromDate,
    end_date: toDate,
    ...Object.fromEntries(Object.entries(windows).map(([name, days]) => [name, String(days)])),
    conversion_report_time,
  };
  if (!breakdown) {
    const rows = await client.figures(access, `${path}/analytics`, { schema: Rows, query: asked });
    yield rows.map((row) => rowOf(row, query));
    return;
  }
  const call = { schema: TargetingRows, query: asked };
  const { data } = await client.figures(access, `${path}/targeting_analytics`, call);
  yield data.map(({ metrics, targeting_value: value }) => ({
    ...rowOf(metrics, query),
    breakdown: breakdownOf(breakdown, value),
  }));
}

const Listed = z.object({ id: z.string() });
/** Drafts never run. */
const entity_statuses = ['ACTIVE', 'PAUSED', 'ARCHIVED'];

/** The objects of the level: the platform has figures only by their ids. */
async function* idsOf(
  client: Client,
  access: Access,
  { adAccount, level, within }: ReportQuery,
): AsyncGenerator<string[]> {
  if (level === 'account') return;
  if (within?.level === level) return yield [...within.ids];
  const path = `ad_accounts/${segment(adAccount.id)}/${names[level].path}`;
  const parents = within ? chunksOf(within.ids, maxIds).map((ids) => ({ [names[within.level].ids]: ids })) : [{}];
  for (const parent of parents)
    for await (const page of client.pages(access, path, { item: Listed, query: { entity_statuses, ...parent } }))
      yield page.map(({ id }) => id);
}
