import { requestShape, type CreateAdInput } from '../../contract/ad-input.ts';
import type { Warning } from '../../contract/common.ts';
import { budgetLevelOf } from '../../contract/platforms.ts';
import { sha256 } from '../../lib/hash.ts';
import { withMark } from '../../lib/id.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { Naming } from '../../models/campaign.ts';
import type { AdAccount, AdOrder, AdsAdapter } from '../../platforms/platform.ts';

const suffixLength = 8;

/**
 * The ids of an order's ads: the first is the order's own and the others follow from it, so a second run names the same. Their
 * marks follow from its mark alone; those of orders of earlier releases, which are not `isMarked`, from its whole id.
 */
export function orderAdIds(orderId: string, input: CreateAdInput, isMarked = true): string[] {
  const count = requestShape(input) === 'multiCreative' ? (input.creatives?.length ?? 1) : 1;
  const timePart = orderId.slice(0, 8);
  const mark = markOf(orderId);
  return Array.from({ length: count }, (_, index) => {
    if (index === 0) return orderId;
    const id = timePart + sha256(`${orderId}.${index}`).slice(0, orderId.length - timePart.length);
    return isMarked ? withMark(id, sha256(`${mark}.${index}`).slice(0, suffixLength)) : id;
  });
}

export const markOf = (id: string): string => id.slice(-suffixLength);

/** `<name> <last 8 characters of our id>`: unique upstream, so what was made without an answer is found again by it. */
export function upstreamName(name: string, id: string, maxLength: number): string {
  const suffix = ` ${markOf(id)}`;
  let kept = '';
  for (const character of name) {
    if (kept.length + character.length + suffix.length > maxLength) break;
    kept += character;
  }
  return kept.trimEnd() + suffix;
}

/** How a name that was given here stands at the platform. */
export const namingOf = (given: string, id: string, maxLength: number): Naming => ({
  given,
  sent: upstreamName(given, id, maxLength),
  mark: markOf(id),
});

/** Null for an ad that has never been named here. */
export const namingOfAd = (
  { _id, name, naming, isExternal }: Pick<AdDoc, '_id' | 'name' | 'naming' | 'isExternal'>,
  maxLength: number,
): Naming | null => naming ?? (isExternal ? null : namingOf(name, _id, maxLength));

type Orderer = Pick<AdsAdapter, 'platform' | 'maxNameLength'>;

export interface PlacedOrder {
  orderId: string;
  input: CreateAdInput;
  adAccount: AdAccount;
  placedAt: Date;
  /** False for an order of an earlier release. */
  isMarked?: boolean;
}

/** What the adapter is asked to make; the same order gives the same names every time. */
export function toAdOrder(
  { orderId, input, adAccount, placedAt, isMarked }: PlacedOrder,
  { platform, maxNameLength }: Orderer,
): AdOrder {
  const named = (id: string): string => upstreamName(input.name, id, maxNameLength);
  return {
    input,
    goal: input.goal,
    budgetLevel: budgetLevelOf(platform, input.budgetLevel),
    adAccount,
    names: { campaign: named(orderId), adSet: named(orderId), ads: orderAdIds(orderId, input, isMarked).map(named) },
    placedAt,
  };
}

/** Returns the order that a stored first ad contains. */
export function orderOf({ _id, order, createdAt }: AdDoc, adapter: Orderer): AdOrder {
  if (!order) throw new Error(`The ad ${_id} has no order`);
  return toAdOrder({ orderId: _id, isMarked: false, ...order, placedAt: createdAt }, adapter);
}

/** Collects what an adapter reports while it executes an order. */
export const warningsInto =
  (warnings: Warning[]): NonNullable<AdOrder['warn']> =>
  ({ path, message }) =>
    void warnings.push({ param: path, message });
