import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Goal } from '../../src/contract/ad-enums.ts';
import type { AdPlatform } from '../../src/contract/platforms.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { goalsOf, goodAdOf, subjects, fixtureOf } from './platforms.ts';

type Body = Record<string, unknown>;
/** What the requests of an order say, wherever in them it stands. */
type Said = Record<string, unknown>;

const tables: Record<AdPlatform, [Goal, Said][]> = {
  A: [
    ['traffic', { objective: 'OUTCOME_TRAFFIC', optimization_goal: 'LINK_CLICKS', destination_type: 'WEBSITE' }],
    [
      'engagement',
      { objective: 'OUTCOME_ENGAGEMENT', optimization_goal: 'POST_ENGAGEMENT', destination_type: 'ON_POST' },
    ],
    ['awareness', { objective: 'OUTCOME_AWARENESS', optimization_goal: 'REACH' }],
    ['video_views', { objective: 'OUTCOME_ENGAGEMENT', optimization_goal: 'THRUPLAY', destination_type: 'ON_VIDEO' }],
    [
      'lead_generation',
      {
        objective: 'OUTCOME_LEADS',
        optimization_goal: 'LEAD_GENERATION',
        destination_type: 'ON_AD',
        lead_gen_form_id: '5',
      },
    ],
    [
      'conversions',
      { objective: 'OUTCOME_SALES', optimization_goal: 'OFFSITE_CONVERSIONS', custom_event_type: 'PURCHASE' },
    ],
    [
      'app_promotion',
      { objective: 'OUTCOME_APP_PROMOTION', optimization_goal: 'APP_INSTALLS', destination_type: 'APP' },
    ],
  ],
  B: [
    ['engagement', { targetSpend: {} }],
    [
      'traffic',
      {
        targetSpend: {},
        advertisingChannelType: 'DISPLAY',
        containsEuPoliticalAdvertising: 'DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING',
      },
    ],
    ['conversions', { maximizeConversions: {} }],
    ['lead_generation', { maximizeConversions: {} }],
    ['awareness', { manualCpm: {} }],
  ],
  C: [
    [
      'traffic',
      { objective_type: 'CONSIDERATION', billable_event: 'CLICKTHROUGH', bid_strategy_type: 'AUTOMATIC_BID' },
    ],
    ['engagement', { objective_type: 'CONSIDERATION', billable_event: 'CLICKTHROUGH' }],
    ['awareness', { objective_type: 'AWARENESS', billable_event: 'IMPRESSION' }],
    ['conversions', { objective_type: 'SALES', conversion_event: 'CHECKOUT' }],
    ['lead_generation', { objective_type: 'LEADS', conversion_event: 'SIGNUP' }],
  ],
  D: [
    [
      'traffic',
      { objective_type: 'TRAFFIC', optimization_goal: 'CLICK', billing_event: 'CPC', promotion_type: 'WEBSITE' },
    ],
    ['awareness', { objective_type: 'REACH', optimization_goal: 'REACH', billing_event: 'CPM' }],
    [
      'video_views',
      {
        objective_type: 'VIDEO_VIEWS',
        optimization_goal: 'ENGAGED_VIEW',
        billing_event: 'CPV',
        bid_display_mode: 'CPV',
      },
    ],
    ['engagement', { objective_type: 'ENGAGEMENT', identity_type: 'TT_USER' }],
    ['lead_generation', { objective_type: 'LEAD_GENERATION', promotion_target_type: 'INSTANT_PAGE' }],
    [
      'conversions',
      { objective_type: 'WEB_CONVERSIONS', optimization_goal: 'CONVERT', optimization_event: 'SHOPPING' },
    ],
    [
      'app_promotion',
      {
        objective_type: 'APP_PROMOTION',
        app_promotion_type: 'APP_INSTALL',
        promotion_type: 'APP_ANDROID',
        operating_systems: ['ANDROID'],
      },
    ],
  ],
  E: [
    ['traffic', { objective: 'WEBSITE_CLICKS', goal: 'LINK_CLICKS', bid_strategy: 'AUTO' }],
    ['engagement', { objective: 'ENGAGEMENTS', bid_strategy: 'AUTO' }],
    ['awareness', { objective: 'REACH' }],
    ['conversions', { objective: 'WEBSITE_CLICKS', goal: 'WEBSITE_CONVERSIONS' }],
  ],
  F: [
    [
      'traffic',
      {
        objectiveType: 'WEBSITE_VISIT',
        optimizationTargetType: 'MAX_CLICK',
        costType: 'CPM',
        format: 'STANDARD_UPDATE',
      },
    ],
    ['engagement', { objectiveType: 'ENGAGEMENT', optimizationTargetType: 'MAX_CLICK' }],
    ['awareness', { objectiveType: 'BRAND_AWARENESS', optimizationTargetType: 'MAX_IMPRESSION' }],
    ['video_views', { objectiveType: 'VIDEO_VIEW', costType: 'CPV', format: 'SINGLE_VIDEO' }],
    ['lead_generation', { objectiveType: 'LEAD_GENERATION', optimizationTargetType: 'MAX_LEAD' }],
    ['conversions', { objectiveType: 'WEBSITE_CONVERSION', optimizationTargetType: 'MAX_CONVERSION' }],
  ],
};

/** Every member of a value under its name, the first that is met. */
function membersOf(value: unknown, found: Said = {}): Said {
  if (Array.isArray(value)) value.forEach((one) => membersOf(one, found));
  else if (value !== null && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) {
      if (!(name in found)) found[name] = member;
      membersOf(member, found);
    }
  }
  return found;
}

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

describe.each(subjects)('platform $platform', (subject) => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const requests = async (goal: Goal, extra: Body = {}): Promise<{ url: string; body: Body }[]> => {
    const body = { ...goodAdOf(app, subject, fixture, goal), validateOnly: true, ...extra };
    const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect(answer.body).toMatchObject({ valid: true });
    return answer.body.requests;
  };
  /** All but the names of the steps, which may be called like members. */
  const said = async (goal: Goal, extra?: Body): Promise<Said> =>
    membersOf((await requests(goal, extra)).map(({ body }) => body));

  it('has its words for every goal that it declares', () => {
    expect(tables[subject.platform].map(([goal]) => goal).toSorted()).toEqual(goalsOf(subject).toSorted());
  });

  it.each(tables[subject.platform])('says %s in its own words', async (goal, words) => {
    const all = await said(goal);
    expect(all).toMatchObject(words);
  });

  it('bids for a return without a price of its own, where it takes that', async () => {
    if (subject.platform !== 'D') return;
    const extra = { bidStrategy: 'LOWEST_COST_WITH_MIN_ROAS', roasAverageFloor: 2.5 };
    const all = await said('conversions', extra);
    expect(all).toMatchObject({
      optimization_goal: 'VALUE',
      bid_type: 'BID_TYPE_NO_BID',
      deep_bid_type: 'VO_MIN_ROAS',
      roas_bid: 2.5,
    });
    expect(all).not.toHaveProperty('conversion_bid_price');
  });

  it('creates everything paused, and activates the campaign last', async () => {
    const list = await requests('traffic');
    const last = JSON.stringify(list.at(-1)?.body);
    expect(last).toMatch(/ACTIVE|ENABLED?/);
    const campaign = list.find(({ url }) =>
      /campaigns?$|campaign\/create\/$|adCampaignGroups$|googleAds:mutate$/.test(url),
    );
    expect(JSON.stringify(campaign?.body)).toMatch(/PAUSED|DISABLE/);
  });

  it('targets the United States where no place is named, and the named ones else', async () => {
    const places: Record<AdPlatform, [string, string]> = {
      A: ['"countries":["US"]', '"countries":["GB"]'],
      B: ['geoTargetConstants/2840', 'geoTargetConstants/2826'],
      C: ['"LOCATION":["US"]', '"LOCATION":["GB"]'],
      D: ['"location_ids":["6252001"]', '"location_ids":["2635167"]'],
      E: ['96683cc9126741d1', '6416b8512febefc9'],
      F: ['urn:li:geo:103644278', 'urn:li:geo:101165590'],
    };
    const [home, away] = places[subject.platform];
    const [first, second] = [
      JSON.stringify(await requests('traffic')),
      JSON.stringify(await requests('traffic', { countries: ['GB'] })),
    ];
    expect(first).toContain(home);
    expect(second).toContain(away);
    expect(second).not.toContain(home);
  });
});
