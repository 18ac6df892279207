import { z } from 'zod';
import { chunksOf } from '../../lib/chunks.ts';
import { slicesOf } from '../report-slices.ts';
import { millionths } from '../decimal.ts';
import { inParallel } from '../parallel.ts';
import type { Access } from '../platform.ts';
import type { Figures, ReportQuery } from '../report.ts';
import { AmountText, PlatformId } from '../tolerant.ts';
import type { Client } from './client.ts';
import { keyOf } from './report-book.ts';
import { accountPath } from './report-objects.ts';
import { callsAtOnce, maxIds } from './report-requests.ts';
import { windowsOf } from './report-windows.ts';

const Reach = z.object({
  data: z.array(
    z.object({
      id: PlatformId,
      total_audience_reach: z.int().nullable(),
      average_frequency: z.number().transform(String).pipe(AmountText).nullable(),
    }),
  ),
});

/** Campaigns have reach. It counts people of a whole range, so each day is a request of its own. */
export async function reachOf(
  client: Client,
  access: Access,
  query: ReportQuery,
  { ids, timeZone }: { ids: string[]; timeZone: string },
): Promise<Map<string, Figures>> {
  const found = new Map<string, Figures>();
  if (!query.withReach || query.level !== 'campaign' || query.breakdowns.length > 0) return found;
  const isDaily = query.granularity === 'day';
  const ranges = isDaily ? slicesOf(query, 1).map(([day]) => ({ fromDate: day, toDate: day })) : [query];
  const asked = chunksOf(ids, maxIds).flatMap((some) => ranges.map((range) => ({ some, ...range })));
  await inParallel(asked, callsAtOnce, async ({ some, fromDate, toDate }) => {
    const range = { fromDate, toDate, timeZone, granularity: 'total' as const, now: access.clock.now() };
    const [window] = windowsOf(range, Infinity);
    const { data } = await client.read(access, `stats/${accountPath(query)}/reach/campaigns`, {
      schema: Reach,
      params: { campaign_ids: some.join(','), start_time: window?.start_time, end_time: window?.end_time },
    });
    for (const { id, total_audience_reach: reach, average_frequency: frequency } of data)
      found.set(keyOf(id, isDaily ? fromDate : undefined), {
        reach: reach === null ? null : BigInt(reach),
        frequency: frequency === null ? null : millionths(frequency),
      });
  });
  return found;
}
