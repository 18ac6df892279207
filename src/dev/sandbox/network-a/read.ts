import { textOf } from './checks.ts';
import { GraphError, invalid } from './errors.ts';
import { effectiveStatus, type GraphObject, type SandboxState } from './state.ts';

type Fields = Record<string, unknown>;

interface RequestedField {
  /** The text between its braces. */
  inner: string;
  limit?: string;
}

/** Parses fields such as `a,b,campaign{id,name},ads.limit(5){id}` by name. */
export function parseFields(text: string): Map<string, RequestedField> {
  const fields = new Map<string, RequestedField>();
  let [name, inner, depth] = ['', '', 0];
  for (const sign of `${text},`) {
    if (sign === '}') depth -= 1;
    if (depth > 0) inner += sign;
    if (sign === '{') depth += 1;
    if (depth > 0 || sign === '{' || sign === '}') continue;
    if (sign === ',') {
      const [bare = ''] = name.trim().split('.');
      if (bare) fields.set(bare, { inner, limit: /\.limit\((\d+)\)/.exec(name)?.[1] });
      [name, inner] = ['', ''];
    } else name += sign;
  }
  return fields;
}

const stamp = (iso: string): string => iso.replace(/\.\d+Z$/, '+0000');

/** Reads return budgets as strings, flags as booleans and times with an offset, however they were sent. */
export function normalised(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, readForm(name, value)]));
}

function readForm(name: string, value: unknown): unknown {
  if (/^(daily_budget|lifetime_budget|spend_cap)$/.test(name)) return textOf(value);
  if (name === 'bid_amount') return Number(value);
  if (name.startsWith('is_')) return textOf(value) === 'true';
  if (!/^(start|end|stop)_time$/.test(name)) return value;
  const text = textOf(value) ?? '0';
  if (text === '0') return undefined;
  return stamp(new Date(/^\d+$/.test(text) ? Number(text) * 1000 : text).toISOString());
}

/** Shows an object with the requested fields; `id` is always included. */
export function show(sandbox: SandboxState, object: GraphObject, requested: string): Fields {
  const all = { ...object.fields, ...derived(sandbox, object) };
  const answer: Fields = { id: object.id };
  for (const [name, { inner, limit }] of parseFields(requested)) {
    if (name !== 'id' && !readable[object.kind].includes(name)) {
      const text = `Tried accessing nonexisting field (${name}) on node type (${object.kind})`;
      throw new GraphError({ code: 100, message: text });
    }
    const value = valueOf(sandbox, object, { name, inner, limit, own: all[name] });
    if (value !== undefined) answer[name] = value;
  }
  return answer;
}

const shared = 'name status account_id created_time updated_time adlabels'.split(' ');
const delivered = 'effective_status configured_status issues_info start_time daily_budget lifetime_budget bid_strategy';
const readable: Record<GraphObject['kind'], string[]> = {
  campaign: [
    ...shared,
    ...delivered.split(' '),
    ...'objective buying_type stop_time source_campaign_id special_ad_categories special_ad_category_country spend_cap promoted_object is_adset_budget_sharing_enabled adsets ads'.split(
      ' ',
    ),
  ],
  adset: [
    ...shared,
    ...delivered.split(' '),
    ...'campaign_id campaign optimization_goal billing_event bid_amount bid_constraints targeting promoted_object attribution_spec destination_type dsa_beneficiary dsa_payor regional_regulated_categories regional_regulation_identities end_time is_dynamic_creative source_adset_id ads'.split(
      ' ',
    ),
  ],
  ad: [
    ...shared,
    ...'effective_status configured_status issues_info ad_review_feedback adset_id adset campaign_id campaign creative source_ad_id tracking_specs conversion_domain'.split(
      ' ',
    ),
  ],
  adcreative:
    'name status account_id adlabels object_story_spec object_story_id effective_object_story_id thumbnail_url image_url degrees_of_freedom_spec url_tags'.split(
      ' ',
    ),
  adimage: ['hash', 'account_id', 'created_time', 'updated_time'],
  advideo: ['file_url', 'name', 'title', 'created_time', 'updated_time'],
};

function valueOf(
  sandbox: SandboxState,
  object: GraphObject,
  { name, inner, limit = '100', own }: RequestedField & { name: string; own: unknown },
): unknown {
  if (name === 'campaign' || name === 'adset') {
    const parent = sandbox.objects.get(String(derived(sandbox, object)[`${name}_id`] ?? object.fields[`${name}_id`]));
    return parent && show(sandbox, parent, inner || 'id');
  }
  if (name === 'creative') {
    const creative = sandbox.objects.get(String((own as Fields)['creative_id']));
    return creative && show(sandbox, creative, inner || 'id');
  }
  if (name === 'adsets' || name === 'ads') {
    const below = childrenOf(sandbox, object, name === 'ads' ? 'ad' : 'adset') ?? [];
    return below.length === 0 ? undefined : pageOf(sandbox, below, { fields: inner || 'id', limit });
  }
  return own;
}

/** Ad sets of a campaign or ads of either; undefined for an unknown edge. */
export function childrenOf(
  sandbox: SandboxState,
  parent: GraphObject,
  kind: GraphObject['kind'],
): readonly string[] | undefined {
  const isEdge = parent.kind === 'campaign' ? /^(adset|ad)$/.test(kind) : parent.kind === 'adset' && kind === 'ad';
  return isEdge ? sandbox.under(kind, parent.id) : undefined;
}

function derived(sandbox: SandboxState, object: GraphObject): Fields {
  const set = object.kind === 'ad' ? sandbox.objects.get(String(object.fields['adset_id'])) : undefined;
  const times = {
    account_id: object.accountId,
    created_time: stamp(object.createdAt),
    updated_time: stamp(object.updatedAt),
  };
  if (object.kind === 'adcreative') return { ...times, thumbnail_url: 'https://sandbox.invalid/thumbnail.png' };
  if (object.kind === 'adimage' || object.kind === 'advideo') return times;
  const effective = effectiveStatus(sandbox, object);
  return {
    ...times,
    configured_status: object.fields['status'],
    effective_status: effective,
    ...(set && { campaign_id: set.fields['campaign_id'] }),
    ...(object.kind !== 'ad' && { start_time: object.fields['start_time'] ?? times.created_time }),
    ...(effective === 'DISAPPROVED' && {
      ad_review_feedback: {
        global: { 'Unacceptable content': 'The ad was rejected by the sandbox because its name says so' },
      },
    }),
  };
}

export interface Listing {
  data: Fields[];
  paging?: { cursors: { before: string; after: string }; next?: string };
}

export const cursorOf = (position: number): string => Buffer.from(`p${position}`).toString('base64url');

export const positionOf = (cursor: string): number =>
  Number(/^p(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1] ?? Number.NaN);

/** One page of a list and its cursors. */
export function cutOf<T>(
  list: readonly T[],
  query: Record<string, string>,
  usual = 25,
): { cut: readonly T[]; paging?: Listing['paging'] } {
  const limit = Math.min(Number(query['limit'] ?? usual), 500);
  const start = query['after'] ? positionOf(query['after']) : 0;
  if (!Number.isInteger(start) || !Number.isInteger(limit) || limit < 1)
    throw invalid('The cursor or limit is not valid', { field: 'after' });
  const cut = list.slice(start, start + limit);
  if (cut.length === 0) return { cut };
  const end = start + cut.length;
  const after = cursorOf(end);
  const next = end < list.length ? { next: `https://sandbox.invalid/?after=${after}` } : {};
  return { cut, paging: { cursors: { before: cursorOf(start), after }, ...next } };
}

/** A page of a list. The filter runs after the page is cut, so a page can be short and still have a next one. */
export function pageOf(sandbox: SandboxState, ids: readonly string[], query: Record<string, string>): Listing {
  const { cut, paging } = cutOf(ids, query);
  const keep = filterOf(sandbox, query);
  const objects = cut.flatMap((id) => sandbox.objects.get(id) ?? []).filter(keep);
  return { data: objects.map((object) => show(sandbox, object, query['fields'] ?? 'id')), ...(paging && { paging }) };
}

export interface Condition {
  field: string;
  operator: string;
  value: unknown;
}

/** Deleted and archived objects are excluded unless their status is requested. */
export function filterOf(sandbox: SandboxState, query: Record<string, string>): (object: GraphObject) => boolean {
  const conditions = (listIn(query, 'filtering') ?? []) as Condition[];
  const statuses = listIn(query, 'effective_status');
  return (object) => {
    const effective = object.kind === 'adcreative' ? 'ACTIVE' : effectiveStatus(sandbox, object);
    const asksStatus = conditions.some(({ field }) => String(field).endsWith('effective_status'));
    const isShown = statuses ? statuses.includes(effective) : asksStatus || !/DELETED|ARCHIVED/.test(effective);
    return isShown && conditions.every((condition) => holds(sandbox, object, condition));
  };
}

/** Lists are JSON text in the query. */
export function listIn(query: Record<string, string>, name: string): unknown[] | undefined {
  const text = query[name];
  if (!text) return undefined;
  try {
    const list = JSON.parse(text) as unknown;
    if (Array.isArray(list)) return list;
  } catch {
    // Rejected below, like any other value that is not a list.
  }
  throw invalid(`Param ${name} must be an array.`, { field: name });
}

function holds(sandbox: SandboxState, object: GraphObject, { field, operator, value }: Condition): boolean {
  const [name = '', level = object.kind] = String(field).split('.').toReversed();
  const about = level === object.kind ? object : above(sandbox, object, level);
  if (!about) return false;
  if (name === 'created_time' || name === 'updated_time') {
    const at = Date.parse(name === 'created_time' ? about.createdAt : about.updatedAt) / 1000;
    return operator === 'GREATER_THAN' ? at > Number(value) : at < Number(value);
  }
  const own =
    name === 'effective_status'
      ? effectiveStatus(sandbox, about)
      : String(about.fields[name] ?? (name === 'id' ? about.id : ''));
  const among = Array.isArray(value) && value.map(String).includes(own);
  switch (operator) {
    case 'EQUAL':
      return own === String(value);
    case 'NOT_EQUAL':
      return own !== String(value);
    case 'CONTAIN':
      return own.includes(String(value));
    case 'IN':
      return among;
    case 'NOT_IN':
      return !among;
    default:
      throw invalid(`The operator ${operator} is not supported for ${field}`, { field: 'filtering' });
  }
}

/** The campaign or ad set that contains an object. */
export function above(sandbox: SandboxState, object: GraphObject, level: string): GraphObject | undefined {
  if (level !== 'campaign' && level !== 'adset') return undefined;
  const set = object.kind === 'ad' ? sandbox.objects.get(String(object.fields['adset_id'])) : object;
  return level === 'adset' ? set : set && sandbox.objects.get(String(set.fields['campaign_id']));
}
