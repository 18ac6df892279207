import type { Operation } from './wire.ts';
import { own } from '../../lib/own.ts';
import { knownCode } from './error-codes.ts';

export interface PathElement {
  fieldName: string;
  index?: number;
}

/** Platform field → our field path. */
const ourFields: Record<string, string> = {
  amount_micros: 'budgetAmount',
  total_amount_micros: 'budgetAmount',
  start_date_time: 'startDate',
  end_date_time: 'endDate',
  cpc_bid_ceiling_micros: 'bidAmount',
  target_cpa_micros: 'bidAmount',
  cpm_bid_micros: 'bidAmount',
  long_headline: 'longHeadline',
  business_name: 'businessName',
  final_urls: 'linkUrl',
  final_url_suffix: 'urlParameters',
  marketing_images: 'images.landscape',
  square_marketing_images: 'images.square',
  advertising_channel_type: 'campaignType',
  target_spend: 'goal',
  maximize_conversions: 'goal',
  manual_cpm: 'goal',
  target_impression_share: 'goal',
  contains_eu_political_advertising: 'politicalAdvertising',
  name: 'name',
};

/** Lists whose first text is a field of its own. */
const textLists: Record<string, { first: string; others: string }> = {
  headlines: { first: 'headline', others: 'additionalHeadlines' },
  descriptions: { first: 'body', others: 'additionalDescriptions' },
};

/** Maps a rejection to our field path; undefined if it concerns no field of the caller. */
export function rejectedField(code: string, path: PathElement[], operations: Operation[] = []): string | undefined {
  const at = path.find(({ fieldName }) => fieldName === 'mutate_operations')?.index;
  const carried = at === undefined ? undefined : operations[at]?.field;
  if (carried !== undefined) return carried;
  // The last known path element is the most specific.
  for (const { fieldName, index = 0 } of path.toReversed()) {
    const list = own(textLists, fieldName);
    if (list) return index === 0 ? list.first : `${list.others}.${index - 1}`;
    const field = own(ourFields, fieldName);
    if (field) return field === 'images.landscape' ? landscapeField(operations) : field;
  }
  return knownCode(code)?.field;
}

/** The landscape image has two possible input fields. */
const landscapeField = (operations: Operation[]): string =>
  operations.some(({ field }) => field === 'imageUrl') ? 'imageUrl' : 'images.landscape';
