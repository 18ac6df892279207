import { dayAfter, daysIn, today } from '../figures/days.ts';
import type { Figures } from '../figures/figures.ts';
import type { Received } from '../platform.ts';
import { breakdowns, isColumn, isUnique, shown } from './columns.ts';
import { invalidRequest, PinError } from './errors.ts';
import { sumBy, sumOver, type Range } from './figures.ts';
import { listIn } from './lists.ts';
import type { AdAccount, Entity, Fields, Kind, SandboxState } from './state.ts';

export type Level = Kind | 'account';

export const wrong = (): PinError => new PinError(400, 400, 'Invalid ad account ads analytics parameters.');

/** Names of a level's ids in the query and in a row. */
export const idNames = { campaigns: 'campaign_ids', ad_groups: 'ad_group_ids', ads: 'ad_ids' } as const;
export const idColumns = {
  account: 'AD_ACCOUNT_ID',
  campaigns: 'CAMPAIGN_ID',
  ad_groups: 'AD_GROUP_ID',
  ads: 'AD_ID',
} as const;

export interface Target {
  sandbox: SandboxState;
  account: AdAccount;
  level: Level;
}

/** What a report is about, besides its objects. */
export interface Request extends Range {
  granularity: string;
  columns: readonly string[];
}

const isDay = (text: string | undefined): text is string =>
  /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') && !Number.isNaN(Date.parse(text ?? ''));

/** Checks the days of a report, all in UTC. */
export function rangeIn(sandbox: SandboxState, fields: Fields, most: { daysBack: number; days: number }): Range {
  const [first, last] = [fields['start_date'], fields['end_date']] as [string | undefined, string | undefined];
  if (!isDay(first) || !isDay(last)) throw wrong();
  const earliest = dayAfter(today(sandbox.figures.now()), -most.daysBack);
  if (last < first || first < earliest || dayAfter(first, most.days) < last) throw wrong();
  return { first, last };
}

export function granularityIn({ granularity }: Fields): string {
  if (!/^(TOTAL|DAY|HOUR|WEEK|MONTH)$/.test(String(granularity))) throw wrong();
  if (/^(HOUR|WEEK|MONTH)$/.test(String(granularity))) throw invalidRequest('the sandbox supports TOTAL and DAY');
  return String(granularity);
}

type Asked = Pick<Received, 'query' | 'rawQuery'>;

function requestIn({ sandbox }: Target, { query, rawQuery }: Asked): Request {
  const columns = listIn(rawQuery, 'columns');
  if (!columns) throw wrong();
  const odd = columns.find((name) => !isColumn(name));
  if (odd !== undefined) throw invalidRequest(`'${odd}' is not one of the columns`);
  const granularity = granularityIn(query);
  for (const name of ['click_window_days', 'engagement_window_days', 'view_window_days'])
    if (!/^(0|1|7|14|30|60)$/.test(query[name] ?? '1')) throw wrong();
  if (!/^TIME_OF_(AD_ACTION|CONVERSION)$/.test(query['conversion_report_time'] ?? 'TIME_OF_AD_ACTION')) throw wrong();
  return { ...rangeIn(sandbox, query, { daysBack: 90, days: 90 }), granularity, columns };
}

/** Figures of one level: none for objects without delivery; archived objects are included. */
export function analytics(target: Target, asked: Asked): Fields[] {
  const request = requestIn(target, asked);
  return objectsIn(target, asked.rawQuery).flatMap((object) => rowsOf(target, object, request));
}

/** The same by the values of a breakdown. */
export function targetingAnalytics(target: Target, asked: Asked): { data: Fields[] } {
  const request = requestIn(target, asked);
  const types = (asked.query['targeting_types'] ?? '').split(',');
  // A beta that not all users have.
  const odd = types.find((type) => !Object.hasOwn(breakdowns, type));
  if (odd !== undefined) throw invalidRequest(`'${odd}' is not one of the targeting types`);
  if (request.columns.some(isUnique)) throw wrong();
  const data = objectsIn(target, asked.rawQuery).flatMap((object) =>
    types.flatMap((type) => targetingRowsOf(target, object, { ...request, type })),
  );
  return { data };
}

/** An object of the level with the ads below it. */
interface Subject {
  entity?: Entity;
  ads: Entity[];
}

/** Only ad accounts need no ids. Unknown ids have no rows. */
function objectsIn({ sandbox, account, level }: Target, rawQuery: string): Subject[] {
  if (level === 'account') return [subjectOf(sandbox, account, level)];
  const ids = listIn(rawQuery, idNames[level]) ?? [];
  if (ids.length === 0) throw wrong();
  return ids.flatMap((id) => {
    const entity = sandbox.entities[level].get(id);
    return entity?.accountId === account.id ? subjectOf(sandbox, account, level, entity) : [];
  });
}

export function subjectOf({ entities }: SandboxState, account: AdAccount, level: Level, entity?: Entity): Subject {
  const ids = level === 'ads' && entity ? [entity.id] : entities.ads.under(entity?.id ?? account.id);
  return { entity, ads: ids.flatMap((id) => entities.ads.get(id) ?? []) };
}

export const rowsOf = (target: Target, { entity, ads }: Subject, request: Request): Fields[] =>
  spansOf(request).flatMap(({ range, ...date }) => {
    const sum = sumOver(target.sandbox, ads, range);
    return sum ? [rowOf(target, entity, { sum, date, columns: request.columns })] : [];
  });

const targetingRowsOf = (
  target: Target,
  { entity, ads }: Subject,
  { type, ...request }: Request & { type: string },
): Fields[] =>
  spansOf(request).flatMap(({ range, ...date }) =>
    sumBy(target.sandbox, ads, range, breakdowns[type] ?? []).map(([value, sum]) => ({
      targeting_type: type,
      targeting_value: value,
      metrics: rowOf(target, entity, { sum, date, columns: request.columns }),
    })),
  );

interface Sum {
  sum: Figures;
  date: object;
  columns: readonly string[];
}

function rowOf({ account, level }: Target, entity: Entity | undefined, { sum, date, columns }: Sum): Fields {
  const subject = { kind: level, accountId: account.id, entity };
  return { ...shown([idColumns[level], ...columns], sum, subject), ...date };
}

const spansOf = ({ first, last, granularity }: Request): { range: Range; DATE?: string }[] =>
  granularity === 'TOTAL'
    ? [{ range: { first, last } }]
    : daysIn(first, last).map((DATE) => ({ range: { first: DATE, last: DATE }, DATE }));
