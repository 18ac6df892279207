import { fieldsOf, requestShape, type CreateAdInput } from '../../contract/ad-input.ts';
import { budgetLevelOf } from '../../contract/platforms.ts';
import type { Author } from '../../models/activity.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { AdDoc, AdTerms } from '../../models/ad.ts';
import type { AdAccount, AdsAdapter } from '../../platforms/platform.ts';
import { declarationsOf } from './declarations.ts';
import { orderAdIds } from './order.ts';
import { ownerOf } from './owner-of.ts';

export interface NewOrder {
  orderId: string;
  input: CreateAdInput;
  account: AccountDoc;
  adAccount: AdAccount;
  adapter: AdsAdapter;
  placedAt: Date;
  author: Author;
  /** The API key that its budget counts for. */
  budgetKeyId: string;
}

/** Returns the first ad of an order, which stores the whole order until its outcome is known. */
export function buildFirstAd({ orderId, input, account, adAccount, adapter, ...placed }: NewOrder): AdDoc {
  const { placedAt, author, budgetKeyId } = placed;
  const shape = requestShape(input);
  return {
    _id: orderId,
    ...ownerOf({ account, adapter, adAccount }),
    orderId,
    creativeIndex: 0,
    name: input.name,
    goal: input.goal ?? null,
    shape,
    status: 'creating',
    settings: withParameters(input, 0, {
      ...settingsOf(input),
      ...(shape !== 'attach' && {
        budgetLevel: budgetLevelOf(adapter.platform, input.budgetLevel),
        startDate: input.startDate ?? placedAt.toISOString(),
        ...declarationsOf(input, adapter.platform),
      }),
    }),
    creative: creativeOf(input, 0),
    isExternal: false,
    adType: 'standalone',
    metrics: null,
    campaignName: shape === 'attach' ? null : input.name,
    adSetName: shape === 'attach' ? null : input.name,
    platformAdId: null,
    platformCampaignId: null,
    platformAdSetId: input.adSetId ?? null,
    rejectionReason: null,
    adSetRef: null,
    campaignRef: null,
    seenAt: null,
    order: { input, adAccount, author, isMarked: true, budgetKeyId },
    steps: [],
    createdAt: placedAt,
    updatedAt: placedAt,
  };
}

/** Expands an order's first ad into all of its ads: itself plus one per additional creative. */
export function adsOf(firstAd: AdDoc): AdDoc[] {
  if (!firstAd.order) return [firstAd];
  const { input, isMarked = false } = firstAd.order;
  const {
    order: _order,
    steps: _steps,
    reconcileAt: _due,
    firstMissedAt: _missed,
    pendingEvents: _events,
    ...shared
  } = firstAd;
  const siblings = orderAdIds(firstAd._id, input, isMarked).slice(1);
  return [
    firstAd,
    ...siblings.map((_id, at) => ({
      ...shared,
      _id,
      creativeIndex: at + 1,
      creative: creativeOf(input, at + 1),
      settings: withParameters(input, at + 1, shared.settings),
    })),
  ];
}

const pick = (input: object, fields: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).filter(([field, value]) => fields.includes(field) && value !== undefined));

const creativeOf = (input: CreateAdInput, index: number): Record<string, unknown> =>
  pick(input.creatives?.[index] ?? input, fieldsOf('creative'));

/** An entry of `creatives` may have URL parameters of its own. */
function withParameters(
  { urlParameters, creatives }: CreateAdInput,
  index: number,
  { urlParameters: _ofAnother, ...settings }: AdTerms,
): AdTerms {
  const own = creatives?.[index]?.urlParameters ?? urlParameters;
  return { ...settings, ...(own && { urlParameters: own }) };
}

function settingsOf(input: CreateAdInput): AdTerms {
  const { budgetAmount: amount, budgetType: type } = input;
  const targeting = pick(input, fieldsOf('targeting'));
  return {
    ...pick(input, ['bidStrategy', 'bidAmount', 'roasAverageFloor', 'promotedObject', 'endDate']),
    ...(amount !== undefined && type !== undefined && { budget: { amount, type } }),
    ...(Object.keys(targeting).length > 0 && { targeting }),
  };
}
