import { switches } from './campaigns.ts';
import {
  checkWords,
  idIn,
  listIn,
  oneOfIn,
  requireOneOf,
  requireText,
  requireId,
  textIn,
  type Body,
} from './checks.ts';
import { missing, VendorError, wrong } from './errors.ts';
import { taken } from './fields.ts';
import { shapeOf } from './files.ts';
import type { Identity, Thing, SandboxState } from './state.ts';

const buttons =
  'LEARN_MORE SHOP_NOW SIGN_UP CONTACT_US APPLY_NOW BOOK_NOW CALL_NOW DOWNLOAD_NOW INSTALL_NOW GET_QUOTE GET_SHOWTIMES GET_TICKETS_NOW SUBSCRIBE VIEW_NOW WATCH_NOW ORDER_NOW PREORDER_NOW READ_MORE LISTEN_NOW PLAY_GAME INTERESTED SEND_MESSAGE VISIT_STORE VIEW_PROFILE EXPERIENCE_NOW WATCH_LIVE'.split(
    ' ',
  );
const formats = ['SINGLE_VIDEO', 'SINGLE_IMAGE', 'CAROUSEL_ADS'];
const identityTypes = ['CUSTOMIZED_USER', 'AUTH_CODE', 'TT_USER', 'BC_AUTH_TT'];
const onOff = ['ENABLE', 'DISABLE'];

export interface AdPlace {
  sandbox: SandboxState;
  campaign: Thing;
  adgroup: Thing;
}

/** Validates a new ad, or an updated one as a whole. */
export function checkAd(place: AdPlace, ad: Body): Body {
  const name = textIn(ad, 'ad_name');
  if (name === undefined) throw missing('ad_name');
  checkWords(name, 'ad_name', 512);
  oneOfIn(ad, 'operation_status', switches);
  oneOfIn(ad, 'dark_post_status', ['ON', 'OFF']);
  for (const option of ['item_duet_status', 'item_stitch_status']) oneOfIn(ad, option, onOff);
  const identity = checkIdentity(place, ad);
  if (textIn(ad, 'tiktok_item_id')) checkPost(identity, ad);
  else checkCreative(place, ad);
  checkButton(ad);
  checkDestination(place, ad);
  return { operation_status: 'ENABLE', ad_format: 'SINGLE_VIDEO', ...taken('ad', ad) };
}

function checkIdentity({ sandbox, campaign }: AdPlace, ad: Body): Identity {
  const type = requireOneOf(ad, 'identity_type', identityTypes);
  const id = requireText(ad, 'identity_id');
  if (type === 'BC_AUTH_TT') requireId(ad, 'identity_authorized_bc_id');
  const own = sandbox.identities.get(campaign.advertiserId) ?? [];
  const identity = own.find((each) => each.id === id && each.type === type);
  if (!identity) throw wrong(`identity_id: The identity ${id} of type ${type} is not available to this advertiser.`);
  if (campaign.fields['objective_type'] === 'ENGAGEMENT' && type === 'CUSTOMIZED_USER') {
    throw wrong('identity_type: CUSTOMIZED_USER is not supported for the objective ENGAGEMENT.');
  }
  return identity;
}

/** An existing post is promoted with its own video and cover. */
function checkPost(identity: Identity, ad: Body): void {
  const id = requireId(ad, 'tiktok_item_id');
  if (identity.type === 'CUSTOMIZED_USER') throw wrong('tiktok_item_id: Not supported for CUSTOMIZED_USER.');
  if (textIn(ad, 'video_id') || listIn(ad, 'image_ids')?.length) {
    throw wrong('tiktok_item_id: Can not be used together with video_id or image_ids.');
  }
  if (!identity.posts.some(({ itemId }) => itemId === id)) {
    throw wrong(`tiktok_item_id: The post ${id} is not available to this identity.`);
  }
}

function checkCreative({ sandbox, adgroup }: AdPlace, ad: Body): void {
  const format = oneOfIn(ad, 'ad_format', formats) ?? 'SINGLE_VIDEO';
  const text = requireText(ad, 'ad_text');
  checkWords(text, 'ad_text', 100);
  const images = listIn(ad, 'image_ids') ?? [];
  for (const id of images) fileOf(sandbox, adgroup, { kind: 'image', id });
  if (format === 'SINGLE_IMAGE' && String(adgroup.fields['placements'] ?? '').includes('PLACEMENT_TIKTOK')) {
    throw wrong('ad_format: SINGLE_IMAGE is not supported for PLACEMENT_TIKTOK.');
  }
  if (format !== 'SINGLE_VIDEO') {
    const least = format === 'CAROUSEL_ADS' ? 2 : 1;
    if (images.length < least) throw wrong(`image_ids: Shorter than minimum length ${least}.`);
    return;
  }
  const video = fileOf(sandbox, adgroup, { kind: 'video', id: requireText(ad, 'video_id') });
  const [coverId] = images;
  if (coverId === undefined) throw missing('image_ids');
  if (images.length > 1) throw wrong('image_ids: Only one cover image is allowed for a video ad.');
  const cover = fileOf(sandbox, adgroup, { kind: 'image', id: coverId });
  const [shape, frame] = [shapeOf(cover), shapeOf(video)];
  if (shape !== undefined && frame !== undefined && Math.abs(shape - frame) > 0.02) {
    throw wrong('image_ids: The aspect ratio of the cover image must be the same as that of the video.');
  }
  stillTranscoding(sandbox, video);
}

function fileOf(
  sandbox: SandboxState,
  { advertiserId }: Thing,
  { kind, id }: { kind: 'image' | 'video'; id: string },
): Thing {
  const file = sandbox.find(kind, id);
  if (file?.advertiserId === advertiserId) return file;
  throw kind === 'video'
    ? new VendorError(40053, `video_id: The video ${id} does not exist.`)
    : wrong(`image_ids: The image ${id} does not exist.`);
}

/** A newly uploaded video becomes usable after some attempts. */
function stillTranscoding(sandbox: SandboxState, video: Thing): void {
  if (!video.triesLeft) return;
  video.triesLeft -= 1;
  sandbox.save(video);
  throw new VendorError(40901, `The video ${video.id} is being transcoded. Please try again later.`);
}

function checkButton(ad: Body): void {
  const word = oneOfIn(ad, 'call_to_action', buttons);
  if (!idIn(ad, 'call_to_action_id') && !word) throw missing('call_to_action');
}

function checkDestination({ campaign, adgroup }: AdPlace, ad: Body): void {
  const address = textIn(ad, 'landing_page_url');
  if (address && !/^https?:\/\/[^\s/]+/.test(address)) throw wrong('landing_page_url: Not a valid URL.');
  const isSent = /^(TRAFFIC|WEB_CONVERSIONS|LEAD_GENERATION)$/.test(String(campaign.fields['objective_type']));
  const needsPage = adgroup.fields['promotion_target_type'] === 'INSTANT_PAGE';
  const page = pageIn(ad);
  if (needsPage && !page) throw missing('page_id');
  if (isSent && !address && !page && !textIn(ad, 'deeplink')) throw missing('landing_page_url');
}

/** Documented as a number by some types; both formats are accepted. */
const pageIn = (ad: Body): string | undefined =>
  typeof ad['page_id'] === 'number' ? String(ad['page_id']) : idIn(ad, 'page_id');
