import { changeAdGroup, checkAdGroup } from './ad-groups.ts';
import { checkAd } from './ads.ts';
import type { Asked } from './request.ts';
import { changeCampaign, checkCampaign } from './campaigns.ts';
import { flagIn, listIn, objectsIn, requireId, requireOneOf, textIn, type Body } from './checks.ts';
import { missing, unknown, VendorError, wrong } from './errors.ts';
import { readable, taken } from './fields.ts';
import { show, type Level } from './read.ts';
import { remove } from './status.ts';
import type { Thing, SandboxState } from './state.ts';

const whole = (sandbox: SandboxState, thing: Thing): Body =>
  show(sandbox, thing, { names: readable[thing.kind as Level], withoutNulls: false });

/** An existing object of the advertiser. */
function living({ sandbox, advertiser }: Asked, level: Level, id: string): Thing {
  const thing = sandbox.find(level, id);
  if (thing?.advertiserId !== advertiser.id || thing.isDeleted) throw unknown(level, id);
  return thing;
}

/** A repeated request_id within its window creates nothing. */
function repeated({ sandbox, advertiser, body }: Asked, kind: Level): Thing | undefined {
  const requestId = textIn(body, 'request_id');
  if (requestId === undefined) return undefined;
  if (!/^\d{1,19}$/.test(requestId) || BigInt(requestId) > 9_223_372_036_854_775_807n) {
    throw wrong('request_id: Not a valid 64-bit integer.');
  }
  const earlier = sandbox.requested({ kind, advertiserId: advertiser.id }, requestId);
  const { duplicates, requestIdSeconds } = sandbox.settings;
  if (!earlier || Date.now() - earlier.createdAt >= requestIdSeconds * 1000) return undefined;
  if (duplicates === 'refused') throw new VendorError(40050, `Duplicate request: ${requestId}`);
  return earlier;
}

export function createCampaign(asked: Asked): Body {
  const { sandbox, advertiser, body } = asked;
  const fields = checkCampaign({ advertiser, settings: sandbox.settings }, body);
  const requestId = textIn(body, 'request_id');
  const made =
    repeated(asked, 'campaign') ?? sandbox.add({ kind: 'campaign', advertiserId: advertiser.id, fields, requestId });
  return whole(sandbox, made);
}

export function createAdGroup(asked: Asked): Body {
  const { sandbox, advertiser, body } = asked;
  const campaign = living(asked, 'campaign', requireId(body, 'campaign_id'));
  const fields = checkAdGroup({ advertiser, campaign, siblings: siblingsOf(asked, campaign) }, body);
  const requestId = textIn(body, 'request_id');
  const made =
    repeated(asked, 'adgroup') ?? sandbox.add({ kind: 'adgroup', advertiserId: advertiser.id, fields, requestId });
  return whole(sandbox, made);
}

/** Creates up to 20 ads; atomic. */
export function createAds(asked: Asked): Body {
  const { sandbox, advertiser, body } = asked;
  const place = adPlace(asked);
  const adgroupId = place.adgroup.id;
  const checked = creativesIn(body).map((ad) => checkAd(place, ad));
  const parents = { campaign_id: place.campaign.id, adgroup_id: adgroupId };
  const ads = checked.map((fields) => {
    const id = sandbox.newId();
    const named = { ...fields, ...parents, ad_name: fields['ad_name'] || id };
    return sandbox.add({ id, kind: 'ad', advertiserId: advertiser.id, fields: named });
  });
  return { ad_ids: ads.map(({ id }) => id), creatives: ads.map((ad) => whole(sandbox, ad)), need_audit: true };
}

function adPlace(asked: Asked): { sandbox: SandboxState; campaign: Thing; adgroup: Thing } {
  const adgroup = living(asked, 'adgroup', requireId(asked.body, 'adgroup_id'));
  return {
    sandbox: asked.sandbox,
    adgroup,
    campaign: living(asked, 'campaign', String(adgroup.fields['campaign_id'])),
  };
}

function creativesIn(body: Body): Body[] {
  const creatives = objectsIn(body, 'creatives');
  if (creatives.length === 0) throw missing('creatives');
  if (creatives.length > 20) throw wrong('creatives: Longer than maximum length 20.');
  return creatives;
}

function change(sandbox: SandboxState, thing: Thing, fields: Body): Body {
  Object.assign(thing, { fields, modifiedAt: Date.now() });
  sandbox.save(thing);
  return whole(sandbox, thing);
}

export function updateCampaign(asked: Asked): Body {
  const { sandbox, advertiser, body } = asked;
  const campaign = living(asked, 'campaign', requireId(body, 'campaign_id'));
  return change(sandbox, campaign, changeCampaign({ advertiser, settings: sandbox.settings }, campaign.fields, body));
}

export function updateAdGroup(asked: Asked): Body {
  const { sandbox, advertiser, body } = asked;
  const adgroup = living(asked, 'adgroup', requireId(body, 'adgroup_id'));
  const campaign = living(asked, 'campaign', String(adgroup.fields['campaign_id']));
  const siblings = siblingsOf(asked, campaign).filter(({ id }) => id !== adgroup.id);
  return change(sandbox, adgroup, changeAdGroup({ advertiser, campaign, siblings, before: adgroup.fields }, body));
}

const siblingsOf = ({ sandbox }: Asked, { id }: Thing): Thing[] =>
  sandbox.below('adgroup', id).filter(({ isDeleted }) => !isDeleted);

/** Without `patch_update`, omitted fields are cleared, as upstream (unconfirmed). */
export function updateAds(asked: Asked): Body {
  const { sandbox, body } = asked;
  const place = adPlace(asked);
  const isPatch = flagIn(body, 'patch_update') === true;
  const changes = creativesIn(body).map((ad) => {
    const thing = living(asked, 'ad', requireId(ad, 'ad_id'));
    const { ad_name: name, operation_status: status, campaign_id: campaign, adgroup_id: adgroup } = thing.fields;
    if (adgroup !== place.adgroup.id) throw unknown('ad', thing.id);
    if (ad['ad_format'] && ad['ad_format'] !== thing.fields['ad_format']) {
      throw wrong('ad_format: This field can not be modified.');
    }
    const kept = isPatch ? thing.fields : { ad_name: name, operation_status: status };
    const fields = checkAd(place, { ...kept, ...taken('ad', ad) });
    return { thing, fields: { ...fields, campaign_id: campaign, adgroup_id: adgroup } };
  });
  const ads = changes.map(({ thing, fields }) => change(sandbox, thing, fields));
  return { ad_ids: changes.map(({ thing }) => thing.id), creatives: ads };
}

/** Sets the status of up to 100 objects or deletes up to 20; atomic. */
export function updateStatus(asked: Asked, level: Level): Body {
  const { sandbox, body } = asked;
  const ids = listIn(body, `${level}_ids`);
  if (!ids?.length) throw missing(`${level}_ids`);
  const status = requireOneOf(body, 'operation_status', ['ENABLE', 'DISABLE', 'DELETE']);
  const most = status === 'DELETE' ? 20 : 100;
  if (ids.length > most) throw new VendorError(40011, `${level}_ids: More than ${most} ids.`);
  const things = ids.map((id) => living(asked, level, id));
  for (const thing of things) {
    if (status === 'DELETE') remove(sandbox, thing);
    else change(sandbox, thing, { ...thing.fields, operation_status: status });
  }
  return { [`${level}_ids`]: ids, status };
}

/** The kind and name of the object that a write creates. */
export function making(path: string, body: Body): { edge: string; name: string } | undefined {
  const [, what = ''] =
    /\/(campaign\/create|adgroup\/create|ad\/create|identity\/create|image\/ad\/upload|video\/ad\/upload)\/$/.exec(
      path,
    ) ?? [];
  const [edge, name] = edges[what] ?? [];
  if (!edge || !name) return undefined;
  const creatives = Array.isArray(body['creatives']) ? (body['creatives'] as Body[]) : [body];
  const names = creatives.map((each) => each?.[name]).filter((each) => typeof each === 'string');
  const found = names.find((each) => each.includes('[fault:')) ?? names[0];
  return found === undefined ? undefined : { edge, name: found };
}

const edges: Record<string, [string, string]> = {
  'campaign/create': ['campaigns', 'campaign_name'],
  'adgroup/create': ['adsets', 'adgroup_name'],
  'ad/create': ['ads', 'ad_name'],
  'identity/create': ['identities', 'display_name'],
  'image/ad/upload': ['images', 'file_name'],
  'video/ad/upload': ['videos', 'file_name'],
};
