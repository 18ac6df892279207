import { checkMoney } from './ad-sets.ts';
import { rejectUnknownFields, requireList, requireOneOf, requireText, textOf, type Body } from './checks.ts';
import { invalid } from './errors.ts';
import { parameters } from './parameters.ts';
import type { AdAccount } from './state.ts';

const objectives = [
  'OUTCOME_AWARENESS',
  'OUTCOME_TRAFFIC',
  'OUTCOME_ENGAGEMENT',
  'OUTCOME_LEADS',
  'OUTCOME_APP_PROMOTION',
  'OUTCOME_SALES',
];
const categories = [
  'NONE',
  'CREDIT',
  'EMPLOYMENT',
  'HOUSING',
  'FINANCIAL_PRODUCTS_SERVICES',
  'ISSUES_ELECTIONS_POLITICS',
  'ONLINE_GAMBLING_AND_GAMING',
];

/** A special category holds in the countries that the campaign names. */
function checkCategoryCountries(body: Body): void {
  const declared = (body['special_ad_categories'] as unknown[]).filter((category) => category !== 'NONE');
  const given = body['special_ad_category_country'];
  const countries = given === undefined ? [] : requireList(given, 'special_ad_category_country');
  if (declared.length > 0 && countries.length === 0) {
    throw invalid('The parameter special_ad_category_country is required', { field: 'special_ad_category_country' });
  }
  const odd = countries.find((code) => !/^[A-Z]{2}$/.test(String(code)));
  if (odd !== undefined)
    throw invalid('special_ad_category_country must be ISO codes', { field: 'special_ad_category_country' });
}

/** Validates a new campaign. */
export function checkCampaign(account: AdAccount, body: Body): Body {
  rejectUnknownFields(body, parameters.campaign);
  requireText(body, 'name');
  requireOneOf(body, 'objective', objectives);
  requireOneOf(body, 'status', ['ACTIVE', 'PAUSED']);
  if (body['special_ad_categories'] === undefined) {
    throw invalid('The parameter special_ad_categories is required', { field: 'special_ad_categories' });
  }
  const odd = requireList(body['special_ad_categories'], 'special_ad_categories').find(
    (entry) => !categories.includes(String(entry)),
  );
  if (odd !== undefined)
    throw invalid(`special_ad_categories must be of ${categories.join(', ')}`, { field: 'special_ad_categories' });
  checkCategoryCountries(body);
  checkMoney(account, body);
  const hasBudget = body['daily_budget'] !== undefined || body['lifetime_budget'] !== undefined;
  const sharing = textOf(body['is_adset_budget_sharing_enabled']);
  const isFlag = body['is_adset_budget_sharing_enabled'] === undefined || /^(true|false|1|0)$/i.test(sharing ?? '');
  if (!isFlag || (!hasBudget && sharing === undefined)) {
    throw invalid('is_adset_budget_sharing_enabled must be True or False when the campaign has no budget', {
      subcode: 4834011,
      field: 'is_adset_budget_sharing_enabled',
    });
  }
  if (sharing === 'true' && !body['bid_strategy']) {
    throw invalid('Budget sharing needs a bid strategy', { subcode: 4834005, field: 'bid_strategy' });
  }
  if (!hasBudget && body['bid_strategy'] && sharing !== 'true') {
    throw invalid('A bid strategy at this level needs a campaign budget', { field: 'bid_strategy' });
  }
  return body;
}
