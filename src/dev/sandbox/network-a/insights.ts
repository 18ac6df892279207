import type { Body } from './checks.ts';
import { requireObject } from './checks.ts';
import { hasStarted } from '../started.ts';
import { timeOf } from './ad-sets.ts';
import { GraphError, invalid } from './errors.ts';
import { effectiveStatus, offsetOf, type AdAccount, type GraphObject, type SandboxState } from './state.ts';
import { above, cutOf, filterOf, listIn, parseFields, type Condition, type Listing } from './read.ts';

type Query = Record<string, string>;
type Level = 'account' | 'campaign' | 'adset' | 'ad';

const names = 'impressions clicks spend reach frequency cpm cpc ctr'.split(' ');
const labels =
  'account_id account_name account_currency campaign_id campaign_name adset_id adset_name ad_id ad_name objective date_start date_stop'.split(
    ' ',
  );
const presets: Record<string, number> = {
  today: 0,
  yesterday: 1,
  last_3d: 3,
  last_7d: 7,
  last_14d: 14,
  last_28d: 28,
  last_30d: 30,
  last_90d: 90,
  this_month: 30,
  last_month: 30,
  maximum: 37 * 30,
};

interface Figures {
  impressions: number;
  clicks: number;
  /** In whole units of the currency. */
  spend: number;
}

/** Metrics of ads or aggregated on their parents. Objects without impressions have no row. */
export function insights(sandbox: SandboxState, owner: AdAccount | GraphObject, query: Query): Listing {
  const account = 'kind' in owner ? sandbox.accounts.get(owner.accountId) : owner;
  const own: Level = 'kind' in owner ? (owner.kind as Level) : 'account';
  const level = (query['level'] ?? own) as Level;
  if (!['account', 'campaign', 'adset', 'ad'].includes(level) || !account)
    throw invalid('level must be one of account, campaign, adset, ad', { field: 'level' });
  const fields = fieldsOf(query);
  const dates = datesOf(query);
  const show = (object: GraphObject | undefined, figures: Figures): Body => {
    const all: Body = { ...labelsOf(sandbox, account, object), ...written(figures, account.currency), ...dates };
    return Object.fromEntries(fields.map((name) => [name, all[name]]).filter(([, value]) => value !== undefined));
  };
  const conditions = conditionsIn(query);
  const ids = own === 'ad' ? [(owner as GraphObject).id] : adsBelow(sandbox, owner.id, conditions);
  // The status filter does not apply by default: deleted ads have metrics too.
  const keep = conditions.length > 0 ? filterOf(sandbox, query) : () => true;
  // The filter applies to the row's object: a campaign's metrics include its deleted ads.
  const isMeant = (ad: GraphObject): boolean => {
    const about = level === 'campaign' || level === 'adset' ? above(sandbox, ad, level) : ad;
    return about !== undefined && keep(about);
  };
  const rowsOf = (some: readonly string[]): [GraphObject, Figures][] =>
    some.flatMap((id) => {
      const ad = sandbox.objects.get(id);
      const figures = ad && isMeant(ad) ? figuresOf(sandbox, ad) : undefined;
      return ad && figures ? [[ad, figures] as [GraphObject, Figures]] : [];
    });
  if (level === 'ad') {
    const { cut, paging } = cutOf(ids, query);
    return { data: rowsOf(cut).map(([ad, figures]) => show(ad, figures)), ...(paging && { paging }) };
  }
  const sums = [...summed(sandbox, rowsOf(ids), level)];
  const { cut, paging } = cutOf(sums, query);
  return { data: cut.map(([id, figures]) => show(sandbox.objects.get(id), figures)), ...(paging && { paging }) };
}

/** Filters name an object level, and accept metrics as well as names. */
function conditionsIn(query: Query): Condition[] {
  const conditions = (listIn(query, 'filtering') ?? []) as Condition[];
  for (const { field, operator, value } of conditions) {
    const [level = '', name = ''] = String(field).split('.');
    if (!filterLevels.includes(level) || !filterNames.includes(name))
      throw new GraphError({ code: 100, message: `Filtering field '${field}' is invalid` });
    if (/^(NOT_)?IN$/.test(operator) && !Array.isArray(value))
      throw invalid(`The operator ${operator} requires a list of values`, { field: 'filtering' });
  }
  return conditions;
}

const filterLevels = ['campaign', 'adset', 'ad'];
const filterNames = ['id', 'name', 'effective_status', 'created_time', 'updated_time', 'objective'];

/** Filters by the named objects before paging. */
function adsBelow(sandbox: SandboxState, ownerId: string, conditions: Condition[]): readonly string[] {
  const named = conditions.find(({ field, operator }) => /^(campaign|adset|ad)\.id$/.test(field) && operator === 'IN');
  if (!named) return sandbox.under('ad', ownerId);
  const asked = [...new Set((named.value as unknown[]).map(String))];
  const ads = named.field === 'ad.id' ? asked : asked.flatMap((id) => sandbox.under('ad', id));
  return ads.filter((id) => isBelow(sandbox, id, ownerId)).toSorted();
}

function isBelow(sandbox: SandboxState, id: string, ownerId: string): boolean {
  const ad = sandbox.objects.get(id);
  if (ad?.kind !== 'ad') return false;
  return [ad.accountId, above(sandbox, ad, 'adset')?.id, above(sandbox, ad, 'campaign')?.id].includes(ownerId);
}

function fieldsOf(query: Query): string[] {
  // Unconfirmed: which fields are returned by default, apart from the dates.
  const requested = [...parseFields(query['fields'] ?? 'account_id,impressions,spend').keys()];
  const odd = requested.find((name) => !names.includes(name) && !labels.includes(name));
  if (odd) throw new GraphError({ code: 100, message: `${odd} is not valid for fields param.` });
  return [...new Set([...requested, 'date_start', 'date_stop'])];
}

function datesOf(query: Query): Body {
  const day = (date: Date): string => date.toISOString().slice(0, 10);
  if (query['time_range']) {
    const { since, until } = requireObject(parsed(query['time_range']), 'time_range');
    for (const date of [since, until])
      if (!/^\d{4}-\d{2}-\d{2}$/.test(String(date)))
        throw invalid('time_range requires since and until', { field: 'time_range' });
    return { date_start: since, date_stop: until };
  }
  const days = presets[query['date_preset'] ?? 'last_30d'];
  if (days === undefined) throw invalid('date_preset is not valid', { field: 'date_preset' });
  return { date_start: day(new Date(Date.now() - days * 86_400_000)), date_stop: day(new Date()) };
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Seeded metrics, else deterministic ones for active ads that have started. */
function figuresOf(sandbox: SandboxState, ad: GraphObject): Figures | undefined {
  if (ad.figures) return ad.figures;
  const start = timeOf(above(sandbox, ad, 'adset')?.fields['start_time']);
  if (effectiveStatus(sandbox, ad) !== 'ACTIVE' || !hasStarted(start)) return undefined;
  const seed = Number(ad.id.slice(-6)) % 997;
  return { impressions: 1000 + seed * 7, clicks: 10 + (seed % 90), spend: 5 + (seed % 400) / 10 };
}

function summed(sandbox: SandboxState, rows: [GraphObject, Figures][], level: Level): Map<string, Figures> {
  const sums = new Map<string, Figures>();
  for (const [ad, figures] of rows) {
    const id = level === 'account' ? '' : (above(sandbox, ad, level)?.id ?? '');
    const sum = sums.get(id) ?? { impressions: 0, clicks: 0, spend: 0 };
    sums.set(id, {
      impressions: sum.impressions + figures.impressions,
      clicks: sum.clicks + figures.clicks,
      spend: sum.spend + figures.spend,
    });
  }
  return sums;
}

/** Metrics are strings, and amounts whole units with the currency's digits. */
function written({ impressions, clicks, spend }: Figures, currency: string): Body {
  const money = (amount: number): string => amount.toFixed(offsetOf(currency) === 1 ? 0 : 2);
  return {
    impressions: String(impressions),
    clicks: String(clicks),
    spend: money(spend),
    reach: String(Math.ceil(impressions * 0.8)),
    frequency: '1.25',
    ...(impressions > 0 && {
      cpm: ((spend * 1000) / impressions).toFixed(6),
      ctr: ((clicks * 100) / impressions).toFixed(6),
    }),
    ...(clicks > 0 && { cpc: (spend / clicks).toFixed(6) }),
  };
}

function labelsOf(sandbox: SandboxState, account: AdAccount, object: GraphObject | undefined): Body {
  const own = { account_id: account.id, account_name: account.name, account_currency: account.currency };
  if (!object) return own;
  const levels = { ad: object.kind === 'ad' ? object : undefined, adset: undefined, campaign: undefined } as Record<
    string,
    GraphObject | undefined
  >;
  levels['adset'] = object.kind === 'campaign' ? undefined : above(sandbox, object, 'adset');
  levels['campaign'] = object.kind === 'campaign' ? object : above(sandbox, object, 'campaign');
  return Object.entries(levels).reduce<Body>(
    (all, [name, at]) => (at ? { ...all, [`${name}_id`]: at.id, [`${name}_name`]: at.fields['name'] } : all),
    { ...own, objective: levels['campaign']?.fields['objective'] },
  );
}
