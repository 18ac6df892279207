import { describe, expect, it } from 'vitest';
import type { Goal } from '../../src/contract/ad-enums.ts';
import { planGoal } from '../../src/platforms/tiktok/goals.ts';
import { ageGroupsOf } from '../../src/platforms/tiktok/ad-group.ts';
import { createTikTok } from '../../src/platforms/tiktok/index.ts';
import { dollars, inputs, placedAt } from './fixtures.ts';
import { noMedia } from './media.ts';

const facts = { adAccount: dollars, now: placedAt };
type Extra = Record<string, unknown>;

const adapter = createTikTok({ baseUrl: 'https://videos.example', version: 'v1.3' }, noMedia);
const problemsOf = (extra: Extra) => adapter.checkOrder?.(inputs.legacy(extra)) ?? [];
const warningsOf = (extra: Extra) => adapter.orderWarnings?.(inputs.legacy(extra), facts) ?? [];
const planOf = (goal: Goal, extra: Extra) => planGoal(goal, inputs.legacy({ goal, ...extra }));

describe('an app', () => {
  const ofStore = (objectStoreUrl: string, extra = {}) =>
    planOf('app_promotion', { promotedObject: { applicationId: '7', objectStoreUrl }, ...extra });

  it('for Android names its system, and the app at the ad group only', () => {
    const { campaign, adGroup } = ofStore('https://play.google.com/store/apps/details?id=7');
    expect(campaign).toEqual({ objective_type: 'APP_PROMOTION', app_promotion_type: 'APP_INSTALL' });
    expect(adGroup).toMatchObject({ promotion_type: 'APP_ANDROID', operating_systems: ['ANDROID'], app_id: '7' });
    expect(adGroup).not.toHaveProperty('ios14_targeting');
  });

  it('for iOS has a dedicated campaign, which alone reaches present devices', () => {
    const { campaign, adGroup } = ofStore('https://apps.apple.com/app/id7');
    expect(campaign).toMatchObject({ campaign_type: 'IOS14_CAMPAIGN', app_id: '7' });
    expect(adGroup).toMatchObject({
      promotion_type: 'APP_IOS',
      operating_systems: ['IOS'],
      app_id: '7',
      ios14_targeting: 'IOS14_PLUS',
      min_ios_version: '14.5',
    });
  });

  it('that bids for a return names the event whose value counts', () => {
    const extra = { bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', roasAverageFloor: 2 };
    const { adGroup } = ofStore('https://apps.apple.com/app/id7', extra);
    expect(adGroup).toMatchObject({ optimization_goal: 'VALUE', optimization_event: 'ACTIVE_PAY' });
  });
});

describe('leads', () => {
  const plan = (promotedObject?: object) => planOf('lead_generation', { promotedObject });

  it('of a form are what is optimised for', () => {
    expect(plan({ leadFormId: '5' }).adGroup).toMatchObject({
      optimization_goal: 'LEAD_GENERATION',
      promotion_target_type: 'INSTANT_PAGE',
    });
  });

  it.each([
    [undefined, 'FORM'],
    ['CONTACT', 'CONSULT'],
  ])('of a website are counted by its pixel: %s becomes %s', (customEventType, event) => {
    expect(plan({ pixelId: '9', customEventType }).adGroup).toMatchObject({
      optimization_goal: 'CONVERT',
      billing_event: 'OCPM',
      promotion_target_type: 'EXTERNAL_WEBSITE',
      pixel_id: '9',
      optimization_event: event,
    });
  });

  it('of a website without a pixel are bought as clicks, with a warning', () => {
    const { adGroup, bidField } = plan();
    expect({ ...adGroup, bidField }).toEqual({
      optimization_goal: 'CLICK',
      billing_event: 'CPC',
      promotion_type: 'LEAD_GENERATION',
      promotion_target_type: 'EXTERNAL_WEBSITE',
      bidField: 'bid_price',
    });
    expect(warningsOf({ goal: 'lead_generation' }).map(({ path }) => path)).toEqual(['promotedObject.pixelId']);
    expect(warningsOf({ goal: 'lead_generation', promotedObject: { pixelId: '9' } })).toEqual([]);
  });
});

describe('an event', () => {
  it.each([
    ['PURCHASE', 'SHOPPING'],
    ['ADD_PAYMENT_INFO', 'ADD_BILLING'],
    ['ADD_TO_WISHLIST', 'ON_WEB_ADD_TO_WISHLIST'],
    ['CONTACT', 'CONSULT'],
    ['DOWNLOAD', 'DOWNLOAD_START'],
    ['DOWNLOAD_START', 'DOWNLOAD_START'],
  ])('%s of a pixel becomes %s', (customEventType, event) => {
    const extra = { goal: 'conversions', promotedObject: { pixelId: '9', customEventType } };
    expect(planOf('conversions', extra).adGroup).toMatchObject({ optimization_event: event });
    expect(problemsOf(extra)).toEqual([]);
  });

  it.each(['START_TRIAL', 'ON_WEB_ORDER', 'LANDING_PAGE_VIEW'])(
    '%s is refused with the names that a pixel counts',
    (customEventType) => {
      const promotedObject = { pixelId: '9', customEventType };
      const message = expect.stringMatching(
        new RegExp(`^is ${customEventType}, but must be one of PURCHASE, LEAD.*SHOPPING`),
      );
      for (const goal of ['conversions', 'lead_generation'])
        expect(problemsOf({ goal, promotedObject })).toEqual([{ path: 'promotedObject.customEventType', message }]);
      expect(problemsOf({ goal: 'traffic', promotedObject })).toEqual([]);
    },
  );
});

it.each(['Spring 🌷', 'Love ❤️'])('a text with an emoji is refused: %s', (body) => {
  expect(problemsOf({ body })).toEqual([{ path: 'body', message: expect.stringContaining('emoji') }]);
});

describe('ages', () => {
  it.each([
    [{}, undefined],
    [{ ageMin: 13, ageMax: 65 }, undefined],
    [{ ageMin: 13, ageMax: 17 }, ['AGE_13_17']],
    [{ ageMax: 17 }, ['AGE_13_17']],
    [{ ageMax: 34 }, ['AGE_18_24', 'AGE_25_34']],
    [{ ageMin: 50 }, ['AGE_45_54', 'AGE_55_100']],
  ])('of %j are %j', (ages, groups) => {
    expect(ageGroupsOf(inputs.legacy(ages))).toEqual(groups);
  });

  it.each([
    [{ ageMin: 21, ageMax: 40 }, ['ageMin', 'ageMax'], '18 to 44'],
    [{ ageMin: 50 }, ['ageMin'], '45 and older'],
    [{ ageMin: 18, ageMax: 24 }, [], ''],
  ])('of %j are extended with a warning', (ages, paths, shown) => {
    const warnings = warningsOf(ages);
    expect(warnings.map(({ path }) => path)).toEqual(paths);
    for (const { message } of warnings) expect(message).toContain(shown);
  });
});
