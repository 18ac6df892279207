import { daysIn, periodOfDays, today } from '../figures/days.ts';
import { addFigures, hasDelivery, noFigures, type Figures } from '../figures/figures.ts';
import { lifetimeOf } from '../figures/generator.ts';
import type { Plan } from '../figures/plan.ts';
import { planOf, unitOf } from './ad-figures.ts';
import type { Body } from './checks.ts';
import { GraphError, unknownObject } from './errors.ts';
import { brokenDown } from './insight-breakdowns.ts';
import { queryIn, type InsightQuery, type Level } from './insight-query.ts';
import { written } from './insight-values.ts';
import { above, cutOf, filterOf, type Condition, type Listing } from './read.ts';
import type { AdAccount, GraphObject, SandboxState } from './state.ts';

type Query = Record<string, string>;

/** Settings of tests. */
export interface InsightSetting {
  /** A report with more rows is rejected, whatever its pages. */
  mostRows?: number;
}

interface Row {
  object: GraphObject | undefined;
  range: InsightQuery['ranges'][number];
  columns: Record<string, string>;
  figures: Figures;
}

interface Group {
  object: GraphObject | undefined;
  plans: Plan[];
}

interface Report {
  sandbox: SandboxState;
  account: AdAccount;
  timeZone: string;
  query: InsightQuery;
}

/** Metrics of ads or aggregated on their parents, in rows by time and breakdown. Only what delivered has a row. */
export function insights(sandbox: SandboxState, owner: AdAccount | GraphObject, query: Query): Listing {
  const account = 'kind' in owner ? sandbox.accounts.get(owner.accountId) : owner;
  if (!account) throw unknownObject(owner.id);
  const own: Level = 'kind' in owner ? (owner.kind as Level) : 'account';
  const timeZone = zoneOf(account);
  const report = { sandbox, account, timeZone, query: queryIn(query, own, { now: sandbox.figures.now(), timeZone }) };
  const groups = groupsOf(report, owner, { own, keep: filterOf(sandbox, query) });
  const { breakdowns, ranges } = report.query;
  const requested = groups.flatMap((group) => ranges.map((range) => ({ group, range })));
  const { mostRows } = sandbox.insightSetting.get('all') ?? {};
  if (requested.length * (breakdowns.length > 0 ? 10 : 1) > (mostRows ?? Infinity)) throw tooMuch;
  if (breakdowns.length > 0) {
    const { cut, paging } = cutOf(
      requested.flatMap(({ group, range }) => rowsOf(report, group, range)),
      query,
    );
    return { data: cut.map((row) => show(report, row)), ...(paging && { paging }) };
  }
  // A page is cut before what did not deliver is left out, so it can be short.
  const { cut, paging } = cutOf(requested, query);
  const rows = cut.flatMap(({ group, range }) => rowsOf(report, group, range));
  return { data: rows.map((row) => show(report, row)), ...(paging && { paging }) };
}

const tooMuch = new GraphError({
  code: 100,
  subcode: 1487534,
  message: 'Please reduce the amount of data you are asking for, then retry your request',
});

export const zoneOf = ({ fields }: AdAccount): string => String(fields?.['timezone_name'] ?? 'Europe/Berlin');

interface Selection {
  own: Level;
  keep: (object: GraphObject) => boolean;
}

/** The ads of each row. The filter applies to the row's object: a campaign's metrics include its deleted ads. */
function groupsOf({ sandbox, query }: Report, owner: AdAccount | GraphObject, { own, keep }: Selection): Group[] {
  const { level, conditions } = query;
  const ids = own === 'ad' ? [owner.id] : adsBelow(sandbox, owner.id, conditions);
  const groups = new Map<string, Group>();
  for (const id of ids) {
    const ad = sandbox.objects.get(id);
    if (!ad) continue;
    const object = level === 'account' ? undefined : level === 'ad' ? ad : above(sandbox, ad, level);
    if (object && level !== own && !keep(object)) continue;
    const key = object?.id ?? '';
    const group = groups.get(key) ?? { object, plans: [] };
    groups.set(key, group);
    group.plans.push(planOf(sandbox, ad));
  }
  return [...groups.values()];
}

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

/** The rows of one object and range; each ad and day is split by itself, so that ranges and parents add up. */
function rowsOf(report: Report, { object, plans }: Group, range: Row['range']): Row[] {
  const { account, query } = report;
  const rows = new Map<string, Row>();
  const unit = unitOf(account.currency);
  for (const plan of plans)
    for (const { day, figures } of daysOf(report, plan, range)) {
      const parts =
        query.breakdowns.length === 0
          ? [{ columns: {}, figures }]
          : brokenDown(figures, query.breakdowns, { key: `${plan.id} ${day}`, unit });
      for (const { columns, figures: part } of parts) {
        const key = Object.values(columns).join('\n');
        const row = rows.get(key) ?? { object, range, columns, figures: noFigures() };
        rows.set(key, row);
        addFigures(row.figures, part);
      }
    }
  return [...rows.values()].filter(({ figures }) => hasDelivery(figures));
}

/** Only within the ad's life; the whole range at once if its days are not distinguished. */
function daysOf(
  { sandbox, timeZone, query }: Report,
  plan: Plan,
  { since, until }: Row['range'],
): { day: string; figures: Readonly<Figures> }[] {
  const { figures: store } = sandbox;
  const life = lifetimeOf(plan, store.asOf());
  const [first, last] = [today(life.from, timeZone), today(life.until, timeZone)];
  const [from, to] = [since > first ? since : first, until < last ? until : last];
  if (from > to) return [];
  if (query.breakdowns.length === 0)
    return [{ day: from, figures: store.between(plan, periodOfDays(from, to, timeZone)) }];
  return daysIn(from, to).map((day) => ({ day, figures: store.between(plan, periodOfDays(day, day, timeZone)) }));
}

function show({ sandbox, account, query }: Report, { object, range, columns, figures }: Row): Body {
  const all: Body = {
    ...labelsOf(sandbox, account, object),
    ...written({ figures, currency: account.currency, hasReach: query.hasReach }),
    ...columns,
    date_start: range.since,
    date_stop: range.until,
  };
  return Object.fromEntries(query.fields.map((name) => [name, all[name]]).filter(([, value]) => value !== undefined));
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
    {
      ...own,
      objective: levels['campaign']?.fields['objective'],
      optimization_goal: levels['adset']?.fields['optimization_goal'],
      attribution_setting: levels['adset'] && '7d_click_1d_view',
    },
  );
}
