import { interestById, placeById } from './geo.ts';
import type { Resource } from './state.ts';
import { checkMoney } from './campaigns.ts';
import { adGroupCriterionTypes, campaignCriterionTypes } from './resources.ts';
import { snake, valueAt } from './shapes.ts';
import { broken, checkStatus, inBytes, referred, requireFree, requireText, type Draft } from './resolve-temp-names.ts';

const typeOf: Record<string, string> = { SEARCH: 'SEARCH_STANDARD', DISPLAY: 'DISPLAY_STANDARD' };

export function checkAdGroup(draft: Draft): void {
  const { fields } = draft;
  if (fields['name'] === undefined) throw broken(draft, 'adGroupError.MISSING_ADGROUP_NAME', { field: 'name' });
  requireText(draft, 'name', { value: fields['name'], most: 255, count: inBytes });
  const trigger = String(fields['name']);
  if (/[\0\r\n]/.test(trigger)) throw broken(draft, 'adGroupError.INVALID_ADGROUP_NAME', { field: 'name', trigger });
  const campaign = referred(draft, 'campaign', 'campaigns');
  checkStatus(draft);
  const suited = typeOf[String(campaign.fields['advertisingChannelType'])];
  const type = (draft.fields['type'] ??= suited);
  if (type !== suited) {
    const code = 'adGroupError.AD_GROUP_TYPE_NOT_VALID_FOR_ADVERTISING_CHANNEL_TYPE';
    throw broken(draft, code, { field: 'type', trigger: type });
  }
  const key = `ad group ${campaign.name} ${trigger}`;
  requireFree(draft, key, { code: 'adGroupError.DUPLICATE_ADGROUP_NAME', trigger });
  for (const name of ['cpcBidMicros', 'cpmBidMicros', 'targetCpaMicros']) {
    checkMoney(draft, snake(name), draft.fields[name]);
  }
  if (draft.fields['cpmBidMicros'] !== undefined && !('manualCpm' in campaign.fields)) {
    throw broken(draft, 'adGroupError.BID_TYPE_AND_BIDDING_STRATEGY_MISMATCH', { field: 'cpm_bid_micros' });
  }
}

/** Location, language and device criteria of a campaign. */
export function checkCampaignCriterion(draft: Draft): void {
  const campaign = referred(draft, 'campaign', 'campaigns');
  draft.fields['status'] ??= 'ENABLED';
  const type = concrete(draft, campaignCriterionTypes);
  checkNegative(draft, type);
  if (type === 'location') idOfPlace(draft);
  else if (type === 'language') idOfLanguage(draft);
  else if (type === 'device') idOfDevice(draft);
  else checkTargeting(draft, type, campaign);
  requireNew(draft, campaign);
}

export function checkAdGroupCriterion(draft: Draft): void {
  const group = referred(draft, 'adGroup', 'adGroups');
  const campaign = draft.staged.get(String(group.fields['campaign']));
  checkStatus(draft);
  const type = concrete(draft, adGroupCriterionTypes);
  checkNegative(draft, type);
  checkTargeting(draft, type, campaign);
  requireNew(draft, group);
}

function concrete(draft: Draft, types: string[]): string {
  const type = types.find((name) => name in draft.fields);
  if (type === undefined) throw broken(draft, 'criterionError.CONCRETE_TYPE_REQUIRED');
  return type;
}

/** A language can only be included, and what is excluded has no bid. */
function checkNegative(draft: Draft, type: string): void {
  if (draft.fields['negative'] !== true) return;
  if (type === 'language') throw broken(draft, 'criterionError.CANNOT_EXCLUDE_CRITERIA_TYPE', { field: 'negative' });
  if (draft.fields['cpcBidMicros'] === undefined && draft.fields['cpmBidMicros'] === undefined) return;
  throw broken(draft, 'criterionError.FIELD_INCOMPATIBLE_WITH_NEGATIVE_TARGETING', { field: 'negative' });
}

/** Rejects a duplicate criterion; its code is unconfirmed. */
function requireNew(draft: Draft, parent: Resource): void {
  const id = draft.fields['criterionId'];
  if (draft.before || id === undefined) return;
  const name = `customers/${draft.customer.id}/${draft.kind}/${parent.id}~${id}`;
  const known = draft.staged.get(name);
  if (known && known.fields['status'] !== 'REMOVED') {
    throw broken(draft, 'mutateError.RESOURCE_ALREADY_EXISTS', { trigger: name });
  }
}

function idOfPlace(draft: Draft): void {
  const trigger = String(valueAt(draft.fields, ['location', 'geoTargetConstant']) ?? '');
  const id = /^geoTargetConstants\/(\d+)$/.exec(trigger)?.[1];
  const field = 'location.geo_target_constant';
  if (trigger === '') throw broken(draft, 'fieldError.REQUIRED', { field });
  if (id === undefined) throw broken(draft, 'requestError.RESOURCE_NAME_MALFORMED', { field, trigger });
  if (!placeById(id)) throw broken(draft, 'criterionError.INVALID_CRITERION_ID', { field, trigger });
  draft.fields['criterionId'] = id;
}

function idOfLanguage(draft: Draft): void {
  const trigger = String(valueAt(draft.fields, ['language', 'languageConstant']) ?? '');
  // Language ids are 1000 to 1199; English is 1000, German 1001.
  const id = /^languageConstants\/(1[01]\d\d)$/.exec(trigger)?.[1];
  const field = 'language.language_constant';
  if (id === undefined) throw broken(draft, 'criterionError.INVALID_CRITERION_ID', { field, trigger });
  draft.fields['criterionId'] = id;
}

// The platform's device ids.
const deviceIds: Record<string, string> = { DESKTOP: '30000', MOBILE: '30001', TABLET: '30002', CONNECTED_TV: '30004' };

/** Zero leaves the device out; other factors are limited. */
function idOfDevice(draft: Draft): void {
  const type = String(valueAt(draft.fields, ['device', 'type']) ?? '');
  const id = deviceIds[type];
  if (id === undefined)
    throw broken(draft, 'criterionError.INVALID_CRITERION_ID', { field: 'device.type', trigger: type });
  const bid = Number(draft.fields['bidModifier'] ?? 1);
  const isOff = bid !== 0 && (bid < 0.1 || bid > 10);
  if (isOff)
    throw broken(draft, `rangeError.${bid > 10 ? 'TOO_HIGH' : 'TOO_LOW'}`, { field: 'bid_modifier', trigger: bid });
  draft.fields['criterionId'] = id;
}

// The platform's age range ids.
const ages: Record<string, string> = {
  AGE_RANGE_18_24: '503001',
  AGE_RANGE_25_34: '503002',
  AGE_RANGE_35_44: '503003',
  AGE_RANGE_45_54: '503004',
  AGE_RANGE_55_64: '503005',
  AGE_RANGE_65_UP: '503006',
  AGE_RANGE_UNDETERMINED: '503999',
};

function checkTargeting(draft: Draft, type: string, campaign: Resource | undefined): void {
  const { fields } = draft;
  if (type === 'keyword') return checkKeyword(draft);
  if (type === 'ageRange') {
    const age = ages[String(valueAt(fields, ['ageRange', 'type']))];
    if (age === undefined) throw broken(draft, 'fieldError.REQUIRED', { field: 'age_range.type' });
    fields['criterionId'] = age;
    return undefined;
  }
  if (type === 'userList') return checkUserList(draft);
  const trigger = String(valueAt(fields, ['userInterest', 'userInterestCategory']) ?? '');
  const field = 'user_interest.user_interest_category';
  if (campaign?.fields['advertisingChannelType'] === 'SEARCH') {
    throw broken(draft, 'criterionError.CANNOT_ADD_USER_INTERESTS_TO_SEARCH_CAMPAIGNS', { field, trigger });
  }
  const [, customerId, id = ''] = /^customers\/(\d+)\/userInterests\/(\d+)$/.exec(trigger) ?? [];
  if (customerId !== draft.customer.id || !/^(?:AFFINITY|IN_MARKET)$/.test(interestById(id)?.taxonomyType ?? '')) {
    throw broken(draft, 'criterionError.INVALID_USER_INTEREST', { field, trigger });
  }
  fields['criterionId'] = id;
  return undefined;
}

function checkUserList(draft: Draft): void {
  const { customer, fields } = draft;
  const trigger = String(valueAt(fields, ['userList', 'userList']) ?? '');
  if (trigger !== `customers/${customer.id}/userLists/${customer.userListId}`) {
    throw broken(draft, 'criterionError.INVALID_USER_LIST', { field: 'user_list.user_list', trigger });
  }
  fields['criterionId'] = customer.userListId;
}

function checkKeyword(draft: Draft): void {
  const [text, matchType] = ['text', 'matchType'].map((name) => valueAt(draft.fields, ['keyword', name]));
  const [field, trigger] = ['keyword.text', String(text ?? '')];
  if (text === undefined) throw broken(draft, 'fieldError.REQUIRED', { field });
  if (trigger.trim() === '') throw broken(draft, 'criterionError.INVALID_KEYWORD_TEXT', { field, trigger });
  if ([...trigger].length > 80) throw broken(draft, 'criterionError.KEYWORD_TEXT_TOO_LONG', { field, trigger });
  if (trigger.trim().split(/\s+/).length > 10) {
    throw broken(draft, 'criterionError.KEYWORD_HAS_TOO_MANY_WORDS', { field, trigger });
  }
  // Forbidden characters are from public help pages, unconfirmed.
  if (/[!@%^*={};~`<>?\\|()]/.test(trigger)) {
    throw broken(draft, 'criterionError.KEYWORD_HAS_INVALID_CHARS', { field, trigger });
  }
  if (matchType === undefined) throw broken(draft, 'fieldError.REQUIRED', { field: 'keyword.match_type' });
}
