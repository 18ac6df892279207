import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AdOrder } from '../platform.ts';
import { startAfter } from '../start.ts';
import type { Fields } from './client.ts';
import { intentOf } from './declarations.ts';
import { bidding, type GoalPlan } from './goals.ts';
import { localeOf, localesIn } from './places.ts';
import { campaignBudget, endOf, groupBudget, isEndOfGroup } from './order-budget.ts';
import { littleText, urn } from './restli.ts';

const accountUrn = ({ adAccount }: AdOrder): string => urn('sponsoredAccount', adAccount.id);

const leadMs = 120_000;

/** The platform rejects a start in the past, and an order may continue hours after it was placed. */
export const startOf = (order: AdOrder, clock: Clock): Date => startAfter(order, clock.now(), leadMs);

export const groupFields = (order: AdOrder, plan: GoalPlan, start: Date): Fields => ({
  account: accountUrn(order),
  name: order.names.campaign,
  status: 'PAUSED',
  runSchedule: { start: start.getTime(), ...(isEndOfGroup(order) && endOf(order)) },
  ...groupBudget(order, plan),
});

export function campaignFields(
  order: AdOrder,
  plan: GoalPlan,
  { organization, groupId, places, start }: { organization: string; groupId: string; places: Places; start: Date },
): Fields {
  const { input, adAccount, names } = order;
  const { optimizationTargetType, costType, amount } = bidding(input, plan);
  const money = (value: number | string): Fields => ({ amount: String(value), currencyCode: adAccount.currency });
  const { country, language } = localeOf(input);
  return {
    account: accountUrn(order),
    campaignGroup: urn('sponsoredCampaignGroup', groupId),
    associatedEntity: organization,
    name: names.adSet,
    type: 'SPONSORED_UPDATES',
    format: input.video ? 'SINGLE_VIDEO' : 'STANDARD_UPDATE',
    objectiveType: plan.objectiveType,
    optimizationTargetType,
    costType,
    creativeSelection: 'OPTIMIZED',
    unitCost: money(amount),
    ...campaignBudget(order),
    locale: { country, language },
    // If omitted, both default to a wider audience.
    offsiteDeliveryEnabled: false,
    audienceExpansionEnabled: false,
    politicalIntent: intentOf(input.politicalAdvertising),
    status: 'DRAFT',
    runSchedule: { start: start.getTime(), ...(!isEndOfGroup(order) && endOf(order)) },
    targetingCriteria: targetingOf(input, places),
  };
}

/** Location URNs. */
export interface Places {
  geos: string[];
  excludedGeos: string[];
}

/** Everyone in the places; with languages, only those who use the platform in one of them. */
function targetingOf({ languages }: CreateAdInput, { geos, excludedGeos }: Places): Fields {
  const locales = languages && localesIn(languages).map((code) => urn('locale', code));
  return {
    include: {
      and: [
        { or: { 'urn:li:adTargetingFacet:locations': geos } },
        ...(locales ? [{ or: { 'urn:li:adTargetingFacet:interfaceLocales': locales } }] : []),
      ],
    },
    ...(excludedGeos.length > 0 && { exclude: { or: { 'urn:li:adTargetingFacet:locations': excludedGeos } } }),
  };
}

/** A post that is not shown to followers. With a link it may be an article, which has the second description too. */
export function postFields(order: AdOrder, author: string, mediaUrn: string): Fields {
  const { input, names } = order;
  const { headline, longHeadline, body, linkUrl, callToAction } = input;
  const isArticle = order.goal === 'traffic' && linkUrl !== undefined && !input.video;
  const content = isArticle
    ? { article: { source: linkUrl, title: headline, description: longHeadline, thumbnail: mediaUrn } }
    : { media: { id: mediaUrn, title: headline } };
  const button = callToAction ?? (linkUrl ? 'LEARN_MORE' : undefined);
  return {
    author,
    commentary: littleText(body ?? ''),
    visibility: 'PUBLIC',
    distribution: { feedDistribution: 'NONE', targetEntities: [], thirdPartyDistributionChannels: [] },
    lifecycleState: 'PUBLISHED',
    isReshareDisabledByAuthor: false,
    adContext: { dscAdAccount: accountUrn(order), dscStatus: 'ACTIVE', dscName: names.ads[0] },
    content,
    contentLandingPage: linkUrl,
    contentCallToActionLabel: linkUrl ? button : undefined,
  };
}

/** Created active: a paused creative may be rejected before its review, and the group is still paused. */
export function creativeFields({ input, names }: AdOrder, campaignId: string, postUrn: string): Fields {
  const { promotedObject, callToAction = 'LEARN_MORE' } = input;
  const form = promotedObject?.leadFormId;
  return {
    campaign: urn('sponsoredCampaign', campaignId),
    content: { reference: postUrn },
    intendedStatus: 'ACTIVE',
    name: names.ads[0],
    ...(form && { leadgenCallToAction: { destination: urn('adForm', form), label: callToAction } }),
  };
}
