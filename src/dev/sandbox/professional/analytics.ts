import { hasStarted } from '../started.ts';
import { startOf } from './read.ts';
import { allow, requireScope, type Asked } from './request.ts';
import { badParam, badRequest } from './errors.ts';
import { accountUrn, entityAt, keyOf, urnOf, type Entity, type SandboxState } from './state.ts';
import { listParam, recordParam, type Param } from './restli.ts';
import type { Fields } from './shape.ts';

const day = 24 * 60 * 60 * 1000;
const pivots = ['ACCOUNT', 'CAMPAIGN_GROUP', 'CAMPAIGN', 'CREATIVE'];
const metrics = ['impressions', 'clicks', 'landingPageClicks', 'costInLocalCurrency', 'externalWebsiteConversions'];
const known = [...metrics, 'pivotValues', 'dateRange'];

/** Metrics per pivot over a date range, unpaginated. Objects without delivery have no row. */
export function analytics(asked: Asked): { elements: Fields[]; paging: Fields } {
  requireScope(asked, 'r_ads_reporting');
  const facets = ['creatives', 'campaigns', 'campaignGroups', 'accounts'];
  allow(asked, 'q', 'pivot', 'dateRange', 'timeGranularity', 'fields', ...facets);
  const { pivot, timeGranularity, fields = ['impressions', 'clicks'] } = asked.params;
  const requested = fields as string[];
  checkParams(asked, requested);
  const range = rangeIn(asked.params['dateRange']);
  const groups = new Map<string, Row[]>();
  for (const creative of selectedCreatives(asked, facets)) {
    for (const row of rowsOf(asked.sandbox, creative, range)) {
      const pivotUrn = pivotOf(asked.sandbox, creative, String(pivot));
      const key = timeGranularity === 'DAILY' ? `${pivotUrn} ${row.at}` : pivotUrn;
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
  }
  const elements = [...groups].map(([key, rows]) => {
    const [pivotUrn = '', at] = key.split(' ');
    return summed(rows, requested, {
      pivotUrn,
      ...(at === undefined ? range : { start: Number(at), end: Number(at) }),
    });
  });
  return { elements, paging: { start: 0, count: elements.length, links: [] } };
}

function checkParams({ params }: Asked, requested: string[]): void {
  if (params['q'] !== 'analytics') throw badParam('q');
  if (!pivots.includes(String(params['pivot']))) throw badParam('pivot');
  if (!['ALL', 'DAILY'].includes(String(params['timeGranularity']))) throw badParam('timeGranularity');
  const odd = requested.find((name) => !known.includes(name));
  if (odd !== undefined) throw badParam('fields', `${odd} is not a field of it`);
}

interface Range {
  start: number;
  end: number;
}

/** Parses `(start:(year:2026,month:1,day:1),end:(...))`; the end defaults to today. */
function rangeIn(param: Param | undefined): Range {
  const range = recordParam(param);
  if (!range) throw badParam('dateRange', 'field is required');
  const dateIn = (name: string): number => {
    const { year, month, day: ofMonth } = recordParam(range[name]) ?? {};
    const at = Date.UTC(Number(year), Number(month) - 1, Number(ofMonth));
    if (Number.isNaN(at)) throw badParam(`dateRange.${name}`);
    return at;
  };
  const [start, end] = [dateIn('start'), range['end'] === undefined ? today() : dateIn('end')];
  if (end < start) throw badParam('dateRange', 'the end is before the start');
  return { start, end };
}

const today = (): number => Math.floor(Date.now() / day) * day;

/** A facet is required. Without a role on the ad account there are no rows, and no error. */
function selectedCreatives({ sandbox, person, params }: Asked, facets: string[]): Entity[] {
  const own = (entity: Entity | undefined): Entity[] =>
    entity && sandbox.accounts.get(entity.accountId)?.personId === person.id ? [entity] : [];
  if (facets.every((name) => params[name] === undefined))
    throw badRequest(`At least one facet is required: ${facets.join(', ')}`);
  const urnsOf = (name: string): string[] => listParam(params, name) ?? [];
  // Deleted entities have metrics too.
  const held = (ids: readonly string[]): Entity[] => ids.flatMap((id) => sandbox.entities.get(id) ?? []);
  const below = (urn: string): Entity[] => held(sandbox.below(keyOf.parent(urn)));
  const inGroups = urnsOf('campaignGroups').flatMap((urn) =>
    own(entityAt(sandbox, urn, 'group')).flatMap((group) => below(urnOf(group))),
  );
  const named = urnsOf('campaigns').flatMap((urn) => own(entityAt(sandbox, urn, 'campaign')));
  const inAccounts = urnsOf('accounts').flatMap((urn) => {
    const id = person.accountIds.find((accountId) => accountUrn(accountId) === urn);
    return id === undefined ? [] : held(sandbox.below(keyOf.account(id, 'creative')));
  });
  const single = urnsOf('creatives').flatMap((urn) => own(entityAt(sandbox, urn, 'creative')));
  return [...new Set([...single, ...inAccounts, ...[...named, ...inGroups].flatMap((found) => below(urnOf(found)))])];
}

interface Row {
  at: number;
  impressions: number;
  clicks: number;
  cents: number;
}

/** Deterministic metrics per day. */
function rowsOf(sandbox: SandboxState, creative: Entity, { start, end }: Range): Row[] {
  const campaign = campaignOf(sandbox, creative);
  if (campaign?.runFrom === undefined) return [];
  const group = entityAt(sandbox, campaign.fields['campaignGroup'], 'group');
  const begin = Math.max(startOf(campaign), group ? startOf(group) : 0);
  if (!hasStarted(begin)) return [];
  const since = Math.floor(Math.max(campaign.runFrom, creative.createdAt, Math.min(begin, Date.now())) / day) * day;
  const [from, to] = [Math.max(start, since), Math.min(end, today())];
  const rows: Row[] = [];
  for (let at = from; at <= to; at += day) {
    const seed = (Number(creative.id) * 31 + at / day) % 997;
    const impressions = 1000 + seed;
    const clicks = 10 + (seed % 37);
    rows.push({ at, impressions, clicks, cents: clicks * 85 });
  }
  return rows;
}

const campaignOf = (sandbox: SandboxState, { fields }: Entity): Entity | undefined =>
  sandbox.entities.get(String(fields['campaign']).split(':').at(-1) ?? '');

function pivotOf(sandbox: SandboxState, creative: Entity, pivot: string): string {
  if (pivot === 'CREATIVE') return urnOf(creative);
  if (pivot === 'ACCOUNT') return accountUrn(creative.accountId);
  if (pivot === 'CAMPAIGN') return String(creative.fields['campaign']);
  return String(campaignOf(sandbox, creative)?.fields['campaignGroup']);
}

function summed(rows: Row[], requested: string[], where: Range & { pivotUrn: string }): Fields {
  const sum = (name: 'impressions' | 'clicks' | 'cents'): number => rows.reduce((total, row) => total + row[name], 0);
  const all: Fields = {
    impressions: sum('impressions'),
    clicks: sum('clicks'),
    landingPageClicks: sum('clicks'),
    costInLocalCurrency: (sum('cents') / 100).toFixed(2),
    externalWebsiteConversions: 0,
    pivotValues: [where.pivotUrn],
    dateRange: { start: dateOf(where.start), end: dateOf(where.end) },
  };
  return Object.fromEntries(requested.map((name) => [name, all[name]]));
}

function dateOf(at: number): Fields {
  const date = new Date(at);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}
