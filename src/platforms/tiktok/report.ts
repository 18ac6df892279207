import { z } from 'zod';
import type { ConversionEvent } from '../../contract/reporting/metrics.ts';
import { collect } from '../../lib/collect.ts';
import { own } from '../../lib/own.ts';
import type { Access, ReportAdapter, ReportQuery, ReportRow } from '../platform.ts';
import { chunksOf } from '../../lib/chunks.ts';
import { mergeRows, slicesOf } from '../report-slices.ts';
import { PlatformId } from '../tolerant.ts';
import type { Client, Fields } from './client.ts';
import { audienceMetrics, basicMetrics, dimensions, eventOfGroup, levels } from './report-metrics.ts';
import { Row, rowOf, unreadable } from './report-rows.ts';
import { listOf } from './wire.ts';

/** The longest range of a report. */
const maxDays = { total: 365, day: 30 };
/** The largest number of ids in a filter. */
const maxIds = 100;
/** Reports end after this many objects, without saying so. */
const maxObjects = 20_000;
const maxReads = 3;
const everyStatus = JSON.stringify(['STATUS_ALL']);

export const createReports = (client: Client): ReportAdapter => ({
  version: 1,
  read: (access, query) => read(client, access, query),
  // Reports that the platform prepares filter by ids alone, so they leave out deleted objects.
  needsJob: () => false,
});

type EventOf = (id: string, adSetId?: string) => ConversionEvent | undefined;

async function* read(client: Client, access: Access, query: ReportQuery): AsyncGenerator<ReportRow[]> {
  const slices = slicesOf(query, maxDays[query.granularity]);
  const withReach = query.withReach && (query.granularity === 'day' || slices.length === 1);
  const eventOf = await optimisedEvents(client, access, query);
  const pages = (async function* () {
    for (const [fromDate, toDate] of slices)
      yield* readSlice(client, access, { query: { ...query, fromDate, toDate, withReach }, eventOf });
  })();
  if (query.granularity === 'day' || slices.length === 1) return yield* pages;
  yield mergeRows(await collect(pages));
}

interface Slice {
  query: ReportQuery;
  eventOf: EventOf;
}

async function* readSlice(client: Client, access: Access, { query, eventOf }: Slice): AsyncGenerator<ReportRow[]> {
  const { within } = query;
  for (const ids of within ? chunksOf(within.ids, maxIds) : [undefined]) {
    const rows = await readWhole(client, access, query, ids);
    const found = new Set(rows.map(({ dimensions: at }) => at[`${levels[query.level]}_id`]));
    if (found.size < maxObjects) yield rows.map((row) => rowOf(row, query, eventOf));
    else yield* readByCampaigns(client, access, { query, eventOf });
  }
}

/** Reads what one report cannot contain in several. */
async function* readByCampaigns(
  client: Client,
  access: Access,
  { query, eventOf }: Slice,
): AsyncGenerator<ReportRow[]> {
  const { adAccount, level, within } = query;
  if (within || level === 'campaign' || level === 'account')
    throw unreadable(`The platform reports at most ${maxObjects} objects at once`);
  const listed = { advertiser_id: adAccount.id, fields: ['campaign_id'], filtering: { primary_status: 'STATUS_ALL' } };
  const item = z.object({ campaign_id: PlatformId });
  for await (const page of client.pages(access, 'campaign/get', { item, query: listed })) {
    const ids = page.map(({ campaign_id: id }) => id);
    yield* readSlice(client, access, { query: { ...query, within: { level: 'campaign', ids } }, eventOf });
  }
}

/** Pages have offsets: rows that appear meanwhile move others, so a report that changes is read again. */
async function readWhole(client: Client, access: Access, query: ReportQuery, ids?: string[]): Promise<Row[]> {
  for (let reads = 0; reads < maxReads; reads += 1) {
    const rows = await readOnce(client, access, requestOf(query, ids));
    if (rows) return rows;
  }
  throw unreadable('The report changed while it was read');
}

async function readOnce(client: Client, access: Access, query: Fields): Promise<Row[] | undefined> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const call = { schema: listOf(Row, 'list'), query: { ...query, page, page_size: 1000 } };
    const { items, total, totalPages } = await client.read(access, 'report/integrated/get', call);
    rows.push(...items);
    if (rows.length > total) return undefined;
    if (page >= totalPages) return rows.length === total ? rows : undefined;
  }
}

/** The basic report has all metrics, the one on the audience its breakdowns. */
const isBasic = ({ breakdowns }: ReportQuery): boolean => breakdowns.every((name) => name === 'country');

function requestOf(query: ReportQuery, ids?: string[]): Fields {
  const { adAccount, level, within, breakdowns, granularity, fromDate, toDate, withReach } = query;
  const name = levels[level];
  const filtering = [
    // By default the platform leaves out deleted objects.
    ...(level === 'account' ? [] : [{ field_name: `${name}_status`, filter_type: 'IN', filter_value: everyStatus }]),
    ...(within && ids
      ? [{ field_name: `${levels[within.level]}_ids`, filter_type: 'IN', filter_value: JSON.stringify(ids) }]
      : []),
  ];
  return {
    advertiser_id: adAccount.id,
    service_type: 'AUCTION',
    report_type: isBasic(query) ? 'BASIC' : 'AUDIENCE',
    data_level: `AUCTION_${name.toUpperCase()}`,
    dimensions: [
      `${name}_id`,
      ...(granularity === 'day' ? ['stat_time_day'] : []),
      ...breakdowns.map((breakdown) => dimensions[breakdown]),
    ],
    metrics: isBasic(query) ? basicMetrics(level, withReach && breakdowns.length === 0) : audienceMetrics(level),
    start_date: fromDate,
    end_date: toDate,
    ...(filtering.length > 0 && { filtering }),
  };
}

const Group = z.object({
  adgroup_id: PlatformId,
  campaign_id: PlatformId,
  optimization_goal: z.string().optional().nullable(),
  optimization_event: z.string().optional().nullable(),
});

/** What each ad group optimises for; a campaign or ad account only if all its ad groups do. */
async function optimisedEvents(
  client: Client,
  access: Access,
  { adAccount, level, within }: ReportQuery,
): Promise<EventOf> {
  const known = new Map<string, ConversionEvent | undefined>();
  const note = (id: string, event: ConversionEvent | undefined): void =>
    void known.set(id, known.has(id) && known.get(id) !== event ? undefined : event);
  const query = {
    advertiser_id: adAccount.id,
    fields: ['adgroup_id', 'campaign_id', 'optimization_goal', 'optimization_event'],
    filtering: {
      primary_status: 'STATUS_ALL',
      ...(within &&
        within.level !== 'ad' &&
        within.ids.length <= maxIds && { [`${levels[within.level]}_ids`]: within.ids }),
    },
  };
  for await (const page of client.pages(access, 'adgroup/get', { item: Group, query }))
    for (const { adgroup_id: id, campaign_id: campaignId, ...group } of page) {
      const event = own(eventOfGroup, group.optimization_event || group.optimization_goal || '');
      for (const at of [id, campaignId, adAccount.id]) note(at, event);
    }
  return (id, adSetId) => known.get(level === 'ad' ? (adSetId ?? '') : id);
}
