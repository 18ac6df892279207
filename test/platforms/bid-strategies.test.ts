import { describe, expect, it } from 'vitest';
import { toAdSet as campaignOf } from '../../src/platforms/linkedin/discover.ts';
import { Campaign } from '../../src/platforms/linkedin/wire.ts';
import { toAdSet as adGroupOf } from '../../src/platforms/pinterest/discover.ts';
import { AdGroup as AdGroupC } from '../../src/platforms/pinterest/wire.ts';
import { orderWarnings as warningsOnD } from '../../src/platforms/tiktok/check-order.ts';
import { toAdSet as adGroupOnDOf } from '../../src/platforms/tiktok/discover.ts';
import { AdGroup as AdGroupD } from '../../src/platforms/tiktok/wire.ts';
import { parentsIn, toAdSet as lineItemOf } from '../../src/platforms/x-ads/discover.ts';
import { orderWarnings as warningsOnE } from '../../src/platforms/x-ads/goals.ts';
import { LineItem } from '../../src/platforms/x-ads/wire.ts';

const free = { bidStrategy: 'LOWEST_COST_WITHOUT_CAP', bidAmount: undefined };
const capped = { bidStrategy: 'LOWEST_COST_WITH_BID_CAP', bidAmount: 2.5 };
const cost = { bidStrategy: 'COST_CAP', bidAmount: 2.5 };
const unknown = { bidStrategy: undefined, bidAmount: 2.5 };
const read = ({ bidStrategy, bidAmount }: { bidStrategy?: unknown; bidAmount?: unknown }) => ({
  bidStrategy,
  bidAmount,
});
const ids = { id: '1', campaign_id: '2', name: 'Spring', status: 'ACTIVE' };

describe('the bid strategy of an ad set that was made elsewhere', () => {
  // OpenAPI 5.23.0, AdGroupCommon.bid_strategy_type.
  it.each([
    [{}, free],
    [{ bid_strategy_type: null }, free],
    [{ bid_strategy_type: 'AUTOMATIC_BID' }, free],
    [{ bid_strategy_type: 'MAX_BID', bid_in_micro_currency: 2_500_000 }, capped],
    [{ bid_strategy_type: 'TARGET_AVG', bid_in_micro_currency: 2_500_000 }, cost],
    [{ bid_strategy_type: 'SOMETHING_NEW', bid_in_micro_currency: 2_500_000 }, unknown],
  ])('on C is read from %j', (bid, found) => {
    expect(read(adGroupOf(AdGroupC.parse({ ...ids, ...bid }), new Map()))).toEqual(found);
  });

  // Portal notes in bububa/tiktok-business, enum/bid_type.go and model/adgroup/create.go, 2026-07-24: BID_TYPE_CUSTOM is the cost cap.
  it.each([
    [{ bid_type: 'BID_TYPE_NO_BID', bid_price: 0, conversion_bid_price: 0 }, free],
    [{ bid_type: 'BID_TYPE_CUSTOM', bid_price: 2.5 }, cost],
    [{ bid_type: 'BID_TYPE_CUSTOM', bid_price: 0, conversion_bid_price: 2.5 }, cost],
    [
      { bid_type: 'BID_TYPE_NO_BID', deep_bid_type: 'VO_MIN_ROAS' },
      { bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', bidAmount: undefined },
    ],
  ])('on D is read from %j', (bid, found) => {
    expect(read(adGroupOnDOf(AdGroupD.parse({ adgroup_id: '1', campaign_id: '2', ...bid })))).toEqual(found);
  });

  // xdevplatform/docs, POST line_items, bid_strategy: TARGET keeps the daily average within 20% of the bid.
  it.each([
    [{ bid_strategy: 'AUTO' }, free],
    [{ bid_strategy: 'MAX', bid_amount_local_micro: 2_500_000 }, capped],
    [{ bid_strategy: 'TARGET', bid_amount_local_micro: 2_500_000 }, cost],
  ])('on E is read from %j', (bid, found) => {
    const item = LineItem.parse({ ...ids, ...bid });
    expect(read(lineItemOf(item, parentsIn(item, new Map(), new Date())))).toEqual(found);
  });

  // ivangfalco/linkedin-ads-skill, api-reference.md, Optimization Target Types.
  it.each([
    ['NONE', '0', free],
    ['MAX_CLICK', '0', free],
    ['MAX_QUALIFIED_LEAD', '2.5', free],
    ['NONE', '2.5', capped],
    ['ENHANCED_CONVERSION', '2.5', unknown],
    ['TARGET_COST_PER_CLICK', '2.5', cost],
    ['CAP_COST_AND_MAXIMIZE_CLICKS', '2.5', cost],
  ])('on F is read from %s with %s', (optimizationTargetType, amount, found) => {
    const campaign = {
      id: 1,
      name: 'Spring',
      status: 'ACTIVE',
      campaignGroup: 'urn:li:sponsoredCampaignGroup:2',
      optimizationTargetType,
      unitCost: { amount, currencyCode: 'USD' },
    };
    expect(read(campaignOf(Campaign.parse(campaign)))).toEqual(found);
  });
});

describe('a highest bid that the platform does not have', () => {
  const about = [{ path: 'bidStrategy', message: expect.stringContaining('COST_CAP') }];
  const order = { accountId: '1', name: 'Spring', bidStrategy: 'LOWEST_COST_WITH_BID_CAP', bidAmount: 2 } as any;
  it('causes a warning on D for every goal', () => {
    expect(warningsOnD({ ...order, goal: 'traffic' })).toEqual(about);
    expect(warningsOnD({ ...order, goal: 'traffic', bidStrategy: 'COST_CAP' })).toEqual([]);
  });

  it('causes a warning on E for awareness only', () => {
    expect(warningsOnE({ ...order, goal: 'awareness' })).toEqual(about);
    expect(warningsOnE({ ...order, goal: 'awareness', bidStrategy: 'COST_CAP' })).toEqual([]);
    expect(warningsOnE({ ...order, goal: 'traffic' })).toEqual([]);
  });
});
