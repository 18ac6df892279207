import { isSet, statuses } from './campaigns.ts';
import { isAddress, required, rules, type Schema } from './checks.ts';
import { ElementError } from './errors.ts';
import type { AdAccount, Entity, Fields, SandboxState } from './state.ts';

const kinds =
  'REGULAR VIDEO SHOPPING CAROUSEL MAX_VIDEO SHOP_THE_PIN COLLECTION IDEA SHOWCASE QUIZ COLLAGE MAX_WIDTH_REGULAR_COLLECTION MAX_WIDTH_VIDEO_COLLECTION';

export const adSchema: Schema = {
  ad_group_id: required(rules.id(/^(AG)?\d+$/)),
  pin_id: required(rules.id()),
  creative_type: required(rules.oneOf(...kinds.split(' '))),
  name: rules.text(),
  status: rules.oneOf(...statuses),
  destination_url: rules.text(),
  click_tracking_url: rules.text(),
  view_tracking_url: rules.text(),
  android_deep_link: rules.text(),
  ios_deep_link: rules.text(),
  carousel_destination_urls: rules.list(),
  customizable_cta_type: rules.text(),
  grid_click_type: rules.oneOf('CLOSEUP', 'DIRECT_TO_DESTINATION'),
  is_pin_deleted: rules.flag(),
  is_removable: rules.flag(),
  lead_form_id: rules.id(/^(AG)?\d+$/),
  tracking_urls: rules.object(),
};

export const adDefaults: Fields = {
  status: 'ACTIVE',
  name: null,
  destination_url: null,
  click_tracking_url: null,
  view_tracking_url: null,
  tracking_urls: null,
  is_pin_deleted: false,
  is_removable: false,
};

/** Validates a new or updated ad; returns its parent ids. */
export function checkAd(
  { sandbox, account }: { sandbox: SandboxState; account: AdAccount },
  fields: Fields,
  old?: Entity,
): string[] {
  const groupId = String(fields['ad_group_id']).replace(/^AG/, '');
  const group = sandbox.entities.ad_groups.get(groupId);
  if (group?.accountId !== account.id) throw new ElementError('Ad group not found.');
  if (old && !old.parentIds.includes(groupId)) throw new ElementError('ad_group_id cannot be changed');
  if (!old && group.fields['status'] === 'ARCHIVED') throw new ElementError('The ad group is archived');
  const pin = sandbox.pins.get(String(fields['pin_id']));
  if (pin?.ownerId !== account.ownerId) throw new ElementError('Pin not found.', 50);
  if (fields['creative_type'] !== 'REGULAR' && !old)
    throw new ElementError(`The pin cannot be promoted as ${String(fields['creative_type'])}`);
  for (const name of ['pin_id', 'creative_type'])
    if (old && fields[name] !== old.fields[name]) throw new ElementError(`${name} cannot be changed`);
  if (isSet(fields['name']) && String(fields['name']).length > 255)
    throw new ElementError('name may have at most 255 characters');
  const { destination_url: address } = fields;
  if (isSet(address) && (!isAddress(address) || String(address).length > 2048))
    throw new ElementError('destination_url is not a valid URL');
  return [groupId, ...group.parentIds];
}

/** A name such as `Sale [review:rejected]` determines the review of the ad. */
export function reviewOf({ fields }: Pick<Entity, 'fields'>): 'PENDING' | 'REJECTED' | 'APPROVED' {
  const word = /\[review:(pending|rejected)\]/.exec(String(fields['name']))?.[1];
  return word === 'pending' ? 'PENDING' : word === 'rejected' ? 'REJECTED' : 'APPROVED';
}
