import type { Received } from '../platform.ts';
import { hasStarted } from '../started.ts';
import { reviewOf } from './ads.ts';
import { invalidRequest, PinError } from './errors.ts';
import { listIn } from './lists.ts';
import { seconds, type AdAccount, type Entity, type Fields, type Kind, type SandboxState } from './state.ts';

interface Day {
  impressions: number;
  clicks: number;
  spend: number;
}

/** Supported columns; the platform has more and omits those without a value. */
const columns: Record<string, (sum: Day, entity: Entity) => unknown> = {
  SPEND_IN_MICRO_DOLLAR: ({ spend }) => spend,
  SPEND_IN_DOLLAR: ({ spend }) => spend / 1e6,
  TOTAL_IMPRESSION: ({ impressions }) => impressions,
  PAID_IMPRESSION: ({ impressions }) => impressions,
  IMPRESSION_1: ({ impressions }) => impressions,
  TOTAL_CLICKTHROUGH: ({ clicks }) => clicks,
  CLICKTHROUGH_1: ({ clicks }) => clicks,
  TOTAL_ENGAGEMENT: ({ clicks }) => clicks * 2,
  CTR: ({ clicks, impressions }) => clicks / impressions,
  ECPC_IN_MICRO_DOLLAR: ({ spend, clicks }) => Math.round(spend / clicks),
  ECPM_IN_MICRO_DOLLAR: ({ spend, impressions }) => Math.round((spend * 1000) / impressions),
  TOTAL_CONVERSIONS: ({ clicks }) => Math.floor(clicks / 10),
  AD_ACCOUNT_ID: (_, { accountId }) => accountId,
  ADVERTISER_ID: (_, { accountId }) => accountId,
  PIN_ID: (_, { fields }) => fields['pin_id'],
  AD_NAME: (_, { fields }) => fields['name'],
};
const isColumn = (name: string): boolean => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(name);

const day = 24 * 3600;
const wrong = (): PinError => new PinError(400, 400, 'Invalid ad account ads analytics parameters.');
const startOf = (text: string | undefined): number => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') ? Date.parse(`${text}T00:00:00Z`) / 1000 : Number.NaN;
  if (Number.isNaN(at)) throw wrong();
  return at;
};

/** Names of a level's ids in the query and in a row. */
const idNames = { campaigns: 'campaign_ids', ad_groups: 'ad_group_ids', ads: 'ad_ids' } as const;
const idColumns = { campaigns: 'CAMPAIGN_ID', ad_groups: 'AD_GROUP_ID', ads: 'AD_ID' } as const;

/** Metrics of one level: none for objects that never ran; archived children are included. */
export function analytics(
  { sandbox, account, kind }: { sandbox: SandboxState; account: AdAccount; kind: Kind },
  { query, rawQuery }: Pick<Received, 'query' | 'rawQuery'>,
): Fields[] {
  const [start, end] = [startOf(query['start_date']), startOf(query['end_date'])];
  const { granularity = '' } = query;
  const requested = listIn(rawQuery, 'columns');
  if (!requested || !requested.every(isColumn)) throw wrong();
  if (!/^(TOTAL|DAY|HOUR|WEEK|MONTH)$/.test(granularity)) throw wrong();
  if (end < start || end - start > 90 * day || start < seconds() - 91 * day) throw wrong();
  if (/^(HOUR|WEEK|MONTH)$/.test(granularity)) throw invalidRequest('the sandbox supports TOTAL and DAY');
  const ids = listIn(rawQuery, idNames[kind]) ?? [];
  if (ids.length === 0) throw wrong();
  const entities = ids.map((id) => sandbox.entities[kind].get(id)).filter((entity) => entity?.accountId === account.id);
  return entities.flatMap((entity) =>
    entity ? rowsOf(sandbox, { entity, kind }, { start, end, granularity, requested }) : [],
  );
}

interface Span {
  start: number;
  end: number;
  granularity: string;
  requested: string[];
}

function rowsOf(
  sandbox: SandboxState,
  { entity, kind }: { entity: Entity; kind: Kind },
  { start, end, granularity, requested }: Span,
): Fields[] {
  const ran = adsIn(sandbox, entity, kind).flatMap((ad) => {
    const since = ranSince(sandbox, ad);
    return since === undefined ? [] : [{ ad, since }];
  });
  const last = Math.min(end, Math.floor(seconds() / day) * day);
  const rowOf = (from: number, until: number, extra: Fields): Fields[] => {
    const sums = ran.flatMap(({ ad, since }) => {
      const days = Math.round((until - Math.max(from, Math.floor(since / day) * day)) / day) + 1;
      return days > 0 ? [sumOf(ad, days)] : [];
    });
    if (sums.length === 0) return [];
    const sum = sums.reduce((total, one) => ({
      impressions: total.impressions + one.impressions,
      clicks: total.clicks + one.clicks,
      spend: total.spend + one.spend,
    }));
    const shown = requested.flatMap((name) => (columns[name] ? [[name, columns[name](sum, entity)]] : []));
    return [{ [idColumns[kind]]: entity.id, ...extra, ...Object.fromEntries(shown) }];
  };
  if (granularity === 'TOTAL') return rowOf(start, last, {});
  const days = Math.max(0, Math.round((last - start) / day) + 1);
  return Array.from({ length: days }, (_, index) => start + index * day).flatMap((at) =>
    rowOf(at, at, { DATE: new Date(at * 1000).toISOString().slice(0, 10) }),
  );
}

function adsIn({ entities }: SandboxState, entity: Entity, kind: Kind): Entity[] {
  const ids = kind === 'ads' ? [entity.id] : entities.ads.under(entity.id);
  return ids.flatMap((id) => entities.ads.get(id) ?? []);
}

/** An ad delivers once it and its parents have started and been active; a later pause is ignored. */
function ranSince({ entities }: SandboxState, ad: Entity): number | undefined {
  const [groupId = '', campaignId = ''] = ad.parentIds;
  const chain = [ad, entities.ad_groups.get(groupId), entities.campaigns.get(campaignId)].map((one) => one?.ranSince);
  const starts = [groupId, campaignId].map(
    (id) => (entities.ad_groups.get(id) ?? entities.campaigns.get(id))?.fields['start_time'] ?? 0,
  );
  const since = Math.max(...[...chain, ...starts].map(Number));
  if (reviewOf(ad) !== 'APPROVED' || chain.includes(undefined) || !hasStarted(since * 1000)) return undefined;
  return since;
}

/** Deterministic metrics per ad. */
function sumOf({ id }: Entity, days: number): Day {
  const impressions = (1_000 + Number(id.slice(-3))) * days;
  const clicks = Math.round(impressions / 50);
  return { impressions, clicks, spend: clicks * 250_000 };
}
