import { catalogue } from './catalogue.ts';
import { elements, newRequestId, refusal } from './errors.ts';
import { languages } from './languages.ts';
import { interests, places, showInterest, showPlace } from './geo.ts';
import type { Resource } from './state.ts';
import type { Place } from './mutate.ts';
import { parseQuery, type Condition, type Query } from './query.ts';
import { searchRequest, streamRequest, type Kind } from './resources.ts';
import { camel, read, valueAt, withValue, type Fields } from './shapes.ts';
import { isMeasured, measured, type Base, type Row } from './measured.ts';
import { show, showClient, showCustomer, showUserList } from './serialize.ts';

const pageSize = 10_000;

/** `googleAds:search`: a page of fixed size and the next token. */
export function search(place: Place, body: unknown): Fields {
  const request = read(searchRequest, body);
  if (request['pageSize'] !== undefined) {
    throw refusal('requestError.PAGE_SIZE_NOT_SUPPORTED', 400, { path: elements('page_size') });
  }
  const query = parseQuery(requireQuery(request));
  const start = startOf(request);
  if (request['validateOnly'] === true) return {};
  const settings = (request['searchSettings'] ?? {}) as Fields;
  const wantsTotal = settings['returnTotalResultsCount'] === true;
  const rows = found(place, query, wantsTotal ? Infinity : start + pageSize + 1);
  const results = rows.slice(start, start + pageSize).map((row) => pick(row, query));
  const hasMore = rows.length > start + pageSize;
  return {
    ...(results.length > 0 && settings['omitResults'] !== true && { results }),
    ...(hasMore && { nextPageToken: tokenOf(start + pageSize, String(request['query'])) }),
    ...(wantsTotal && { totalResultsCount: String(rows.length) }),
    fieldMask: maskOf(query),
  };
}

/** `googleAds:searchStream`: all rows as a list of batches. */
export function searchStream(place: Place, body: unknown): Fields[] {
  const query = parseQuery(requireQuery(read(streamRequest, body)));
  const rows = found(place, query, Infinity);
  const [fieldMask, requestId] = [maskOf(query), newRequestId()];
  const batches = Math.max(1, Math.ceil(rows.length / pageSize));
  return Array.from({ length: batches }, (_, index) => {
    const results = rows.slice(index * pageSize, (index + 1) * pageSize).map((row) => pick(row, query));
    return { ...(results.length > 0 && { results }), fieldMask, requestId };
  });
}

function requireQuery({ query }: Fields): string {
  if (typeof query === 'string' && query.trim() !== '') return query;
  throw refusal('requestError.REQUIRED_FIELD_MISSING', 400, { path: elements('query') });
}

const tokenOf = (start: number, query: string): string => Buffer.from(`${start} ${query}`).toString('base64url');

/** A token is bound to its query. */
function startOf({ pageToken, query }: Fields): number {
  if (pageToken === undefined || pageToken === '') return 0;
  const [start = '', ...rest] = Buffer.from(String(pageToken), 'base64url').toString().split(' ');
  if (/^\d+$/.test(start) && rest.join(' ') === query) return Number(start);
  throw refusal('requestError.INVALID_PAGE_TOKEN', 400, { path: elements('page_token') });
}

const maskOf = ({ select }: Query): string => select.map(camel).join(',');

function found(place: Place, query: Query, enough: number): Row[] {
  const { customer } = place;
  if (customer.isManager && query.select.some((field) => field.startsWith('metrics.'))) {
    const message = 'Metrics cannot be requested for a manager account.';
    throw refusal('queryError.REQUESTED_METRICS_FOR_MANAGER', 400, { message });
  }
  const filters = query.where.filter(({ field }) => field !== 'segments.date');
  const most = Math.min(query.limit ?? Infinity, query.order.length > 0 ? Infinity : enough);
  const rows: Row[] = [];
  for (const row of rowsOf(place, query)) {
    if (rows.length >= most && query.order.length === 0) break;
    if (filters.every((condition) => holds(condition, fieldOf(row, condition.field)))) rows.push(row);
  }
  if (query.order.length > 0) rows.sort((one, other) => compare(query, one, other));
  return rows.slice(0, query.limit);
}

const fieldOf = (row: Row, field: string): unknown => {
  const [resource = '', ...path] = field.split('.');
  return valueAt(row(resource), path.map(camel));
};

function compare({ order }: Query, one: Row, other: Row): number {
  for (const { field, isDown } of order) {
    const [left, right] = [fieldOf(one, field), fieldOf(other, field)];
    const isNumber = catalogue.get(field)?.type === 'i';
    const sign = isNumber
      ? Number(left ?? 0) - Number(right ?? 0)
      : String(left ?? '') < String(right ?? '')
        ? -1
        : Number(String(left ?? '') > String(right ?? ''));
    if (sign !== 0) return isDown ? -sign : sign;
  }
  return 0;
}

function holds({ field, operator, value, upper }: Condition, own: unknown): boolean {
  if (operator === 'IS NULL') return own === undefined;
  if (operator === 'IS NOT NULL') return own !== undefined;
  const isNumber = catalogue.get(field)?.type === 'i';
  const isFlag = catalogue.get(field)?.type === 'b';
  const text = isFlag ? String(own ?? false) : own === undefined ? undefined : String(own);
  if (text === undefined) return /^(!=|NOT)/.test(operator);
  const given = [value ?? []].flat().map((one) => (isFlag ? one.toLowerCase() : one));
  const [first = ''] = given;
  const order = isNumber ? Number(text) - Number(first) : text < first ? -1 : Number(text > first);
  if (operator === '=') return order === 0;
  if (operator === '!=') return order !== 0;
  if (operator === 'IN' || operator === 'NOT IN') return given.includes(text) === (operator === 'IN');
  if (operator.endsWith('LIKE')) return conflictKey(first).test(text) === (operator === 'LIKE');
  if (operator === 'BETWEEN') return order >= 0 && Number(text) <= Number(upper);
  return operator.startsWith('<')
    ? order < 0 || (operator === '<=' && order === 0)
    : order > 0 || (operator === '>=' && order === 0);
}

/** `%` matches any text, `_` one character, and brackets escape; unlike other comparisons it ignores case. */
function conflictKey(pattern: string): RegExp {
  const source = pattern.replace(/\[(.)\]|%|_|[\\^$.*+?()[\]{}|]/gs, (part, inner: string | undefined) => {
    if (part === '%') return '.*';
    if (part === '_') return '.';
    return (inner ?? part).replace(/[\\^$.*+?()[\]{}|]/, String.raw`\$&`);
  });
  return new RegExp(`^${source}$`, 'is');
}

function pick(row: Row, { select, from }: Query): Fields {
  let answer: Fields = {};
  for (const resource of new Set([from, ...select.map((field) => field.split('.')[0] ?? '')])) {
    const name = row(resource)?.['resourceName'];
    if (name !== undefined) answer = withValue(answer, [camel(resource), 'resourceName'], name);
  }
  for (const field of select) {
    const value = fieldOf(row, field);
    const path = field.split('.').map(camel);
    if (path[1] === 'ad')
      answer = withValue(answer, ['adGroupAd', 'ad', 'resourceName'], fieldOf(row, 'ad_group_ad.ad.resource_name'));
    if (value !== undefined) answer = withValue(answer, path, value);
  }
  return answer;
}

const kindOf: Record<string, Kind> = {
  campaign: 'campaigns',
  campaign_budget: 'campaignBudgets',
  campaign_criterion: 'campaignCriteria',
  ad_group: 'adGroups',
  ad_group_criterion: 'adGroupCriteria',
  ad_group_ad: 'adGroupAds',
  asset: 'assets',
};

function rowsOf(place: Place, query: Query): Row[] {
  const { sandbox, customer } = place;
  const single = (resource: string, list: Fields[]): Row[] =>
    list.map((one) => (name) => (name === resource ? one : name === 'customer' ? showCustomer(customer) : undefined));
  switch (query.from) {
    case 'customer':
    case 'age_range_view':
    case 'gender_view':
    case 'geographic_view':
      return measured(place, query, basesOf(place, query));
    case 'customer_client': {
      const clients = [customer, ...sandbox.clientsOf(customer.id)];
      return single(
        'customer_client',
        clients.map((client) => showClient(customer, client)),
      );
    }
    case 'geo_target_constant':
      return single('geo_target_constant', places.map(showPlace));
    case 'language_constant':
      return single('language_constant', languages);
    case 'user_interest':
      return single(
        'user_interest',
        interests.map((interest) => showInterest(customer.id, interest)),
      );
    case 'user_list':
      return single('user_list', customer.isManager ? [] : [showUserList(customer)]);
    default:
      return isMeasured(query)
        ? measured(place, query, basesOf(place, query))
        : candidates(place, query).map((resource) => rowOf(place, query.from, resource));
  }
}

/** What figures are about: views are of ad groups, or of what the query selects. */
function basesOf(place: Place, query: Query): Base[] {
  const { sandbox, customer } = place;
  const about = resourceBelow(query);
  if (about === 'customer')
    return [
      {
        row: (name) => (name === 'customer' ? showCustomer(customer) : undefined),
        ads: sandbox.held(customer.id, 'adGroupAds'),
        campaigns: sandbox.held(customer.id, 'campaigns'),
      },
    ];
  return candidates(place, { ...query, from: about }).map((resource) => ({
    row: rowOf(place, about, resource),
    ads: adsOf(place, resource),
    campaigns: resource.kind === 'campaigns' ? [resource] : [],
  }));
}

function resourceBelow({ select, from }: Query): string {
  if (from === 'age_range_view' || from === 'gender_view') return 'ad_group';
  if (from !== 'geographic_view') return from;
  const names = select.map((field) => field.split('.')[0]);
  return names.includes('ad_group') ? 'ad_group' : names.includes('campaign') ? 'campaign' : 'customer';
}

/** Candidate resources: those below what the query names, else all of the account. */
function candidates({ sandbox, customer }: Place, { from, where }: Query): Resource[] {
  const equal = (field: string): string[] | undefined => {
    const { value } = where.find((one) => one.field === field && /^(=|IN)$/.test(one.operator)) ?? {};
    return value === undefined ? undefined : [...new Set([value].flat())];
  };
  const named = (resource: string, kind: Kind): Resource[] | undefined => {
    const names =
      equal(`${resource}.resource_name`) ??
      equal(`${resource}.id`)?.map((id) => `customers/${customer.id}/${kind}/${id}`);
    const own = names
      ?.filter((name) => name.startsWith(`customers/${customer.id}/`))
      .flatMap((name) => sandbox.get(name) ?? []);
    return own ?? equal(`${resource}.name`)?.flatMap((name) => sandbox.named(customer.id, kind, name));
  };
  const kind = kindOf[from] ?? 'campaigns';
  const campaigns = named('campaign', 'campaigns');
  if (kind === 'campaigns' && campaigns) return campaigns;
  if (kind === 'adGroupAds') {
    const ads = equal('ad_group_ad.ad.id')?.flatMap(
      (id) => sandbox.get(sandbox.owner(`ad ${customer.id} ${id}`) ?? '') ?? [],
    );
    if (ads) return ads;
  }
  const isBelowGroup = /^(adGroups|adGroupAds|adGroupCriteria)$/.test(kind);
  const groups = isBelowGroup
    ? (named('ad_group', 'adGroups') ?? campaigns?.flatMap(({ name }) => sandbox.below(name, 'adGroups')))
    : undefined;
  if (kind === 'adGroups' && groups) return groups;
  if (groups) return groups.flatMap(({ name }) => sandbox.below(name, kind));
  if (kind === 'campaignCriteria' && campaigns) return campaigns.flatMap(({ name }) => sandbox.below(name, kind));
  return sandbox.held(customer.id, kind);
}

function rowOf(place: Place, main: string, resource: Resource): Row {
  const { sandbox, customer } = place;
  const known = new Map<string, Resource | undefined>([[main, resource]]);
  const reach = (name: string): Resource | undefined => {
    if (known.has(name)) return known.get(name);
    const from =
      name === 'ad_group'
        ? resource
        : reach(name === 'campaign' ? (resource.fields['adGroup'] ? 'ad_group' : main) : 'campaign');
    const target = sandbox.get(String(from?.fields[camel(name)]));
    known.set(name, target);
    return target;
  };
  const shown = new Map<string, Fields | undefined>();
  return (name) => {
    if (shown.has(name)) return shown.get(name);
    const value = name === 'customer' ? showCustomer(customer) : undefined;
    const other = kindOf[name] ? reach(name) : undefined;
    const answer = value ?? (other && show(sandbox, other));
    shown.set(name, answer);
    return answer;
  };
}

function adsOf({ sandbox }: Place, resource: Resource): Resource[] {
  if (resource.kind === 'adGroupAds') return [resource];
  if (resource.kind === 'adGroups') return sandbox.below(resource.name, 'adGroupAds');
  return sandbox.below(resource.name, 'adGroups').flatMap(({ name }) => sandbox.below(name, 'adGroupAds'));
}
