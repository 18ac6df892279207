import { describe, expect, it } from 'vitest';
import { createGoogleAds } from '../../src/platforms/google-ads/index.ts';
import type { AdsAdapter } from '../../src/platforms/platform.ts';
import { adGroupFields } from '../../src/platforms/pinterest/ad-group.ts';
import { checkOrder as checkOrderOnC } from '../../src/platforms/pinterest/check-order.ts';
import { planGoal } from '../../src/platforms/pinterest/goals.ts';
import { createXAds } from '../../src/platforms/x-ads/index.ts';
import { dollars, inputs, orderOf, placedAt } from './fixtures.ts';
import { noMedia } from './media.ts';

const interestsOf = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({ id: String(1000 + at), name: 'Books' }));
const microblog = createXAds({ baseUrl: 'https://ads.example', version: '12' });
const searchDisplay = createGoogleAds(
  { baseUrl: 'https://ads.example', version: 'v25', tokenUrl: 'https://token.example', developerToken: 'd' },
  noMedia,
);

describe('interests', () => {
  // xdevplatform/docs 2871328, campaign-management.mdx, Understanding targeting types: up to 100 interests.
  it.each([
    [100, []],
    [101, ['interests']],
  ])('on E: %i of them give the problems %j', (count, paths) => {
    const problems = microblog.checkOrder?.(inputs.legacy({ interests: interestsOf(count) })) ?? [];
    expect(problems.map(({ path }) => path)).toEqual(paths);
  });

  // help.pinterest.com, Performance+ targeting: it adds signals from the ad to the selected interests.
  it.each([
    [undefined, true],
    [interestsOf(1), false],
  ])('on C: auto-targeting beside %j is %s', (interests, isOn) => {
    const input = inputs.legacy({ interests });
    const plan = planGoal('traffic', input, 'SALES');
    expect(adGroupFields(orderOf(input), plan, { campaignId: '1' })).toMatchObject({ auto_targeting_enabled: isOn });
  });

  // E: xdevplatform/docs, Targeting Criteria Combinations, "primary" types. B: targeting_dimension.proto, AUDIENCE holds
  // user lists and user interests.
  it.each<[string, AdsAdapter]>([
    ['E', microblog],
    ['B', searchDisplay],
  ])('on %s are added to an audience, with a warning', (_platform, adapter) => {
    const warned = (extra: object): string[] =>
      (
        adapter.orderWarnings?.(inputs.legacy(extra as Record<string, unknown>), {
          adAccount: dollars,
          now: placedAt,
        }) ?? []
      ).map(({ path }) => path);
    expect(warned({ audienceId: '1', interests: interestsOf(2) })).toEqual(['interests']);
    expect(warned({ audienceId: '1' })).toEqual([]);
    expect(warned({ interests: interestsOf(2) })).toEqual([]);
  });
});

describe('audiences', () => {
  // OpenAPI 5.23.0, TargetingSpec: AUDIENCE_INCLUDE and AUDIENCE_EXCLUDE are digits.
  it.each([
    [{ audienceId: '2542620905473', excludedAudienceIds: ['2542620905475'] }, []],
    [{ audienceId: 'buyers' }, ['audienceId']],
    [{ excludedAudienceIds: ['2542620905475', 'C12'] }, ['excludedAudienceIds.1']],
  ])('on C: %j gives the problems %j', (extra, paths) => {
    const problems = checkOrderOnC(inputs.legacy(extra), 'SALES');
    expect(problems.map(({ path }) => path)).toEqual(paths);
  });
});
