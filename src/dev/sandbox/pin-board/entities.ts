import type { Received } from '../platform.ts';
import { adGroupDefaults, adGroupSchema, checkAdGroup } from './ad-groups.ts';
import { adDefaults, adSchema, checkAd, reviewOf } from './ads.ts';
import { campaignDefaults, campaignSchema, checkCampaign, statuses } from './campaigns.ts';
import { elementsOf, read, required, rules, type Schema } from './checks.ts';
import { ElementError, PinError } from './errors.ts';
import { noteDelivery } from './figures.ts';
import { listIn, pageOf, type Page } from './lists.ts';
import { seconds, type AdAccount, type Entity, type Fields, type Kind, type SandboxState } from './state.ts';

interface Level {
  schema: Schema;
  defaults: Fields;
  check: (
    sandbox: SandboxState,
    account: AdAccount,
    changes: { fields: Fields; old?: Entity; isOlder?: boolean },
  ) => string[];
  prefix: string;
  /** The query parameter that filters this level by id. */
  ids: string;
  type: string;
}

const levels: Record<Kind, Level> = {
  campaigns: {
    schema: campaignSchema,
    defaults: campaignDefaults,
    check: (_, account, { fields, ...compared }) => checkCampaign(account, fields, compared),
    prefix: '626',
    ids: 'campaign_ids',
    type: 'campaign',
  },
  ad_groups: {
    schema: adGroupSchema,
    defaults: adGroupDefaults,
    check: (sandbox, account, { fields, old }) => checkAdGroup({ sandbox, account }, fields, old),
    prefix: '2680',
    ids: 'ad_group_ids',
    type: 'adgroup',
  },
  ads: {
    schema: adSchema,
    defaults: adDefaults,
    check: (sandbox, account, { fields, old }) => checkAd({ sandbox, account }, fields, old),
    prefix: '687',
    ids: 'ad_ids',
    type: 'pinpromotion',
  },
};

export const isKind = (word: string | undefined): word is Kind => word !== undefined && Object.hasOwn(levels, word);

/** Elements fail individually under a 200; only a schema violation rejects the whole request. */
export function write(
  sandbox: SandboxState,
  { account, kind }: { account: AdAccount; kind: Kind },
  request: Write,
): Fields {
  const { schema } = levels[kind];
  const isNew = request.method === 'POST';
  const idSchema = { ...schema, id: required(rules.id()) };
  const elements = elementsOf(request.json).map((element) => {
    const fields = read(element, isNew ? schema : idSchema, isNew ? 'refused' : 'left out');
    const lacking = ['id', ...(kind === 'campaigns' ? ['ad_account_id'] : [])].find((name) => !fields[name]);
    if (!isNew && lacking) throw new PinError(400, 1, `Invalid request: '${lacking}' is a required property`);
    return fields;
  });
  const target = { sandbox, account, kind };
  return {
    items: elements.map((fields) =>
      outcome(kind, () => (isNew ? add(target, fields, request.isOlder) : change(target, fields))),
    ),
  };
}

interface Write {
  method: string;
  /** The elements were created before the platform required campaign budget optimization. */
  isOlder?: boolean;
  json?: unknown;
}

interface Target {
  sandbox: SandboxState;
  account: AdAccount;
  kind: Kind;
}

/** Ads have their exception as an object, the other levels a list. */
function outcome(kind: Kind, work: () => Fields): Fields {
  try {
    return { data: work(), exceptions: kind === 'ads' ? null : [] };
  } catch (error) {
    if (!(error instanceof ElementError)) throw error;
    const exception = { code: error.code, message: error.message };
    return { data: null, exceptions: kind === 'ads' ? exception : [exception] };
  }
}

function add({ sandbox, account, kind }: Target, given: Fields, isOlder = false): Fields {
  const { defaults, check, prefix } = levels[kind];
  const now = seconds();
  const fields = { ...defaults, ...dropNull(given, defaults) };
  const parentIds = check(sandbox, account, { fields, isOlder });
  const entity: Entity = {
    id: sandbox.newId(prefix),
    accountId: account.id,
    parentIds,
    createdAt: now,
    updatedAt: now,
    ...(fields['status'] === 'ACTIVE' && { ranSince: now }),
    fields,
  };
  sandbox.entities[kind].put(entity);
  noteDelivery(sandbox, kind, entity);
  const pin = sandbox.pins.get(String(fields['pin_id']));
  if (pin) sandbox.pins.put({ ...pin, isPromoted: true });
  return show(sandbox, kind, entity);
}

/** A null means the platform's default, if there is one. */
const dropNull = (given: Fields, defaults: Fields): Fields =>
  Object.fromEntries(Object.entries(given).filter(([name, value]) => value !== null || defaults[name] === undefined));

function change({ sandbox, account, kind }: Target, { id, ...given }: Fields): Fields {
  const old = sandbox.entities[kind].get(String(id));
  if (old?.accountId !== account.id) throw new ElementError(`${levels[kind].type} ${String(id)} not found.`);
  const isGone = /ARCHIVED|DELETED_DRAFT/.test(String(old.fields['status']));
  if (isGone && given['status'] !== undefined && given['status'] !== old.fields['status'])
    throw new ElementError('An archived object cannot be made active again');
  if (given['status'] === 'DELETED_DRAFT' && old.fields['status'] !== 'DRAFT')
    throw new ElementError('Only a draft can be deleted; archive the object instead');
  const fields = { ...old.fields, ...given };
  levels[kind].check(sandbox, account, { fields, old });
  const ranSince = old.ranSince ?? (fields['status'] === 'ACTIVE' ? seconds() : undefined);
  const entity = { ...old, updatedAt: seconds(), ...(ranSince !== undefined && { ranSince }), fields };
  sandbox.entities[kind].put(entity);
  noteDelivery(sandbox, kind, entity);
  return show(sandbox, kind, entity);
}

export function show(sandbox: SandboxState, kind: Kind, entity: Entity): Fields {
  const { id, accountId, createdAt, updatedAt, parentIds, fields } = entity;
  return {
    id,
    ad_account_id: accountId,
    ...fields,
    ...(kind === 'campaigns' && { start_time: fields['start_time'] ?? createdAt }),
    ...(kind === 'ads' && { campaign_id: parentIds[1], ...reviewFields(entity) }),
    ...(kind === 'ad_groups' && { start_time: fields['start_time'] ?? createdAt, feed_profile_id: '0' }),
    summary_status: kind === 'ads' ? adSummary(entity) : summaryOf(sandbox, kind, entity),
    type: levels[kind].type,
    created_time: createdAt,
    updated_time: updatedAt,
  };
}

function reviewFields(ad: Entity): Fields {
  const review = reviewOf(ad);
  const isRejected = review === 'REJECTED';
  return {
    review_status: review,
    rejected_reasons: isRejected ? ['LOW_QUALITY'] : [],
    rejection_labels: isRejected ? ['The sandbox rejected the ad because its name says so'] : [],
  };
}

function adSummary(ad: Entity): string {
  const status = String(ad.fields['status']);
  return status === 'ACTIVE' ? reviewOf(ad) : status;
}

function summaryOf(sandbox: SandboxState, kind: Kind, { fields, parentIds }: Entity): string {
  const above = kind === 'ad_groups' ? sandbox.entities.campaigns.get(parentIds[0] ?? '') : undefined;
  const own = String(fields['status']);
  const upper = above ? summaryOf(sandbox, 'campaigns', above) : 'RUNNING';
  if (own !== 'ACTIVE') return own;
  if (upper !== 'RUNNING') return upper;
  if (fields['end_time'] && Number(fields['end_time']) <= seconds()) return 'COMPLETED';
  return Number(fields['start_time'] ?? 0) > seconds() ? 'NOT_STARTED' : 'RUNNING';
}

type Asked = Pick<Received, 'query' | 'rawQuery'>;

/** One page of one level of an account; archived entities only with `entity_statuses`. */
export function list(
  sandbox: SandboxState,
  { account, kind }: { account: AdAccount; kind: Kind },
  { query, rawQuery }: Asked,
): Page {
  const shelf = sandbox.entities[kind];
  const kinds = Object.keys(levels) as Kind[];
  const filters = kinds.slice(0, kinds.indexOf(kind) + 1).map((level) => listIn(rawQuery, levels[level].ids));
  const requested = listIn(rawQuery, 'entity_statuses') ?? ['ACTIVE', 'PAUSED'];
  if (requested.some((word) => !statuses.includes(word)))
    throw new PinError(400, 1, `Invalid request: entity_statuses must be of ${statuses.join(', ')}`);
  const [own, ...parents] = filters.toReversed();
  const keep = (entity: Entity): boolean => {
    const related = [entity.id, ...entity.parentIds];
    return (
      entity.accountId === account.id &&
      requested.includes(String(entity.fields['status'])) &&
      filters.every((ids) => !ids || ids.some((id) => related.includes(id)))
    );
  };
  const below = own ?? parents.find((ids) => ids !== undefined)?.flatMap((id) => shelf.under(id));
  return pageOf(below ? [...new Set(below)].toSorted() : shelf.under(account.id), query, (id) => {
    const entity = shelf.get(id);
    return entity && keep(entity) ? show(sandbox, kind, entity) : undefined;
  });
}
