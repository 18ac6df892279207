import { daysIn, periodOfDay, periodOfDays, today } from '../figures/days.ts';
import { hasDelivery, type Figures } from '../figures/figures.ts';
import { hashOf } from '../figures/noise.ts';
import { reachOf } from '../figures/reach.ts';
import { splitFigures, type Part } from '../figures/split.ts';
import { campaignOf, figuresOf } from './delivery.ts';
import { allow, requireScope, type Asked } from './request.ts';
import { badParam, badRequest, RestError } from './errors.ts';
import { listParam, recordParam, textParam, type Param } from './restli.ts';
import { accountUrn, keyOf, urnOf, type Entity, type SandboxState } from './state.ts';
import type { Fields } from './shape.ts';

/** Longer responses are cut without a hint. */
const maxElements = 15_000;
const maxFields = 20;
const maxPivots = 3;
const maxReachDays = 92;
/** Figures of members arrive later, as whole days. */
const memberDelayMs = 24 * 3_600_000;
const mostValues = 45_000_000;
const valuesWindowMs = 300_000;

type Value = (figures: Figures, currency: string) => number | string;
const text = (millionths: number): string => {
  const digits = String(Math.abs(millionths)).padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0{1,4}$/, '');
  return `${millionths < 0 ? '-' : ''}${digits.slice(0, -6)}.${fraction}`;
};
const metrics: Record<string, Value> = {
  impressions: (of) => of.impressions,
  clicks: (of) => of.clicks,
  landingPageClicks: (of) => of.linkClicks,
  costInLocalCurrency: (of) => text(of.spend),
  costInUsd: (of, currency) => text(currency === 'USD' ? of.spend : Math.floor((of.spend * 108) / 100)),
  externalWebsiteConversions: (of) => of.purchases + of.registrations,
  conversionValueInLocalCurrency: (of) => text(of.purchaseValue),
  oneClickLeads: (of) => of.leads,
  totalEngagements: (of) => of.engagement,
  videoViews: (of) => of.videoViews,
  videoStarts: (of) => of.videoPlays,
  videoFirstQuartileCompletions: (of) => of.videoP25,
  videoMidpointCompletions: (of) => of.videoP50,
  videoThirdQuartileCompletions: (of) => of.videoP75,
  videoCompletions: (of) => of.videoP100,
};
const reach = 'approximateMemberReach';
/** Not with pivots of members. */
const withoutMembers = [reach, 'conversionValueInLocalCurrency'];
const known = [...Object.keys(metrics), reach, 'pivotValues', 'dateRange'];

const entityPivots = ['ACCOUNT', 'CAMPAIGN_GROUP', 'CAMPAIGN', 'CREATIVE'];
/** Values other than those of devices and countries are unconfirmed; some figures have none. */
const parts: Record<string, Part[]> = {
  PLACEMENT_NAME: [
    { value: 'LINKEDIN_FEED', weight: 70 },
    { value: 'LINKEDIN_AUDIENCE_NETWORK', weight: 25 },
    { value: '', weight: 5 },
  ],
  IMPRESSION_DEVICE_TYPE: [
    { value: 'MOBILE_APP', weight: 55 },
    { value: 'MOBILE_WEB', weight: 10 },
    { value: 'DESKTOP_WEB', weight: 30 },
    { value: '', weight: 5 },
  ],
  MEMBER_COUNTRY_V2: [
    { value: 'urn:li:geo:103644278', weight: 50 },
    { value: 'urn:li:geo:101165590', weight: 30 },
    // A country that is not among those with published ids.
    { value: 'urn:li:geo:199000001', weight: 15 },
    { value: 'urn:li:geo:90000070', weight: 5 },
  ],
};
const isOfMembers = (pivot: string): boolean => pivot.startsWith('MEMBER_');

/** Metrics per pivot over a date range, unpaginated. Objects without delivery have no row. */
export function analytics(asked: Asked): { elements: Fields[]; paging: Fields } {
  requireScope(asked, 'r_ads_reporting');
  const { params, sandbox } = asked;
  const pivots = pivotsIn(asked);
  const fields = fieldsIn(params['fields'], pivots);
  const range = rangeIn(params['dateRange'], today(sandbox.figures.now()));
  if (!['ALL', 'DAILY'].includes(String(params['timeGranularity']))) throw badParam('timeGranularity');
  const ranges =
    params['timeGranularity'] === 'DAILY'
      ? daysIn(range.first, range.last).map((day) => ({ first: day, last: day }))
      : [range];
  const groups = new Map<string, { urns: string[]; creatives: Entity[] }>();
  for (const creative of selectedCreatives(asked)) {
    const urns = pivots.filter((pivot) => entityPivots.includes(pivot)).map((pivot) => urnAt(sandbox, creative, pivot));
    const group = groups.get(urns.join(' '));
    if (group) group.creatives.push(creative);
    else groups.set(urns.join(' '), { urns, creatives: [creative] });
  }
  const breakdowns = pivots.filter((pivot) => !entityPivots.includes(pivot));
  const read = [...groups.values()].map((group) => ({ ...group, figuresIn: figuresOf(sandbox, group.creatives) }));
  const lastOfMembers = today(sandbox.figures.asOf() - memberDelayMs);
  const elements = ranges.flatMap((days) =>
    read.flatMap(({ urns, creatives, figuresIn }) =>
      cellsOf(figuresIn, { days, breakdowns, lastOfMembers, key: urns.join(' ') }).map(({ values, figures }) => ({
        ...shown(figures, fields, currencyOf(sandbox, creatives)),
        ...(fields.includes(reach) &&
          daysIn(range.first, range.last).length <= maxReachDays && { [reach]: reachOf(figures.impressions) }),
        ...(fields.includes('pivotValues') && { pivotValues: [...urns, ...values] }),
        ...(fields.includes('dateRange') && { dateRange: { start: dateOf(days.first), end: dateOf(days.last) } }),
      })),
    ),
  );
  countValues(sandbox, asked.person.id, Math.min(elements.length, maxElements) * fields.length);
  return {
    elements: elements.slice(0, maxElements),
    paging: { start: 0, count: Math.min(elements.length, maxElements), links: [] },
  };
}

/** The finder `analytics` takes one pivot, `statistics` up to three but none of members. */
function pivotsIn(asked: Asked): string[] {
  const { params } = asked;
  const common = ['q', 'dateRange', 'timeGranularity', 'fields', ...facets];
  const allowed = [...entityPivots, ...Object.keys(parts)];
  if (params['q'] === 'analytics') {
    allow(asked, 'pivot', ...common);
    const pivot = textParam(params['pivot']) ?? '';
    if (!allowed.includes(pivot)) throw badParam('pivot');
    return [pivot];
  }
  if (params['q'] !== 'statistics') throw badParam('q');
  allow(asked, 'pivots', ...common);
  const pivots = listParam(params, 'pivots') ?? [];
  const isPossible = pivots.every((pivot) => allowed.includes(pivot) && !isOfMembers(pivot));
  if (pivots.length === 0 || pivots.length > maxPivots || !isPossible) throw badParam('pivots');
  return pivots;
}

function fieldsIn(requested: Param = ['impressions', 'clicks'], pivots: string[]): string[] {
  const fields = requested as string[];
  if (fields.length > maxFields) throw badParam('fields', `at most ${maxFields} are possible`);
  const odd = fields.find(
    (name) => !known.includes(name) || (withoutMembers.includes(name) && pivots.some(isOfMembers)),
  );
  if (odd !== undefined) throw badParam('fields', `${odd} is not a field of it`);
  return fields;
}

interface Days {
  first: string;
  last: string;
}

/** Parses `(start:(year:2026,month:1,day:1),end:(...))`; the end defaults to today. */
function rangeIn(param: Param | undefined, current: string): Days {
  const range = recordParam(param);
  if (!range) throw badParam('dateRange', 'field is required');
  const dayIn = (name: string): string => {
    const { year, month, day } = recordParam(range[name]) ?? {};
    const at = Date.UTC(Number(year), Number(month) - 1, Number(day));
    if (Number.isNaN(at)) throw badParam(`dateRange.${name}`);
    return today(at);
  };
  const days = { first: dayIn('start'), last: range['end'] === undefined ? current : dayIn('end') };
  if (days.last < days.first) throw badParam('dateRange', 'the end is before the start');
  return days;
}

const facets = ['creatives', 'campaigns', 'campaignGroups', 'accounts'];

/** A facet is required. Without a role on the ad account there are no rows, and no error. */
function selectedCreatives({ sandbox, person, params }: Asked): Entity[] {
  const own = (entity: Entity | undefined): Entity[] =>
    entity && sandbox.accounts.get(entity.accountId)?.personId === person.id ? [entity] : [];
  if (facets.every((name) => params[name] === undefined))
    throw badRequest(`At least one facet is required: ${facets.join(', ')}`);
  const urnsOf = (name: string): string[] => listParam(params, name) ?? [];
  // Deleted entities have metrics too.
  const held = (ids: readonly string[]): Entity[] => ids.flatMap((id) => sandbox.entities.get(id) ?? []);
  const below = (urn: string): Entity[] => held(sandbox.below(keyOf.parent(urn)));
  const named = (name: string): Entity[] =>
    urnsOf(name).flatMap((urn) => own(held([urn.split(':').at(-1) ?? '']).find((entity) => urnOf(entity) === urn)));
  const inGroups = named('campaignGroups').flatMap((group) => below(urnOf(group)));
  const inAccounts = urnsOf('accounts').flatMap((urn) => {
    const id = person.accountIds.find((accountId) => accountUrn(accountId) === urn);
    return id === undefined ? [] : held(sandbox.below(keyOf.account(id, 'creative')));
  });
  const ofCampaigns = [...named('campaigns'), ...inGroups].flatMap((campaign) => below(urnOf(campaign)));
  return [...new Set([...named('creatives'), ...inAccounts, ...ofCampaigns])];
}

function urnAt(sandbox: SandboxState, creative: Entity, pivot: string): string {
  if (pivot === 'CREATIVE') return urnOf(creative);
  if (pivot === 'ACCOUNT') return accountUrn(creative.accountId);
  if (pivot === 'CAMPAIGN') return String(creative.fields['campaign']);
  return String(campaignOf(sandbox, creative)?.fields['campaignGroup']);
}

interface Cell {
  values: readonly string[];
  figures: Figures;
}

function cellsOf(
  figuresIn: ReturnType<typeof figuresOf>,
  { days, breakdowns, lastOfMembers, key }: { days: Days; breakdowns: string[]; lastOfMembers: string; key: string },
): Cell[] {
  const isLate = breakdowns.some(isOfMembers);
  const last = isLate ? earlier(days.last, lastOfMembers) : days.last;
  if (last < days.first) return [];
  const period = days.first === last ? periodOfDay(last) : periodOfDays(days.first, last);
  const cells = splitFigures(
    figuresIn(period),
    breakdowns.map((pivot) => parts[pivot] ?? []),
    `${key} ${days.first} ${days.last}`,
  );
  return (isLate ? cells.flatMap(approximate(key)) : cells).filter((cell) => hasDelivery(cell.figures));
}

const earlier = (one: string, other: string): string => (one < other ? one : other);

/** Figures of members are off by up to three, and those below three are withheld. */
const approximate =
  (key: string) =>
  ({ values, figures }: Cell): Cell[] => {
    const impressions = figures.impressions + (hashOf(`${key} ${values.join(' ')}`) % 7) - 3;
    return impressions < 3 ? [] : [{ values, figures: { ...figures, impressions } }];
  };

const currencyOf = (sandbox: SandboxState, [creative]: Entity[]): string =>
  sandbox.accounts.get(creative?.accountId ?? '')?.currency ?? 'USD';

const shown = (figures: Figures, fields: string[], currency: string): Fields =>
  Object.fromEntries(fields.flatMap((name) => (metrics[name] ? [[name, metrics[name](figures, currency)]] : [])));

function dateOf(day: string): Fields {
  const [year, month, ofMonth] = day.split('-').map(Number);
  return { year, month, day: ofMonth };
}

/** Unconfirmed: the message. */
function countValues(sandbox: SandboxState, personId: string, values: number): void {
  const now = sandbox.figures.now();
  const recent = (sandbox.values.get(personId) ?? []).filter(({ at }) => at > now - valuesWindowMs);
  recent.push({ at: now, values });
  sandbox.values.put(personId, recent);
  const most = sandbox.limits.get('values') ?? mostValues;
  if (recent.reduce((sum, one) => sum + one.values, 0) > most)
    throw new RestError({
      status: 429,
      code: 'TOO_MANY_REQUESTS',
      serviceErrorCode: 101,
      message: `The limit of ${most} metric values in 5 minutes is reached`,
    });
}
