import { inDays, micros, rows, textAt, type Check, type MakeStep, type Scene } from './check.ts';

type Fields = Record<string, unknown>;

const account = ({ adAccount }: Scene): string => `ad_accounts/${adAccount.id}`;
const seconds = (days: number): number => Math.floor(inDays(days).getTime() / 1000);

const campaign =
  (fields: (scene: Scene) => Fields = () => ({}), isSetup = false): MakeStep =>
  (scene) => ({
    method: 'POST',
    path: `${account(scene)}/campaigns`,
    fields: [
      {
        ad_account_id: scene.adAccount.id,
        name: scene.name,
        status: 'PAUSED',
        objective_type: 'CONSIDERATION',
        is_campaign_budget_optimization: true,
        is_flexible_daily_budgets: false,
        daily_spend_cap: micros(scene, 5),
        ...fields(scene),
      },
    ],
    makes: 'campaigns',
    keeps: 'campaign',
    isSetup,
  });

const adGroup =
  (fields: (scene: Scene) => Fields = () => ({})): MakeStep =>
  (scene) => ({
    method: 'POST',
    path: `${account(scene)}/ad_groups`,
    fields: [
      {
        campaign_id: scene.ids['campaign'],
        name: scene.name,
        status: 'PAUSED',
        billable_event: 'CLICKTHROUGH',
        bid_strategy_type: 'AUTOMATIC_BID',
        budget_type: 'CBO_ADGROUP',
        pacing_delivery_type: 'STANDARD',
        placement_group: 'ALL',
        auto_targeting_enabled: true,
        targeting_spec: { LOCATION: ['US'] },
        ...fields(scene),
      },
    ],
    makes: 'ad_groups',
    keeps: 'adGroup',
  });

const unoptimized = (objective: string): MakeStep =>
  campaign(() => ({ objective_type: objective, is_campaign_budget_optimization: false, daily_spend_cap: undefined }));
const setStatus =
  (status: string): MakeStep =>
  (scene) => ({
    method: 'PATCH',
    path: `${account(scene)}/campaigns`,
    fields: [{ id: scene.ids['campaign'], ad_account_id: scene.adAccount.id, status }],
  });
const report =
  (ids: (scene: Scene) => string[], query: Record<string, string | string[]> = {}): MakeStep =>
  (scene) => ({
    path: `${account(scene)}/campaigns/analytics`,
    query: {
      campaign_ids: ids(scene),
      columns: 'SPEND_IN_MICRO_DOLLAR,TOTAL_IMPRESSION',
      granularity: 'TOTAL',
      start_date: inDays(-7).toISOString().slice(0, 10),
      end_date: inDays(0).toISOString().slice(0, 10),
      ...query,
    },
  });
/** The newest campaign, whose figures are asked for; it exists wherever discovery found one. */
const newest: MakeStep = (scene) => ({
  path: `${account(scene)}/campaigns`,
  query: { page_size: '1' },
  keeps: 'campaign',
  idIn: (body) => textAt(body, 'items', 0, 'id'),
  isSetup: true,
});
const own = ({ ids }: Scene): string[] => [ids['campaign'] ?? ''];

export const checksC: Check[] = [
  ...rows('read', [
    {
      id: 'repeated-columns',
      question: 'What does Pinterest answer to columns that are repeated instead of separated by commas?',
      doubt: 'The reaction to the wrong form is unproven',
      isRefused: true,
      run: [newest, report(own, { columns: ['SPEND_IN_MICRO_DOLLAR', 'TOTAL_IMPRESSION'] })],
    },
    {
      id: 'analytics-id-limit',
      question: 'Are 251 ids refused in one request for figures, and how?',
      doubt: 'The specification says 250; the refusal is unconfirmed',
      isRefused: true,
      run: [newest, report((scene) => Array.from({ length: 251 }, () => own(scene)[0] ?? ''))],
    },
    {
      id: 'analytics-week',
      question: 'Is the granularity WEEK accepted, or WEEKLY?',
      doubt: 'Two versions of the specification use different words',
      isRefused: true,
      run: [newest, report(own, { granularity: 'WEEK' }), report(own, { granularity: 'WEEKLY' })],
    },
    {
      id: 'misspelt-column',
      question: 'Is an unknown column refused?',
      doubt: 'If it were left out, a column that is missing could be unknown instead of zero',
      isRefused: true,
      run: [newest, report(own, { columns: 'SPEND_IN_MICRO_DOLARS' })],
    },
    {
      id: 'reporting-time-zone',
      question: 'Does a request for figures accept the time zone of the ad account?',
      doubt: 'Documented for some requests only, so days of figures are UTC',
      run: [newest, report(own, { reporting_timezone: 'AD_ACCOUNT_TIME_ZONE' })],
    },
    {
      id: 'rejected-code',
      question: 'With which code and message is an authorization code refused?',
      doubt: 'The documentation has no bodies for it',
      isRefused: true,
      needs: ['PLATFORM_C_CLIENT_ID', 'PLATFORM_C_CLIENT_SECRET'],
      run: [
        ({ config: { C } }) => ({
          method: 'POST',
          path: 'oauth/token',
          token: '',
          headers: { authorization: `Basic ${Buffer.from(`${C.clientId}:${C.clientSecret}`).toString('base64')}` },
          form: { grant_type: 'authorization_code', code: 'not-a-code', redirect_uri: 'https://example.com/callback' },
        }),
      ],
    },
  ]),
  ...rows('write', [
    {
      id: 'campaign',
      question: 'Does Pinterest accept campaign and ad group of an order, without a bid?',
      doubt: 'Never sent to a live account; the documentation makes no exception from the bid for AUTOMATIC_BID',
      run: [campaign(), adGroup()],
    },
    {
      id: 'awareness-without-bid',
      question: 'Does Pinterest accept an awareness ad group with AUTOMATIC_BID and no bid?',
      doubt: 'The documentation makes no exception from the bid for AUTOMATIC_BID',
      run: [campaign(() => ({ objective_type: 'AWARENESS' }), true), adGroup(() => ({ billable_event: 'IMPRESSION' }))],
    },
    {
      id: 'without-budget-optimization',
      question: 'For which objectives are campaigns without campaign budget optimization refused?',
      doubt: 'Stated by staff in issues; which accounts and objectives exactly is not known',
      isRefused: true,
      run: ['AWARENESS', 'CONSIDERATION', 'VIDEO_COMPLETION'].map(unoptimized),
    },
    {
      id: 'ad-group-times',
      question: 'Is end_time on an ad group refused under campaign budget optimization?',
      doubt: 'Documented as a closed beta',
      isRefused: true,
      run: [campaign(() => ({ end_time: seconds(30) }), true), adGroup(() => ({ end_time: seconds(20) }))],
    },
    {
      id: 'lifetime-without-end',
      question: 'Is a lifetime_spend_cap without end_time refused, and with which code?',
      doubt: 'Codes of elements are unconfirmed',
      isRefused: true,
      run: [campaign((scene) => ({ daily_spend_cap: undefined, lifetime_spend_cap: micros(scene, 50) }))],
    },
    {
      id: 'element-code',
      question: 'With which code is an element refused whose name is empty?',
      doubt: 'The documentation has no codes for elements',
      isRefused: true,
      run: [campaign(() => ({ name: ' ' }))],
    },
    {
      id: 'web-conversion',
      question: 'Can campaigns still be created with the objective WEB_CONVERSION?',
      doubt: 'Two pages name different dates for its end',
      run: [campaign(() => ({ objective_type: 'WEB_CONVERSION' }))],
    },
    {
      id: 'children-of-archived',
      question: 'Which status have the ad groups of an archived campaign?',
      doubt: 'That they follow in effect is general knowledge',
      exactMembers: ['status', 'summary_status'],
      run: [
        campaign(() => ({}), true),
        adGroup(),
        setStatus('ARCHIVED'),
        (scene) => ({ path: `${account(scene)}/ad_groups/${scene.ids['adGroup']}` }),
      ],
    },
    {
      id: 'restore-archived',
      question: 'Can an archived campaign be set to PAUSED again?',
      doubt: 'General knowledge says no',
      isRefused: true,
      run: [campaign(() => ({}), true), setStatus('ARCHIVED'), setStatus('PAUSED')],
    },
  ]),
];
