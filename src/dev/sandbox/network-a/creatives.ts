import { parseAddress } from '../../../lib/web-address.ts';
import { rejectObjects, rejectUnknownFields, requireObject, requireText, textOf, type Body } from './checks.ts';
import { GraphError, invalid, unknownObject } from './errors.ts';
import { parameters } from './parameters.ts';
import { hasImage, isReady } from './media-library.ts';
import { pagesOf, type AdAccount, type Person, type SandboxState } from './state.ts';

const linkKeys = 'link message name description picture image_hash call_to_action caption'.split(' ');
const videoKeys = 'video_id title message image_url image_hash call_to_action link_description'.split(' ');
const buttons =
  'LEARN_MORE SHOP_NOW SIGN_UP SUBSCRIBE BOOK_NOW BOOK_TRAVEL CONTACT_US DOWNLOAD GET_OFFER GET_QUOTE APPLY_NOW INSTALL_MOBILE_APP USE_MOBILE_APP WATCH_MORE DONATE_NOW ORDER_NOW GET_DIRECTIONS CALL_NOW MESSAGE_PAGE WHATSAPP_MESSAGE NO_BUTTON'.split(
    ' ',
  );

/** Validates a new creative. */
export function checkCreative(
  sandbox: SandboxState,
  { account, person }: { account: AdAccount; person: Person },
  body: Body,
): Body {
  rejectUnknownFields(body, parameters.adcreative);
  requireText(body, 'name');
  checkUrlTags(body);
  if (textOf(body['object_story_id'])) return body;
  const story = requireObject(body['object_story_spec'], 'object_story_spec');
  if (story['instagram_actor_id'] !== undefined)
    throw invalid('instagram_actor_id is no longer accepted', { field: 'object_story_spec' });
  rejectObjects(story, ['page_id', 'instagram_user_id'], 'object_story_spec');
  checkPage(story, person);
  if (story['video_data'] !== undefined) checkVideo(sandbox, account, requireObject(story['video_data'], 'video_data'));
  else checkLink(sandbox, account, requireObject(story['link_data'], 'link_data'));
  return body;
}

/** Parameters without the question mark; a name in double braces must be one that the platform replaces. */
function checkUrlTags({ url_tags: tags }: Body): void {
  if (tags === undefined) return;
  const text = textOf(tags) ?? '';
  if (text.split('&').some((pair) => !/^[^=?\s]+=\S*$/.test(pair)))
    throw invalid('url_tags must be parameters such as a=b&c=d', { field: 'url_tags' });
  const unknown = [...text.matchAll(/\{\{(.*?)\}\}/g)].find(([, name = '']) => !tagMacros.includes(name));
  if (unknown) throw invalid(`url_tags: ${unknown[0]} is not supported`, { field: 'url_tags' });
}

const tagMacros = 'campaign.id campaign.name adset.id adset.name ad.id ad.name placement site_source_name'.split(' ');

function checkPage(story: Body, person: Person): void {
  const pageId = textOf(story['page_id']);
  if (!pageId) throw invalid('A page is required', { field: 'object_story_spec' });
  const page = pagesOf(person).find(({ id }) => id === pageId);
  if (!page) throw invalid('The page is not available to you', { subcode: 1885029, field: 'object_story_spec' });
  if (!page.tasks.includes('ADVERTISE'))
    throw new GraphError({ code: 200, message: 'Permissions error: the page does not let you advertise', status: 403 });
  const photo = textOf(story['instagram_user_id']);
  if (photo && photo !== person.photoAccountId)
    throw invalid('The photo-sharing account is not available to you', {
      subcode: 1815199,
      field: 'object_story_spec',
    });
}

function rejectUnknown(data: Body, keys: string[]): void {
  const odd = Object.keys(data).find((name) => !keys.includes(name));
  if (odd) throw invalid(`${odd} is not supported here`, { field: odd });
  rejectObjects(
    data,
    keys.filter((name) => name !== 'call_to_action'),
    'object_story_spec',
  );
}

function checkLink(sandbox: SandboxState, account: AdAccount, data: Body): void {
  rejectUnknown(data, linkKeys);
  requireUrl(data, 'link');
  const [picture, hash] = [textOf(data['picture']), textOf(data['image_hash'])];
  if ((picture === undefined) === (hash === undefined))
    throw invalid('Give exactly one of picture and image_hash', { field: 'picture' });
  if (picture !== undefined) requireUrl(data, 'picture');
  if (hash !== undefined && !hasImage(sandbox, account, hash)) {
    throw invalid('The image hash is not known to this account', { field: 'image_hash' });
  }
  checkButton(data);
}

function checkVideo(sandbox: SandboxState, account: AdAccount, data: Body): void {
  rejectUnknown(data, videoKeys);
  const video = sandbox.objects.get(requireText(data, 'video_id'));
  if (video?.kind !== 'advideo' || video.accountId !== account.id) throw unknownObject(String(data['video_id']));
  if (data['image_url'] === undefined && data['image_hash'] === undefined) {
    throw invalid('A video ad needs a thumbnail', { subcode: 1443226, field: 'image_url' });
  }
  if (!isReady(video))
    throw invalid('The video is not ready for use in an ad', { subcode: 1885252, field: 'video_id' });
  checkButton(data);
}

function requireUrl(data: Body, name: string): void {
  const text = textOf(data[name]) ?? '';
  if (!parseAddress(text) || !/^https?:/.test(text)) throw invalid(`${name} must be an address`, { field: name });
}

function checkButton(data: Body): void {
  if (data['call_to_action'] === undefined) return;
  const button = requireObject(data['call_to_action'], 'call_to_action');
  if (!buttons.includes(String(button['type'])))
    throw invalid(`call_to_action must be one of ${buttons.join(', ')}`, { field: 'call_to_action' });
  const value = button['value'] === undefined ? {} : requireObject(button['value'], 'call_to_action');
  rejectObjects(value, Object.keys(value), 'object_story_spec');
  const needsValue = !['NO_BUTTON', 'WHATSAPP_MESSAGE', 'MESSAGE_PAGE'].includes(String(button['type']));
  if (needsValue && !value['link'] && !value['lead_gen_form_id'] && !value['application']) {
    throw invalid('The button needs a link', { field: 'call_to_action' });
  }
  if (button['type'] === 'WHATSAPP_MESSAGE' && Object.keys(value).length > 0)
    throw new GraphError({
      code: 105,
      subcode: 1815630,
      message: 'The button does not support a value',
      title: 'Invalid button',
    });
  if (button['type'] === 'CALL_NOW' && !String(value['link']).startsWith('tel:'))
    throw invalid('The button needs a tel: link', { field: 'call_to_action' });
}
