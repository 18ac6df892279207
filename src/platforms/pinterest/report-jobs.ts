import { collect } from '../../lib/collect.ts';
import { segment } from '../../lib/segment.ts';
import { z } from 'zod';
import type { ReportLevel } from '../../contract/reporting/metrics.ts';
import type { Access, ReportAdapter, ReportJob, ReportQuery, ReportRow } from '../platform.ts';
import type { Client, Fields } from './client.ts';
import { reportColumns } from './figure-columns.ts';
import { chunksOf } from '../../lib/chunks.ts';
import { mergeRows, slicesOf } from '../report-slices.ts';
import { attribution, names } from './report-request.ts';
import { ReportFile, rowOf, unreadable } from './report-rows.ts';

/** The longest range of one prepared report, and of one whose rows are by day, which bounds the size of its file. */
const maxDays = { total: 186, day: 31 };
/** The largest number of ids in a prepared report. */
const maxIds = 500;

const levels: Record<ReportLevel, string> = {
  account: 'ADVERTISER',
  campaign: 'CAMPAIGN',
  ad_set: 'AD_GROUP',
  ad: 'PIN_PROMOTION',
};

const Started = z.object({ token: z.string().min(1) });
const State = z.object({ report_status: z.string(), url: z.string().optional().nullable() });

/** Reports that the platform prepares: for as long as it has figures, and without a list of ids. */
export function prepared(client: Client): Required<Pick<ReportAdapter, 'start' | 'poll' | 'fetch'>> {
  const stateOf = (access: Access, { adAccount }: ReportQuery, token: string): Promise<z.infer<typeof State>> =>
    client.read(access, pathOf(adAccount.id), { schema: State, query: { token } });
  return {
    async start(access, query) {
      const tokens: string[] = [];
      for (const body of bodiesOf(query)) {
        const { token } = await client.ask(access, pathOf(query.adAccount.id), { schema: Started, fields: body });
        tokens.push(token);
      }
      return { tokens };
    },
    async poll(access, query, { tokens }) {
      let finished = 0;
      for (const token of tokens) {
        const { report_status: status } = await stateOf(access, query, token);
        if (status === 'FINISHED') finished += 1;
        else if (status !== 'IN_PROGRESS') return { status: 'failed', reason: `The report is ${status.toLowerCase()}` };
      }
      if (finished === tokens.length) return { status: 'finished' };
      return { status: 'running', percent: Math.floor((100 * finished) / tokens.length) };
    },
    async *fetch(access, query, job) {
      if (query.granularity === 'day' || job.tokens.length === 1) return yield* filesOf(access, query, job);
      yield mergeRows(await collect(filesOf(access, query, job)));
    },
  };

  async function* filesOf(access: Access, query: ReportQuery, { tokens }: ReportJob): AsyncGenerator<ReportRow[]> {
    for (const token of tokens) {
      // The address is valid for five minutes only.
      const { report_status: status, url } = await stateOf(access, query, token);
      if (status !== 'FINISHED' || !url)
        throw unreadable(`The report is ${status.toLowerCase()} and must be prepared again`);
      const file = await client.download(url, ReportFile);
      yield Object.values(file).flatMap((rows) => rows.map((row) => rowOf(row, query)));
    }
  }
}

const pathOf = (accountId: string): string => `ad_accounts/${segment(accountId)}/reports`;

/** One report per slice of days and of ids. */
function bodiesOf(query: ReportQuery): Fields[] {
  const { level, withReach, granularity, within } = query;
  const slices = slicesOf(query, maxDays[granularity]);
  const ids = within ? chunksOf(within.ids, maxIds) : [undefined];
  return slices.flatMap(([start_date, end_date]) =>
    ids.map((some) => ({
      start_date,
      end_date,
      granularity: granularity.toUpperCase(),
      level: levels[level],
      // Reach of a part of the range says nothing about the whole.
      columns: reportColumns(level, withReach && (granularity === 'day' || slices.length === 1)),
      report_format: 'JSON',
      ...(within && { [names[within.level].ids]: some }),
      ...attribution,
    })),
  );
}
