import { createHash } from 'node:crypto';
import { parseAddress } from '../../../lib/web-address.ts';
import { lookAt } from './images.ts';
import { isObject, snake, valueAt, type Fields } from './shapes.ts';
import { broken, checkStatus, find, limitText, referred, requireText, type Draft } from './resolve-temp-names.ts';

const maxBytes = 5 * 1024 * 1024;

/** Images are identified by content: identical bytes are the existing asset, whatever the name. */
export function checkAsset(draft: Draft): void {
  const { fields, customer, staged } = draft;
  if (draft.before) return;
  const text = valueAt(fields, ['textAsset', 'text']);
  const data = valueAt(fields, ['imageAsset', 'data']);
  if (text !== undefined) {
    fields['type'] = 'TEXT';
    return requireText(draft, 'text_asset.text', { value: text, most: 90 });
  }
  if (typeof data !== 'string' || data === '') {
    throw broken(draft, 'assetError.ASSET_DATA_IS_MISSING', {
      field: isObject(fields['imageAsset']) ? 'image_asset.data' : '',
    });
  }
  const bytes = Buffer.from(data, 'base64');
  const picture = lookAt(bytes);
  const field = 'image_asset.data';
  if (bytes.length > maxBytes) throw broken(draft, 'imageError.FILE_TOO_LARGE', { field });
  if (!picture || picture.width === 0 || picture.height === 0)
    throw broken(draft, 'imageError.INVALID_IMAGE', { field });
  const hash = createHash('sha256').update(bytes).digest('hex');
  draft.same = staged.owner(`bytes ${customer.id} ${hash}`);
  const fullSize = { widthPixels: String(picture.width), heightPixels: String(picture.height) };
  draft.fields = {
    ...fields,
    type: 'IMAGE',
    hash,
    imageAsset: { fileSize: String(bytes.length), mimeType: picture.mimeType, fullSize },
  };
  return undefined;
}

export function checkAd(draft: Draft): void {
  const { before } = draft;
  if (before) {
    checkSuffix(draft);
    return checkStatus(draft);
  }
  const group = referred(draft, 'adGroup', 'adGroups');
  checkStatus(draft);
  const ad = draft.fields['ad'];
  if (!isObject(ad)) throw broken(draft, 'fieldError.REQUIRED', { field: 'ad' });
  const isSearch = group.fields['type'] === 'SEARCH_STANDARD';
  const type = ['responsiveSearchAd', 'responsiveDisplayAd'].find((name) => name in ad);
  if (type === undefined) throw broken(draft, 'fieldError.REQUIRED', { field: 'ad.ad_data' });
  if ((type === 'responsiveSearchAd') !== isSearch) {
    throw broken(draft, 'adError.INVALID_AD_TYPE', { field: `ad.${snake(type)}` });
  }
  checkUrls(draft, ad);
  checkSuffix(draft);
  const data = ad[type] as Fields;
  if (isSearch) checkSearchAd(draft, data);
  else checkDisplayAd(draft, data);
  return undefined;
}

function checkUrls(draft: Draft, ad: Fields): void {
  const urls = Array.isArray(ad['finalUrls']) ? ad['finalUrls'] : [];
  if (urls.length === 0) throw broken(draft, 'fieldError.REQUIRED', { field: 'ad.final_urls' });
  urls.forEach((trigger, index) => {
    const isGood = parseAddress(String(trigger)) !== undefined && /^https?:\/\/[^/]+/.test(String(trigger));
    if (isGood && String(trigger).length <= 2048) return;
    throw broken(draft, 'urlFieldError.INVALID_FINAL_URL', { field: `ad.final_urls[${index}]`, trigger });
  });
}

const tags = 'campaignid adgroupid creative placement keyword matchtype device network gclid';

/** Parameters without the question mark; a name in braces must be one that the platform replaces. */
function checkSuffix(draft: Draft): void {
  const suffix = valueAt(draft.fields, ['ad', 'finalUrlSuffix']);
  if (suffix === undefined || suffix === '') return;
  const text = String(suffix);
  const why = { field: 'ad.final_url_suffix', trigger: text };
  const isWhole = text.split('&').every((pair) => /^[^=?\s]+=[^\s]*$/.test(pair));
  if (!isWhole || text.length > 2048) throw broken(draft, 'urlFieldError.FINAL_URL_SUFFIX_MALFORMED', why);
  const names = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  if (names.some((name) => !tags.split(' ').includes(name)))
    throw broken(draft, 'urlFieldError.INVALID_TAG_IN_FINAL_URL_SUFFIX', why);
}

interface Limits {
  least: number;
  most: number;
  length: number;
}

function checkTexts(draft: Draft, place: string, { least, most, length }: Limits): void {
  const path = place.split('.');
  const field = path.map(snake).join('.');
  const list = (valueAt(draft.fields, path) ?? []) as Fields[];
  if (list.length < least) throw broken(draft, 'collectionSizeError.TOO_FEW', { field });
  if (list.length > most) throw broken(draft, 'collectionSizeError.TOO_MANY', { field });
  list.forEach(({ text }, index) => requireText(draft, `${field}[${index}].text`, { value: text, most: length }));
}

function checkSearchAd(draft: Draft, data: Fields): void {
  const place = 'ad.responsiveSearchAd';
  const field = 'ad.responsive_search_ad';
  checkTexts(draft, `${place}.headlines`, { least: 3, most: 15, length: 30 });
  checkTexts(draft, `${place}.descriptions`, { least: 2, most: 4, length: 90 });
  // Texts pinned to one position must leave enough for the others.
  for (const name of ['headlines', 'descriptions']) {
    const pinned = new Set((data[name] as Fields[]).map(({ pinnedField }) => pinnedField ?? 'ANY'));
    if (pinned.size > 1 || pinned.has('ANY')) continue;
    const code = 'assetLinkError.NOT_ENOUGH_AVAILABLE_ASSET_LINKS_FOR_VALID_COMBINATION';
    throw broken(draft, code, { field: `${field}.${name}` });
  }
  for (const name of ['path1', 'path2']) limitText(draft, `${field}.${name}`, { value: data[name], most: 15 });
  if (data['path2'] !== undefined && data['path1'] === undefined) {
    throw broken(draft, 'adError.CANNOT_SET_PATH2_WITHOUT_PATH1', { field: `${field}.path2` });
  }
}

/** Display width: wide characters count twice. */
export const widthOf = (text: string): number =>
  [...text].reduce((sum, sign) => sum + (/[ᄀ-ᅟ⺀-꓏가-힣豈-﫿︰-﹏＀-｠￠-￦]/u.test(sign) ? 2 : 1), 0);

function checkDisplayAd(draft: Draft, data: Fields): void {
  const place = 'ad.responsiveDisplayAd';
  const field = 'ad.responsive_display_ad';
  checkTexts(draft, `${place}.headlines`, { least: 1, most: 5, length: 30 });
  checkTexts(draft, `${place}.descriptions`, { least: 1, most: 5, length: 90 });
  requireText(draft, `${field}.long_headline`, { value: valueAt(data, ['longHeadline', 'text']), most: 90 });
  requireText(draft, `${field}.business_name`, { value: data['businessName'], most: 25, count: widthOf });
  limitText(draft, `${field}.call_to_action_text`, { value: data['callToActionText'], most: 30, count: widthOf });
  for (const name of ['marketingImages', 'squareMarketingImages']) {
    if (listOf(data, name).length === 0) {
      throw broken(draft, 'adError.MISSING_REQUIRED_IMAGE_ASPECT_RATIO', { field: `${field}.${snake(name)}` });
    }
  }
  const together = (names: string[]): number => names.reduce((sum, name) => sum + listOf(data, name).length, 0);
  const many = { field: `${field}.marketing_images` };
  if (together(['marketingImages', 'squareMarketingImages']) > 15)
    throw broken(draft, 'collectionSizeError.TOO_MANY', many);
  if (together(['logoImages', 'squareLogoImages']) > 5) {
    throw broken(draft, 'collectionSizeError.TOO_MANY', { field: `${field}.logo_images` });
  }
  for (const name of Object.keys(pictures)) {
    draft.fields = {
      ...draft.fields,
      ad: { ...(draft.fields['ad'] as Fields), responsiveDisplayAd: (data = checkPictures(draft, data, name)) },
    };
  }
}

const listOf = (data: Fields, name: string): Fields[] => (Array.isArray(data[name]) ? (data[name] as Fields[]) : []);

const pictures: Record<string, { ratio: number; width: number; height: number }> = {
  marketingImages: { ratio: 1.91, width: 600, height: 314 },
  squareMarketingImages: { ratio: 1, width: 300, height: 300 },
  logoImages: { ratio: 4, width: 512, height: 128 },
  squareLogoImages: { ratio: 1, width: 128, height: 128 },
};

/** Images with the required format and size. */
function checkPictures(draft: Draft, data: Fields, name: string): Fields {
  const rule = pictures[name] ?? { ratio: 1, width: 0, height: 0 };
  const checked = listOf(data, name).map(({ asset: given }, index) => {
    const field = `ad.responsive_display_ad.${snake(name)}[${index}].asset`;
    if (typeof given !== 'string') throw broken(draft, 'fieldError.REQUIRED', { field });
    const asset = find(draft, given, { kind: 'assets', field });
    const why = { field, trigger: asset.name };
    if (asset.fields['type'] !== 'IMAGE') {
      throw broken(draft, 'assetLinkError.FIELD_TYPE_INCOMPATIBLE_WITH_ASSET_TYPE', why);
    }
    const size = valueAt(asset.fields, ['imageAsset', 'fullSize']) as Fields;
    const [width, height] = [Number(size['widthPixels']), Number(size['heightPixels'])];
    if (Math.abs(width / height / rule.ratio - 1) > 0.01)
      throw broken(draft, 'imageError.ASPECT_RATIO_NOT_ALLOWED', why);
    if (width < rule.width || height < rule.height) throw broken(draft, 'imageError.IMAGE_TOO_SMALL', why);
    return { asset: asset.name };
  });
  return checked.length === 0 ? data : { ...data, [name]: checked };
}
