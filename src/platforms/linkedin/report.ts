import { z } from 'zod';
import { addDays, dayCount, type DayRange } from '../../lib/calendar-days.ts';
import { chunksOf } from '../../lib/chunks.ts';
import { slicesOf } from '../report-slices.ts';
import { segment } from '../../lib/segment.ts';
import { breakdownValue, type BreakdownValue } from '../breakdown-value.ts';
import { PlatformError } from '../error.ts';
import { inParallel } from '../parallel.ts';
import type { Access } from '../platform.ts';
import type { ReportAdapter, ReportQuery, ReportRow } from '../report.ts';
import type { Client } from './client.ts';
import { countriesOf } from './places.ts';
import { breakdownPivots, fieldsFor, maxElements, maxPivots, pivots } from './report-columns.ts';
import { elementsOf, toRow, type Element } from './report-rows.ts';
import { list, urn } from './restli.ts';

/** A query is limited to 4096 characters. */
const maxUrns = 75;
const maxReachDays = 92;
/** Each object takes one request, and the platform limits requests per day. */
const maxCountryReads = 500;
const concurrency = 4;

interface Facet {
  name: 'accounts' | 'campaignGroups' | 'campaigns' | 'creatives';
  urns: readonly string[];
}

/** The figures that one request asks for. */
interface Slice {
  pivots: readonly string[];
  fields: readonly string[];
  facet: Facet;
  fromDate: string;
  toDate: string;
  isDaily: boolean;
}

export const createReports = (client: Client): ReportAdapter => ({
  version: 1,
  read: (access, query) => read(client, access, query),
  needsJob: () => false,
});

async function* read(client: Client, access: Access, query: ReportQuery): AsyncGenerator<ReportRow[]> {
  const rows = query.breakdowns.includes('country')
    ? byCountry(client, access, query)
    : byPivots(client, access, query);
  let isEmpty = true;
  for await (const page of rows) {
    isEmpty &&= page.length === 0;
    yield page;
  }
  // Without a role on the ad account, the platform returns an empty report; this read then fails.
  if (isEmpty) await client.read(access, `adAccounts/${segment(query.adAccount.id)}`, z.object({}));
}

async function* byPivots(client: Client, access: Access, query: ReportQuery): AsyncGenerator<ReportRow[]> {
  const [breakdown] = query.breakdowns;
  const all = [...pivots[query.level], ...(breakdown ? [breakdownPivots[breakdown] ?? ''] : [])];
  const named = all.slice(-maxPivots);
  const isDaily = query.granularity === 'day';
  for (const range of rangesOf(query)) {
    const fields = fieldsFor(query, dayCount(range) <= maxReachDays);
    const rowContext = { pivots: named, fields, shownOf };
    for (const facet of await facetsOf(client, access, { ...query, ...range }))
      for await (const elements of elementsIn(client, access, { ...range, pivots: named, fields, facet, isDaily }))
        yield elements.map((element) => toRow(query, element, rowContext));
  }
}

/** Pivots of members cannot be combined with others, so each object with figures takes one request. */
async function* byCountry(client: Client, access: Access, query: ReportQuery): AsyncGenerator<ReportRow[]> {
  const { fromDate, toDate } = query;
  const country = breakdownPivots.country ?? '';
  const fields = fieldsFor(query, false);
  const found: { owner: string; elements: Element[] }[] = [];
  const base = { fields, fromDate, toDate, isDaily: false, pivots: [country] };
  for (const facet of await facetsOf(client, access, query)) {
    const owners =
      query.level === 'account' ? facet.urns : await objectsIn(client, access, { ...base, facet }, query.level);
    const name = query.level === 'account' ? 'accounts' : facetNames[query.level];
    if (owners.length > maxCountryReads) throw tooManyObjects(owners.length);
    await inParallel(owners, concurrency, async (owner) => {
      for await (const elements of elementsIn(client, access, { ...base, facet: { name, urns: [owner] } }))
        found.push({ owner, elements });
    });
  }
  const values = found.flatMap(({ elements }) => elements.map(({ pivotValues: [value = ''] }) => value));
  const countries = await countriesOf(client, access, [...new Set(values)]);
  const shown = (value: string): BreakdownValue => ({ value, label: countries.get(value) ?? 'unknown' });
  yield found.flatMap(({ owner, elements }) =>
    elements.map((element) =>
      toRow(query, element, {
        owner: query.level === 'ad' ? owner : owner.split(':').at(-1),
        pivots: [country],
        fields,
        shownOf: shown,
      }),
    ),
  );
}

const tooManyObjects = (objects: number): PlatformError =>
  new PlatformError(
    'F',
    'rejected',
    `The breakdown country of ${objects} objects is requested, but the platform reports it for one object at a time; name at most ${maxCountryReads} objects, or request a higher level`,
  );

const facetNames = { campaign: 'campaignGroups', ad_set: 'campaigns', ad: 'creatives' } as const;
const urnTypes = { campaign: 'sponsoredCampaignGroup', ad_set: 'sponsoredCampaign', ad: 'sponsoredCreative' } as const;

/** Named objects must be in the ad account: the platform also returns those of others, in other currencies. */
async function facetsOf(client: Client, access: Access, query: ReportQuery): Promise<Facet[]> {
  const { adAccount, within, fromDate, toDate } = query;
  const whole: Facet = { name: 'accounts', urns: [urn('sponsoredAccount', adAccount.id)] };
  if (!within) return [whole];
  const named = within.ids.map((id) => urn(urnTypes[within.level], id));
  const all = { pivots: [], fields: fieldsFor(query, false), facet: whole, fromDate, toDate, isDaily: false };
  const own = new Set(await objectsIn(client, access, all, within.level));
  const urns = named.filter((one) => own.has(one));
  return chunksOf(urns, maxUrns).map((some) => ({ name: facetNames[within.level], urns: some }));
}

/** Daily reach is read in ranges of at most as many days as the platform reports it for. */
const rangesOf = (query: ReportQuery): DayRange[] =>
  query.granularity === 'day' && query.withReach
    ? slicesOf(query, maxReachDays).map(([fromDate, toDate]) => ({ fromDate, toDate }))
    : [query];

async function* elementsIn(client: Client, access: Access, slice: Slice): AsyncGenerator<Element[]> {
  const { pivots: named, fields } = slice;
  const { elements } = await client.read(access, pathOf(slice), elementsOf(fields, named.length));
  if (elements.length < maxElements) return yield elements;
  for (const part of await partsOf(client, access, slice)) yield* elementsIn(client, access, part);
}

const dateIn = (date: string): string => {
  const [year, month, day] = date.split('-').map(Number);
  return `(year:${year},month:${month},day:${day})`;
};

/** Pivots of members need the finder `analytics`, which takes one pivot. */
function pathOf({ pivots: named, fields, facet, fromDate, toDate, isDaily }: Slice): string {
  const [first = ''] = named;
  return [
    first.startsWith('MEMBER_')
      ? `adAnalytics?q=analytics&pivot=${first}`
      : `adAnalytics?q=statistics&pivots=List(${named.join(',')})`,
    `timeGranularity=${isDaily ? 'DAILY' : 'ALL'}`,
    `dateRange=(start:${dateIn(fromDate)},end:${dateIn(toDate)})`,
    `${facet.name}=${list([...facet.urns])}`,
    `fields=${[...fields, 'pivotValues', 'dateRange'].join(',')}`,
  ].join('&');
}

/** Smaller requests that cover the same figures: fewer days, else fewer objects. */
async function partsOf(client: Client, access: Access, slice: Slice): Promise<Slice[]> {
  const { facet, fromDate, toDate, isDaily } = slice;
  if (isDaily && fromDate < toDate) {
    const middle = addDays(fromDate, Math.floor(dayCount(slice) / 2) - 1);
    return [
      { ...slice, toDate: middle },
      { ...slice, fromDate: addDays(middle, 1) },
    ];
  }
  const halvesOf = (name: Facet['name'], urns: readonly string[]): Slice[] =>
    chunksOf(urns, Math.min(maxUrns, Math.ceil(urns.length / 2))).map((some) => ({
      ...slice,
      facet: { name, urns: some },
    }));
  if (facet.urns.length > 1) return halvesOf(facet.name, facet.urns);
  const below = facet.name === 'accounts' ? 'campaign' : facet.name === 'campaignGroups' ? 'ad_set' : undefined;
  const pivot = below && pivots[below].at(-1);
  if (!below || !pivot || !slice.pivots.includes(pivot))
    throw new PlatformError(
      'F',
      'unavailable',
      'The report has more rows than the platform returns in one response, and it cannot be split further',
    );
  return halvesOf(facetNames[below], await objectsIn(client, access, slice, below));
}

/** The URNs of a level with any figures. */
async function objectsIn(
  client: Client,
  access: Access,
  slice: Slice,
  level: keyof typeof facetNames,
): Promise<string[]> {
  const pivot = pivots[level].at(-1) ?? '';
  const found: string[] = [];
  const asked = { ...slice, pivots: [pivot], isDaily: false };
  for await (const elements of elementsIn(client, access, asked))
    found.push(...elements.flatMap(({ pivotValues: [value] }) => value ?? []));
  return found;
}

const devices = { desktop_web: 'desktop', mobile_app: 'mobile', mobile_web: 'mobile', tablet_app: 'tablet' };
const shownOf = (value: string): BreakdownValue => breakdownValue(value, devices);
