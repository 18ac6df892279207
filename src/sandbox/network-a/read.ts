import { invalid } from './errors.ts';
import { effectiveStatus, type GraphObject, type World } from './objects.ts';

type Fields = Record<string, unknown>;

/** `a,b,campaign{id,name}` as a tree. */
export function parseFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [, name = '', inner = ''] of text.matchAll(/([\w.]+)(?:\([^)]*\))?(?:\{([^{}]*)\})?/g))
    fields.set(name, inner);
  return fields;
}

const stamp = (iso: string): string => iso.replace(/\.\d+Z$/, '+0000');

/** An object with the asked fields; `id` always comes. */
export function show(world: World, object: GraphObject, wanted: string): Fields {
  const all = { ...object.fields, ...derived(world, object) };
  const answer: Fields = { id: object.id };
  for (const [name, inner] of parseFields(wanted)) {
    const value = valueOf(world, { object, name, inner, all });
    if (value !== undefined) answer[name] = value;
  }
  return answer;
}

function valueOf(
  world: World,
  { object, name, inner, all }: { object: GraphObject; name: string; inner: string; all: Fields },
): unknown {
  if (name === 'campaign' || name === 'adset') {
    const parent = world.objects.get(String(object.fields[`${name}_id`]));
    return parent && show(world, parent, inner || 'id');
  }
  return all[name];
}

function derived(world: World, object: GraphObject): Fields {
  const set = object.kind === 'ad' ? world.objects.get(String(object.fields['adset_id'])) : undefined;
  const shared = {
    account_id: object.accountId,
    created_time: stamp(object.createdAt),
    updated_time: stamp(object.updatedAt),
  };
  if (object.kind === 'adimage' || object.kind === 'advideo' || object.kind === 'adcreative') return shared;
  const effective = effectiveStatus(world, object);
  return {
    ...shared,
    effective_status: effective,
    ...(set && { campaign_id: set.fields['campaign_id'] }),
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

const cursorOf = (position: number): string => Buffer.from(`p${position}`).toString('base64url');

const positionOf = (cursor: string): number =>
  Number(/^p(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1] ?? Number.NaN);

/** A page of a list. The filter runs after the page is cut, so a page can be short and still have a next one. */
export function pageOf(world: World, objects: GraphObject[], query: Record<string, string>): Listing {
  const limit = Math.min(Number(query['limit'] ?? 25), 500);
  const start = query['after'] ? positionOf(query['after']) : 0;
  if (!Number.isInteger(start) || !Number.isInteger(limit) || limit < 1)
    throw invalid('The cursor or limit is not valid', { blame: 'after' });
  const cut = objects.slice(start, start + limit);
  const keep = filterOf(world, query);
  const data = cut.filter(keep).map((object) => show(world, object, query['fields'] ?? 'id'));
  if (cut.length === 0) return { data };
  const end = start + cut.length;
  const after = cursorOf(end);
  const next = end < objects.length ? { next: `https://sandbox.invalid/?after=${after}` } : {};
  return { data, paging: { cursors: { before: cursorOf(start), after }, ...next } };
}

interface Condition {
  field: string;
  operator: string;
  value: unknown;
}

function filterOf(world: World, query: Record<string, string>): (object: GraphObject) => boolean {
  const conditions = query['filtering'] ? (JSON.parse(query['filtering']) as Condition[]) : [];
  const statuses = query['effective_status'] ? (JSON.parse(query['effective_status']) as string[]) : undefined;
  return (object) => {
    const effective = object.kind === 'adcreative' ? 'ACTIVE' : effectiveStatus(world, object);
    const isShown = statuses ? statuses.includes(effective) : !/DELETED|ARCHIVED/.test(effective);
    return isShown && conditions.every((condition) => holds(object, condition));
  };
}

function holds(object: GraphObject, { field, operator, value }: Condition): boolean {
  const name = field.split('.').at(-1) ?? '';
  if (name === 'created_time' || name === 'updated_time') {
    const at = Date.parse(name === 'created_time' ? object.createdAt : object.updatedAt) / 1000;
    return operator === 'GREATER_THAN' ? at > Number(value) : at < Number(value);
  }
  const own = String(object.fields[name] ?? (name === 'id' ? object.id : ''));
  if (operator === 'EQUAL') return own === String(value);
  if (operator === 'CONTAIN') return own.includes(String(value));
  if (operator === 'IN') return Array.isArray(value) && value.map(String).includes(own);
  throw invalid(`The operator ${operator} is not supported for ${field}`, { blame: 'filtering' });
}
