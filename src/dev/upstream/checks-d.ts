import { amount, inDays, rows, type Check, type MakeStep, type Scene } from './check.ts';

type Fields = Record<string, unknown>;

const time = (days: number): string => inDays(days).toISOString().slice(0, 19).replace('T', ' ');

const campaign =
  (fields: (scene: Scene) => Fields = () => ({}), isSetup = true): MakeStep =>
  (scene) => ({
    method: 'POST',
    path: 'campaign/create',
    fields: {
      advertiser_id: scene.adAccount.id,
      campaign_name: scene.name,
      objective_type: 'TRAFFIC',
      budget_mode: 'BUDGET_MODE_INFINITE',
      operation_status: 'DISABLE',
      ...fields(scene),
    },
    makes: 'campaign',
    keeps: 'campaign',
    isSetup,
  });

const adGroup =
  (fields: (scene: Scene) => Fields = () => ({})): MakeStep =>
  (scene) => ({
    method: 'POST',
    path: 'adgroup/create',
    fields: {
      advertiser_id: scene.adAccount.id,
      campaign_id: scene.ids['campaign'],
      adgroup_name: scene.name,
      operation_status: 'DISABLE',
      placement_type: 'PLACEMENT_TYPE_NORMAL',
      placements: ['PLACEMENT_TIKTOK'],
      promotion_type: 'WEBSITE',
      optimization_goal: 'CLICK',
      billing_event: 'CPC',
      bid_type: 'BID_TYPE_NO_BID',
      location_ids: ['6252001'],
      budget_mode: 'BUDGET_MODE_DAY',
      budget: amount(scene, 20),
      schedule_type: 'SCHEDULE_FROM_NOW',
      schedule_start_time: time(1),
      pacing: 'PACING_MODE_SMOOTH',
      search_result_enabled: false,
      ...fields(scene),
    },
    makes: 'adgroup',
    keeps: 'adgroup',
  });

const readGroup =
  (...names: string[]): MakeStep =>
  ({ adAccount, ids }) => ({
    path: 'adgroup/get',
    query: {
      advertiser_id: adAccount.id,
      filtering: JSON.stringify({ adgroup_ids: [ids['adgroup']] }),
      fields: JSON.stringify(['adgroup_id', ...names]),
    },
  });

const leads: MakeStep = campaign(() => ({ objective_type: 'LEAD_GENERATION' }));
const website = { promotion_type: 'LEAD_GENERATION', promotion_target_type: 'EXTERNAL_WEBSITE' };
const apps: MakeStep = campaign(() => ({ objective_type: 'APP_PROMOTION', app_promotion_type: 'APP_INSTALL' }));
const app = ({ given }: Scene, system: string): Fields => ({
  promotion_type: `APP_${system}`,
  app_id: given['UPSTREAM_APP'],
  optimization_goal: 'INSTALL',
  billing_event: 'OCPM',
});

export const checksD: Check[] = [
  ...rows('read', [
    {
      id: 'foreign-advertiser',
      question: 'Does one advertiser without access refuse the whole batch of advertiser/info with 40001?',
      doubt: 'Known from public records only',
      isRefused: true,
      run: [
        ({ adAccount }) => ({
          path: 'advertiser/info',
          query: { advertiser_ids: JSON.stringify([adAccount.id, '6000000000000000001']) },
        }),
      ],
    },
    {
      id: 'rejected-code',
      question: 'With which code is an authorization code refused?',
      doubt: 'The code is unconfirmed',
      isRefused: true,
      needs: ['PLATFORM_D_CLIENT_ID', 'PLATFORM_D_CLIENT_SECRET'],
      run: [
        ({ config: { D } }) => ({
          method: 'POST',
          path: 'oauth2/access_token',
          token: '',
          fields: { app_id: D.clientId, secret: D.clientSecret, auth_code: 'not-a-code' },
        }),
      ],
    },
    {
      id: 'report-fields',
      question: 'Are the parameter names of the integrated report those that the sandbox knows?',
      doubt: 'Parameter names other than the metrics are unconfirmed',
      run: [
        ({ adAccount }) => ({
          path: 'report/integrated/get',
          query: {
            advertiser_id: adAccount.id,
            report_type: 'BASIC',
            data_level: 'AUCTION_CAMPAIGN',
            dimensions: JSON.stringify(['campaign_id']),
            metrics: JSON.stringify(['spend', 'impressions', 'clicks']),
            query_lifetime: 'true',
          },
        }),
      ],
    },
    {
      id: 'report-audience-events',
      question: 'Does a report on the audience accept metrics of events?',
      doubt:
        'The list of its metrics is unconfirmed, so figures by age, gender, placement and device have no conversions',
      isRefused: true,
      run: [
        ({ adAccount }) => ({
          path: 'report/integrated/get',
          query: {
            advertiser_id: adAccount.id,
            report_type: 'AUDIENCE',
            data_level: 'AUCTION_CAMPAIGN',
            dimensions: JSON.stringify(['campaign_id', 'gender']),
            metrics: JSON.stringify(['spend', 'complete_payment']),
            start_date: time(-7).slice(0, 10),
            end_date: time(-1).slice(0, 10),
          },
        }),
      ],
    },
    {
      id: 'name-filter',
      question: 'Is campaign_name accepted as a filter, and in which form?',
      doubt: 'Whether it matches whole names or parts is unconfirmed',
      run: [
        ({ adAccount, name }) => ({
          path: 'campaign/get',
          query: { advertiser_id: adAccount.id, filtering: JSON.stringify({ campaign_name: name }) },
        }),
      ],
    },
  ]),
  ...rows('write', [
    {
      id: 'unknown-campaign',
      question: 'Is an object that does not exist refused with 40007 or 40006?',
      doubt: 'Registry and earlier notes disagree',
      isRefused: true,
      run: [
        ({ adAccount }) => ({
          method: 'POST',
          path: 'campaign/status/update',
          fields: { advertiser_id: adAccount.id, campaign_ids: ['1700000000000000001'], operation_status: 'DISABLE' },
        }),
      ],
    },
    {
      id: 'search-result-default',
      question: 'Which value has search_result_enabled if it is left out?',
      doubt: 'Documented, second hand: true',
      exactMembers: ['search_result_enabled'],
      run: [
        campaign(() => ({}), false),
        adGroup(() => ({ search_result_enabled: undefined })),
        readGroup('search_result_enabled', 'placement_type', 'bid_type'),
      ],
    },
    {
      id: 'dynamic-daily-budget',
      question: 'Does an ad group accept BUDGET_MODE_DYNAMIC_DAILY_BUDGET?',
      doubt: 'Documentation, second hand',
      run: [campaign(), adGroup(() => ({ budget_mode: 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET' }))],
    },
    {
      id: 'minors-in-us',
      question: 'Is AGE_13_17 refused in the United States with 40065?',
      doubt: 'Documentation, second hand',
      isRefused: true,
      run: [campaign(), adGroup(() => ({ age_groups: ['AGE_13_17', 'AGE_18_24'] }))],
    },
    {
      id: 'lead-goal-on-website',
      question: 'Does TikTok refuse the optimization goal LEAD_GENERATION beside EXTERNAL_WEBSITE?',
      doubt: 'Implied by the documentation; no refusal seen',
      isRefused: true,
      run: [leads, adGroup(() => ({ ...website, optimization_goal: 'LEAD_GENERATION', billing_event: 'OCPM' }))],
    },
    {
      id: 'lead-clicks-on-website',
      question: 'Does TikTok accept leads on a website without a pixel, optimized for clicks?',
      doubt: 'Seen in one public thread',
      run: [leads, adGroup(() => website)],
    },
    {
      id: 'app-without-system',
      question: 'Is an app promotion ad group without operating_systems refused?',
      doubt: 'Documentation, second hand; no refusal seen',
      isRefused: true,
      needs: ['UPSTREAM_APP'],
      run: [apps, adGroup((scene) => app(scene, 'ANDROID'))],
    },
    {
      id: 'regular-ios-campaign',
      question: 'Does TikTok accept an iOS app in a regular campaign?',
      doubt: 'The default of ios14_targeting reaches old devices only; delivery was not observed',
      needs: ['UPSTREAM_APP'],
      run: [
        apps,
        adGroup((scene) => ({ ...app(scene, 'IOS'), operating_systems: ['IOS'] })),
        readGroup('ios14_targeting', 'min_ios_version'),
      ],
    },
    {
      id: 'app-value-without-event',
      question: 'Is value optimization of an app without optimization_event refused?',
      doubt: 'Documentation, second hand',
      isRefused: true,
      needs: ['UPSTREAM_APP'],
      run: [
        apps,
        adGroup((scene) => ({
          ...app(scene, 'ANDROID'),
          operating_systems: ['ANDROID'],
          optimization_goal: 'VALUE',
          deep_bid_type: 'VO_MIN_ROAS',
          roas_bid: 1,
        })),
      ],
    },
    {
      id: 'budget-under-campaign-budget',
      question:
        'Is the budget of an ad group under a campaign budget ignored, and how are budget and bid_type returned?',
      doubt: 'Documented as ignored; never observed',
      exactMembers: ['budget', 'budget_mode', 'bid_type'],
      run: [
        campaign((scene) => ({
          budget_optimize_on: true,
          budget_mode: 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET',
          budget: amount(scene, 50),
        })),
        adGroup(),
        readGroup('budget', 'budget_mode', 'bid_type', 'pacing'),
      ],
    },
    {
      id: 'campaign-minimum',
      question: 'Is a campaign budget of less than 50 dollars a day refused?',
      doubt: 'The minimum is general knowledge',
      isRefused: true,
      run: [
        campaign(
          (scene) => ({
            budget_optimize_on: true,
            budget_mode: 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET',
            budget: amount(scene, 30),
          }),
          false,
        ),
      ],
    },
    {
      id: 'changed-objective',
      question: 'How is a change of objective_type refused?',
      doubt: 'Which fields cannot be changed is unconfirmed',
      isRefused: true,
      run: [
        campaign(),
        ({ adAccount, ids }) => ({
          method: 'POST',
          path: 'campaign/update',
          fields: { advertiser_id: adAccount.id, campaign_id: ids['campaign'], objective_type: 'REACH' },
        }),
      ],
    },
  ]),
];
