import { checkAdSet } from './ad-sets.ts';
import { checkAd } from './ads.ts';
import { rejectUnknownFields, requireObject, requireOneOf, textOf, type Body } from './checks.ts';
import { GraphError, invalid, unknownObject } from './errors.ts';
import { effectiveStatus, type AdAccount, type CopyLimit, type GraphObject, type SandboxState } from './state.ts';
import { normalised } from './read.ts';

const common =
  'deep_copy status_option start_time end_time rename_options parameter_overrides migrate_to_advantage_plus'.split(' ');
const known: Partial<Record<GraphObject['kind'], string[]>> = {
  campaign: common,
  adset: [...common, 'campaign_id'],
  ad: ['status_option', 'rename_options', 'adset_id'],
};
const strategies = ['DEEP_RENAME', 'ONLY_TOP_LEVEL_RENAME', 'NO_RENAME'];
const defaultLimit: CopyLimit = { most: 3, counts: 'ads' };

interface Copied {
  ad_object_type: 'campaign' | 'ad_set' | 'ad';
  source_id: string;
  copied_id: string;
}

interface Copying {
  sandbox: SandboxState;
  account: AdAccount;
  body: Body;
  isDeep: boolean;
  made: Copied[];
}

/** Copies a campaign, ad set or ad, with its children if requested and within the limit. */
export function copy(sandbox: SandboxState, object: GraphObject, body: Body): object {
  const allowed = known[object.kind];
  const account = sandbox.accounts.get(object.accountId);
  if (!allowed || !account) throw unknownObject(`${object.id}/copies`);
  rejectUnknownFields(body, allowed);
  if (isGone(sandbox, object)) throw invalid('A deleted object cannot be copied', { subcode: 1487056, field: 'id' });
  if (body['status_option'] !== undefined)
    requireOneOf(body, 'status_option', ['ACTIVE', 'PAUSED', 'INHERITED_FROM_SOURCE']);
  const options = renaming(body);
  if (options['rename_strategy'] !== undefined) requireOneOf(options, 'rename_strategy', strategies);
  const isDeep = textOf(body['deep_copy']) === 'true';
  const copying: Copying = { sandbox, account, body, isDeep, made: [] };
  if (isDeep) rejectLarge(sandbox, object);
  switch (object.kind) {
    case 'campaign':
      return { copied_campaign_id: copyCampaign(copying, object), ...listOf(copying) };
    case 'adset': {
      const campaignId = textOf(body['campaign_id']) ?? String(object.fields['campaign_id']);
      checkTree(copying, object, campaignId);
      return { copied_adset_id: addSet(copying, object, { campaignId, isTop: true }), ...listOf(copying) };
    }
    default: {
      const setId = textOf(body['adset_id']) ?? String(object.fields['adset_id']);
      checkOne(copying, object, setId);
      return { copied_ad_id: addAd(copying, object, { setId, isTop: true }) };
    }
  }
}

/** Unconfirmed: whether a copy without children lists itself; here it does not. */
const listOf = ({ isDeep, made }: Copying): object => (isDeep ? { ad_object_ids: made } : {});

const renaming = ({ rename_options: options }: Body): Body =>
  options === undefined ? {} : requireObject(options, 'rename_options');

const isGone = (sandbox: SandboxState, object: GraphObject): boolean =>
  /DELETED|ARCHIVED/.test(effectiveStatus(sandbox, object));

const living = (sandbox: SandboxState, kind: GraphObject['kind'], parentId: string): GraphObject[] =>
  sandbox.under(kind, parentId).flatMap((id) => {
    const object = sandbox.objects.get(id);
    return object && !isGone(sandbox, object) ? [object] : [];
  });

/** A synchronous copy is limited to a few children. */
function rejectLarge(sandbox: SandboxState, object: GraphObject): void {
  if (object.kind === 'ad') return;
  const { most, counts } = sandbox.copyLimit.get('all') ?? defaultLimit;
  const sets = object.kind === 'campaign' && counts === 'objects' ? living(sandbox, 'adset', object.id).length : 0;
  if (sets + living(sandbox, 'ad', object.id).length > most)
    throw new GraphError({
      code: 100,
      subcode: 1885194,
      message: 'Invalid parameter',
      title: 'Too many objects to copy',
      text: `A synchronous copy is limited to ${most} ${counts}`,
    });
}

/** Validates everything before creating anything. */
function copyCampaign(copying: Copying, campaign: GraphObject): string {
  const { sandbox, isDeep } = copying;
  const sets = isDeep ? living(sandbox, 'adset', campaign.id) : [];
  for (const set of sets) checkTree(copying, set, campaign.id);
  const id = keep(copying, campaign, { isTop: true, change: { source_campaign_id: campaign.id } });
  for (const set of sets) addSet(copying, set, { campaignId: id, isTop: false });
  return id;
}

function addSet(
  copying: Copying,
  set: GraphObject,
  { campaignId, isTop }: { campaignId: string; isTop: boolean },
): string {
  const times = timesOf(copying, set);
  const id = keep(copying, set, {
    isTop,
    change: { ...times, campaign_id: campaignId, source_adset_id: set.id },
  });
  const ads = copying.isDeep ? living(copying.sandbox, 'ad', set.id) : [];
  for (const ad of ads) addAd(copying, ad, { setId: id, isTop: false });
  return id;
}

const addAd = (copying: Copying, ad: GraphObject, { setId, isTop }: { setId: string; isTop: boolean }): string =>
  keep(copying, ad, { isTop, change: { adset_id: setId, source_ad_id: ad.id } });

const types = { campaign: 'campaign', adset: 'ad_set', ad: 'ad' } as const;

function keep(copying: Copying, source: GraphObject, { isTop, change }: { isTop: boolean; change: Body }): string {
  const { sandbox, made, body } = copying;
  const name = nameOf(String(source.fields['name']), renaming(body), isTop);
  const fields = normalised({ ...source.fields, ...change, name, status: statusOf(copying, source) });
  const id = sandbox.add({ kind: source.kind, accountId: source.accountId, fields });
  made.push({ ad_object_type: types[source.kind as keyof typeof types], source_id: source.id, copied_id: id });
  return id;
}

function statusOf({ body }: Copying, { fields }: GraphObject): unknown {
  const option = textOf(body['status_option']) ?? 'PAUSED';
  return option === 'INHERITED_FROM_SOURCE' ? fields['status'] : option;
}

/** Without a suffix the platform appends its own. */
function nameOf(name: string, options: Body, isTop: boolean): string {
  const strategy = textOf(options['rename_strategy']) ?? 'ONLY_TOP_LEVEL_RENAME';
  if (strategy === 'NO_RENAME' || (strategy === 'ONLY_TOP_LEVEL_RENAME' && !isTop)) return name;
  return `${textOf(options['rename_prefix']) ?? ''}${name}${textOf(options['rename_suffix']) ?? ' - Copy'}`;
}

/** Times come from the request, else from the source; a schedule in the past keeps its length and starts now. */
function timesOf({ body }: Copying, { fields, createdAt }: GraphObject): Body {
  const given = Object.fromEntries(
    ['start_time', 'end_time'].flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  );
  const end = Date.parse(String(fields['end_time']));
  if (body['end_time'] !== undefined || Number.isNaN(end) || end > Date.now()) return given;
  const length = end - Date.parse(String(fields['start_time'] ?? createdAt));
  const start = Date.now();
  return {
    start_time: new Date(start).toISOString(),
    end_time: new Date(start + length).toISOString(),
    ...given,
  };
}

const withoutSource = (fields: Body): Body =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith('source_')));

/** A copied object must pass the same validation as a new one. */
function checkTree(copying: Copying, set: GraphObject, campaignId: string): void {
  const { sandbox, account, isDeep } = copying;
  const change = { ...timesOf(copying, set), campaign_id: campaignId, status: statusOf(copying, set) };
  checkAdSet(sandbox, account, { ...withoutSource(set.fields), ...change }, { isCopy: true });
  // The only ad of a dynamic ad set is copied with it and cannot be added later.
  if (!isDeep || set.fields['is_dynamic_creative'] === true) return;
  for (const ad of living(sandbox, 'ad', set.id)) checkOne(copying, ad, set.id);
}

const checkOne = (copying: Copying, ad: GraphObject, setId: string): Body =>
  checkAd(copying.sandbox, copying.account, {
    ...withoutSource(ad.fields),
    adset_id: setId,
    status: statusOf(copying, ad),
  });
