import type { Asked } from './request.ts';
import {
  enumsIn,
  listIn,
  oneOfIn,
  pageInfo,
  parsed,
  parsedList,
  parsedObject,
  textIn,
  timeIn,
  timeText,
  windowIn,
  type Body,
} from './checks.ts';
import { VendorError, wrong } from './errors.ts';
import { readable, unset } from './fields.ts';
import { remembered } from './search-cache.ts';
import { hasPrimaryStatus, parentOf, primaryStatuses, secondaryStatus } from './status.ts';
import type { Thing, SandboxState } from './state.ts';

export type Level = 'campaign' | 'adgroup' | 'ad';

const everyLevel =
  'primary_status secondary_status objective_type buying_types optimization_goal creation_filter_start_time creation_filter_end_time';
const filters: Record<Level, string[]> = {
  campaign:
    `${everyLevel} campaign_ids campaign_name campaign_type is_smart_performance_campaign campaign_system_origins sales_destination split_test_enabled`.split(
      ' ',
    ),
  adgroup:
    `${everyLevel} campaign_ids adgroup_ids adgroup_name promotion_type bid_strategy creative_material_mode billing_events`.split(
      ' ',
    ),
  ad: `${everyLevel} campaign_ids adgroup_ids ad_ids ad_name creative_material_mode destination modified_after`.split(
    ' ',
  ),
};

/** One page of campaigns, ad groups or ads, newest first. Unknown ids are omitted. */
export function list(asked: Asked, level: Level): Body {
  const { sandbox, query } = asked;
  const window = windowIn(query);
  const names = fieldsIn(query, level);
  const left = enumsIn({ value: parsed(query, 'exclude_field_types_in_response') }, 'value', ['NULL_FIELD']);
  const filtering = parsedObject(query, 'filtering');
  const question = { advertiserId: asked.advertiser.id, kind: level, question: JSON.stringify(filtering) };
  const found = remembered(sandbox, question, () => filtered(asked, level, filtering));
  const start = (window.page - 1) * window.size;
  const page = found.slice(start, start + window.size);
  return {
    list: page.map((thing) => show(sandbox, thing, { names, withoutNulls: left !== undefined })),
    page_info: pageInfo(window, found.length),
  };
}

function fieldsIn(query: Record<string, string>, level: Level): string[] {
  const names = parsedList(query, 'fields');
  const odd = names?.find((name) => !readable[level].includes(name));
  if (odd !== undefined) throw wrong(`fields: Invalid value ${odd}.`);
  return names?.length ? names : readable[level];
}

function filtered(asked: Asked, level: Level, filtering: Body): Thing[] {
  const odd = Object.keys(filtering).find((name) => !filters[level].includes(name));
  if (odd !== undefined) throw wrong(`filtering.${odd}: Unknown field.`);
  const keep = conditions(asked.sandbox, level, filtering);
  return candidates(asked, level, filtering).filter((thing) => keep.every((holds) => holds(thing)));
}

/** The smallest list that the ids allow. */
function candidates({ sandbox, advertiser }: Asked, level: Level, filtering: Body): Thing[] {
  for (const kind of ['ad', 'adgroup', 'campaign'] as const) {
    const ids = listIn(filtering, `${kind}_ids`);
    if (!ids) continue;
    if (ids.length > 100) throw new VendorError(40011, `filtering.${kind}_ids: More than 100 ids.`);
    const unique = [...new Set(ids)].filter((id) => sandbox.find(kind, id)?.advertiserId === advertiser.id);
    const found = unique.flatMap((id) => (kind === level ? (sandbox.find(kind, id) ?? []) : sandbox.below(level, id)));
    return found.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  }
  return sandbox.below(level, advertiser.id).toReversed();
}

type Condition = (thing: Thing) => boolean;

function conditions(sandbox: SandboxState, level: Level, filtering: Body): Condition[] {
  const requested = oneOfIn(filtering, 'primary_status', primaryStatuses) ?? 'STATUS_NOT_DELETE';
  const keep: Condition[] = [(thing) => hasPrimaryStatus(sandbox, thing, requested)];
  for (const kind of ['campaign', 'adgroup'] as const) {
    const ids = listIn(filtering, `${kind}_ids`);
    if (ids && kind !== level) keep.push(({ fields }) => ids.includes(String(fields[`${kind}_id`])));
  }
  // Unconfirmed: whether names match completely or in part.
  const name = textIn(filtering, `${level}_name`);
  if (name !== undefined) keep.push(({ fields }) => String(fields[`${level}_name`]).includes(name));
  const [from, until] = [
    timeIn(filtering, 'creation_filter_start_time'),
    timeIn(filtering, 'creation_filter_end_time'),
  ];
  if (from !== undefined) keep.push(({ createdAt }) => createdAt >= from);
  if (until !== undefined) keep.push(({ createdAt }) => createdAt < until + 1000);
  const changed = timeIn(filtering, 'modified_after');
  if (changed !== undefined) keep.push(({ modifiedAt }) => modifiedAt > changed);
  return [...keep, ...plainConditions(sandbox, filtering)];
}

const specialFields =
  /^(primary_status|creation_filter_|modified_after|\w+_ids$|\w+_name$|buying_types|destination|campaign_system_origins)/;

/** Fields that must be equal, or one of a list. */
function plainConditions(sandbox: SandboxState, filtering: Body): Condition[] {
  return Object.entries(filtering)
    .filter(([name]) => !specialFields.test(name))
    .map(([name, requested]) => {
      const own = Array.isArray(requested) ? name.replace(/s$/, '') : name;
      const values = (Array.isArray(requested) ? requested : [requested]) as unknown[];
      return (thing) => values.includes(valueOf(sandbox, thing, own) ?? inherited(sandbox, thing, own));
    });
}

function inherited(sandbox: SandboxState, thing: Thing, name: string): unknown {
  const parent = parentOf(sandbox, thing);
  return parent && (valueOf(sandbox, parent, name) ?? inherited(sandbox, parent, name));
}

interface Shown {
  names: string[];
  withoutNulls: boolean;
}

/** An object as a read returns it. */
export function show(sandbox: SandboxState, thing: Thing, { names, withoutNulls }: Shown): Body {
  const shown: Body = {};
  for (const name of names) {
    const value = valueOf(sandbox, thing, name) ?? null;
    if (value !== null || !withoutNulls) shown[name] = value;
  }
  return shown;
}

function valueOf(sandbox: SandboxState, thing: Thing, name: string): unknown {
  const { kind, fields } = thing;
  switch (name) {
    case `${kind}_id`:
      return thing.id;
    case 'campaign_id':
      return isSmartPlusAd(sandbox, thing) ? null : fields[name];
    case 'campaign_automation_type':
      return automationOf(sandbox, thing);
    case 'advertiser_id':
      return thing.advertiserId;
    case 'create_time':
      return timeText(thing.createdAt);
    case 'modify_time':
      return timeText(thing.modifiedAt);
    case 'secondary_status':
      return secondaryStatus(sandbox, thing);
    case 'campaign_name':
      return kind === 'campaign' ? fields[name] : sandbox.find('campaign', String(fields['campaign_id']))?.fields[name];
    case 'adgroup_name':
      return kind === 'adgroup' ? fields[name] : parentOf(sandbox, thing)?.fields[name];
    default:
      return fields[name] ?? (fromPost(sandbox, thing, name) || unset[kind as Level]?.[name]);
  }
}

/** Seeded campaigns can be Smart+; ad groups and ads follow their campaign. */
const automationOf = (sandbox: SandboxState, thing: Thing): unknown => {
  const campaign = thing.kind === 'campaign' ? thing : sandbox.find('campaign', String(thing.fields['campaign_id']));
  return campaign?.fields['campaign_automation_type'] ?? 'MANUAL';
};

const isSmartPlusAd = (sandbox: SandboxState, thing: Thing): boolean =>
  thing.kind === 'ad' && String(automationOf(sandbox, thing)).includes('SMART_PLUS');

/** An ad that promotes a post is returned with the post's video and text. */
function fromPost(sandbox: SandboxState, { kind, advertiserId, fields }: Thing, name: string): unknown {
  if (kind !== 'ad' || !fields['tiktok_item_id'] || !/^(video_id|ad_text)$/.test(name)) return undefined;
  const identity = sandbox.identities.get(advertiserId)?.find(({ id }) => id === fields['identity_id']);
  const post = identity?.posts.find(({ itemId }) => itemId === fields['tiktok_item_id']);
  return name === 'video_id' ? post?.videoId : post?.text;
}
