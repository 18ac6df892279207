import type { Access, AdOrder } from '../platform.ts';
import { cutToWidth } from '../display-width.ts';
import { PlatformError } from '../error.ts';
import { declarationOf } from './declarations.ts';
import { channelOf, planBid } from './goals.ts';
import { imagesOf, type ImageData } from './images.ts';
import { perDay, toMicros } from './money.ts';
import { audienceOf, placesOf, reachOf } from './targeting.ts';
import { cleanName, cutToBytes, shortName } from './text.ts';
import { isSpread } from './schedule.ts';
import { suffixOf } from './url-suffix.ts';
import { dayEndBy, dayOf, daysBetween, toAccountTime } from '../../lib/account-time.ts';
import { adGroupName, assetName, withoutHyphens, budgetName, campaignName, type Operation } from './wire.ts';

export interface Making {
  access: Access;
  order: AdOrder;
  images: ImageData;
  /** What an order declares that does not say whether it is political advertising. */
  isPolitical: boolean;
  /** The start of its first day; undefined for today. */
  start?: Date;
  /** The platform rejected a total budget, so it is spread over the days. */
  lacksTotals?: boolean;
  /** The ids of countries that have no number. */
  countryIds: Record<string, string>;
  languageIds: string[];
}

/** Builds all operations of an ad with its own campaign; each resource precedes its references. */
export function operationsOf(making: Making): Operation[] {
  const { access, order, images } = making;
  const { input } = order;
  const customerId = withoutHyphens(order.adAccount.id);
  const isSearch = channelOf(input) === 'SEARCH';
  const { budget, campaign, adGroup } = moneyOf(making);
  const assets = imagesOf(input).map(({ kind, field }): Operation => ({
    body: {
      assetOperation: {
        create: {
          resourceName: assetName(customerId, assetId[kind]),
          name: `${kind} ${cutToBytes(cleanName(order.names.campaign), 200)}`,
          imageAsset: { data: images[kind] },
        },
      },
    },
    field,
  }));
  const ad = {
    finalUrls: [input.linkUrl],
    ...(input.urlParameters && { finalUrlSuffix: suffixOf(input.urlParameters) }),
    ...(isSearch ? { responsiveSearchAd: searchAd(order) } : { responsiveDisplayAd: displayAd(order, access) }),
  };
  const create = { adGroup: adGroupName(customerId, '-3'), status: 'ENABLED', ad };
  return [
    { body: { campaignBudgetOperation: { create: budget } } },
    { body: { campaignOperation: { create: campaign } } },
    ...placesOf(input, customerId, making.countryIds),
    ...reachOf(input, customerId, making.languageIds),
    { body: { adGroupOperation: { create: adGroup } } },
    ...audienceOf(input, customerId),
    ...assets,
    { body: { adGroupAdOperation: { create } } },
  ];
}

const assetId = { landscape: '-11', square: '-12' };

/** Operations of the three objects with amounts: budget, campaign and ad group. */
function moneyOf({
  order,
  isPolitical,
  start,
  lacksTotals = false,
}: Making): Record<'budget' | 'campaign' | 'adGroup', object> {
  const { input, goal, names } = order;
  if (!goal) throw new PlatformError('B', 'rejected', 'goal is required for an ad with its own campaign');
  const { currency, timezone } = order.adAccount;
  const customerId = withoutHyphens(order.adAccount.id);
  const channel = channelOf(input);
  const amount = toMicros(input.budgetAmount ?? 0, currency);
  const isLifetime = input.budgetType === 'lifetime';
  const end = input.endDate === undefined ? undefined : dayEndBy(new Date(input.endDate), timezone);
  // Without a start it is derived from the order alone, so that a repeated run computes the same amounts.
  const from = start ?? order.placedAt;
  const day = isLifetime && end ? perDay(amount, daysBetween(from, end, timezone), currency) : amount;
  const bid = input.bidAmount === undefined ? undefined : toMicros(input.bidAmount, currency);
  const plan = planBid(goal, channel, bid);
  const name = cleanName(names.campaign);
  return {
    budget: {
      resourceName: budgetName(customerId, '-1'),
      name: shortName(name),
      ...(isLifetime && !lacksTotals && !isSpread(input, { adAccount: order.adAccount, from })
        ? { period: 'CUSTOM_PERIOD', totalAmountMicros: amount.toString() }
        : { amountMicros: day.toString() }),
      deliveryMethod: 'STANDARD',
      explicitlyShared: false,
    },
    campaign: {
      resourceName: campaignName(customerId, '-2'),
      name,
      status: 'PAUSED',
      advertisingChannelType: channel,
      campaignBudget: budgetName(customerId, '-1'),
      ...plan.scheme,
      networkSettings: networks[channel],
      geoTargetTypeSetting: { positiveGeoTargetType: 'PRESENCE' },
      containsEuPoliticalAdvertising: declarationOf(input.politicalAdvertising ?? isPolitical),
      ...(start && { startDateTime: `${dayOf(start, timezone)} 00:00:00` }),
      ...(end && { endDateTime: toAccountTime(end, timezone) }),
    },
    adGroup: {
      resourceName: adGroupName(customerId, '-3'),
      name: shortName(names.adSet),
      campaign: campaignName(customerId, '-2'),
      status: 'ENABLED',
      type: `${channel}_STANDARD`,
      ...(plan.cpmBidMicros && { cpmBidMicros: plan.cpmBidMicros }),
    },
  };
}

const networks = {
  SEARCH: {
    targetGoogleSearch: true,
    targetSearchNetwork: true,
    targetContentNetwork: false,
    targetPartnerSearchNetwork: false,
  },
  DISPLAY: { targetContentNetwork: true },
};

const textsOf = (...texts: (string | undefined)[]): { text: string }[] =>
  texts.flatMap((text) => (text === undefined ? [] : [{ text }]));

const searchAd = ({ input }: AdOrder): Record<string, unknown> => ({
  headlines: textsOf(input.headline, ...(input.additionalHeadlines ?? [])),
  descriptions: textsOf(input.body, ...(input.additionalDescriptions ?? [])),
});

const displayAd = ({ input, adAccount }: AdOrder, { displayName }: Access): Record<string, unknown> => ({
  marketingImages: [{ asset: assetName(adAccount.id, assetId.landscape) }],
  squareMarketingImages: [{ asset: assetName(adAccount.id, assetId.square) }],
  headlines: textsOf(input.headline),
  longHeadline: { text: input.longHeadline ?? input.headline },
  descriptions: textsOf(input.body),
  businessName: input.businessName ?? cutToWidth(displayName, 25),
});
