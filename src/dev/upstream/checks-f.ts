import { amount, inDays, rows, type Check, type MakeStep, type Scene } from './check.ts';

type Fields = Record<string, unknown>;

const account = ({ adAccount }: Scene): string => `urn:li:sponsoredAccount:${adAccount.id}`;
const money = (scene: Scene, dollars: number): Fields => ({
  amount: String(amount(scene, dollars)),
  currencyCode: scene.adAccount.currency,
});
const run = (start: number, end?: number): Fields => ({
  runSchedule: {
    start: inDays(start).getTime(),
    ...(end !== undefined && { end: inDays(end).getTime() }),
  },
});

const group =
  (fields: (scene: Scene) => Fields = () => ({}), isSetup = true): MakeStep =>
  (scene) => ({
    method: 'POST',
    path: `adAccounts/${scene.adAccount.id}/adCampaignGroups`,
    fields: { account: account(scene), name: scene.name, status: 'PAUSED', ...run(1), ...fields(scene) },
    makes: 'adCampaignGroups',
    keeps: 'group',
    isSetup,
  });

const us = { include: { and: [{ or: { 'urn:li:adTargetingFacet:locations': ['urn:li:geo:103644278'] } }] } };
const germany = { include: { and: [{ or: { 'urn:li:adTargetingFacet:locations': ['urn:li:geo:101282230'] } }] } };

const campaign =
  (fields: (scene: Scene) => Fields = () => ({})): MakeStep =>
  (scene) => ({
    method: 'POST',
    path: `adAccounts/${scene.adAccount.id}/adCampaigns`,
    fields: {
      account: account(scene),
      campaignGroup: `urn:li:sponsoredCampaignGroup:${scene.ids['group']}`,
      associatedEntity: `urn:li:organization:${scene.adAccount.organizationId}`,
      name: scene.name,
      type: 'SPONSORED_UPDATES',
      format: 'STANDARD_UPDATE',
      objectiveType: 'WEBSITE_VISIT',
      optimizationTargetType: 'MAX_CLICK',
      costType: 'CPM',
      creativeSelection: 'OPTIMIZED',
      unitCost: money(scene, 0),
      dailyBudget: money(scene, 10),
      locale: { country: 'US', language: 'en' },
      offsiteDeliveryEnabled: false,
      audienceExpansionEnabled: false,
      politicalIntent: 'NOT_POLITICAL',
      status: 'PAUSED',
      ...run(1),
      targetingCriteria: us,
      ...fields(scene),
    },
    makes: 'adCampaigns',
    keeps: 'campaign',
  });

const setGroup =
  (status: string): MakeStep =>
  ({ adAccount, ids }) => ({
    method: 'POST',
    path: `adAccounts/${adAccount.id}/adCampaignGroups/${ids['group']}`,
    headers: { 'x-restli-method': 'PARTIAL_UPDATE' },
    fields: { patch: { $set: { status } } },
    ...(status === 'PENDING_DELETION' && { removes: 'group' }),
  });
const read =
  (kind: 'adCampaignGroups' | 'adCampaigns', id: string): MakeStep =>
  ({ adAccount, ids }) => ({ path: `adAccounts/${adAccount.id}/${kind}/${ids[id]}` });

const dynamic = (budget: (scene: Scene) => unknown) => (scene: Scene) => ({
  objectiveType: 'WEBSITE_VISIT',
  budgetOptimization: { budgetOptimizationStrategy: 'DYNAMIC', bidStrategy: 'MAXIMUM_DELIVERY' },
  dailyBudget: budget(scene),
});

export const checksF: Check[] = [
  ...rows('read', [
    {
      id: 'no-version',
      question: 'How is a call without LinkedIn-Version refused?',
      doubt: 'Code and message are unconfirmed',
      isRefused: true,
      run: [({ adAccount }) => ({ path: `adAccounts/${adAccount.id}`, version: '' })],
    },
    {
      id: 'ended-version',
      question: 'Is an ended version refused with 426 NONEXISTENT_VERSION?',
      doubt: 'The oldest version that the sandbox takes is a guess from release notes',
      isRefused: true,
      run: [({ adAccount }) => ({ path: `adAccounts/${adAccount.id}`, version: '202401' })],
    },
    {
      id: 'unknown-parameter',
      question: 'With which code is an unknown query parameter refused?',
      doubt: 'Unconfirmed',
      isRefused: true,
      run: [({ adAccount }) => ({ path: `adAccounts/${adAccount.id}?notAParameter=1` })],
    },
    {
      id: 'long-query',
      question: 'Is a query of more than 4,096 characters refused with 414?',
      doubt: 'The message is unconfirmed',
      isRefused: true,
      run: [({ adAccount }) => ({ path: `adAccounts/${adAccount.id}?fields=${'name,'.repeat(900)}id` })],
    },
    {
      id: 'typeahead-without-version',
      question: 'What does the search for places answer without queryVersion?',
      doubt: 'Unconfirmed',
      isRefused: true,
      run: [
        () => ({
          path: `adTargetingEntities?q=typeahead&facet=${encodeURIComponent('urn:li:adTargetingFacet:locations')}&query=Berlin`,
        }),
      ],
    },
    {
      id: 'rejected-code',
      question: 'How does the token endpoint refuse an authorization code?',
      doubt: 'Messages are unconfirmed',
      isRefused: true,
      needs: ['PLATFORM_F_CLIENT_ID', 'PLATFORM_F_CLIENT_SECRET'],
      run: [
        ({ config: { F } }) => ({
          method: 'POST',
          path: F.tokenUrl,
          token: '',
          form: {
            grant_type: 'authorization_code',
            code: 'not-a-code',
            client_id: F.clientId ?? '',
            client_secret: F.clientSecret ?? '',
            redirect_uri: 'https://example.com/callback',
          },
        }),
      ],
    },
  ]),
  ...rows('write', [
    {
      id: 'campaign',
      question: 'Does LinkedIn accept group and campaign of an order, and return them as the sandbox does?',
      doubt: 'Never sent to a live account',
      run: [group(), campaign(), read('adCampaignGroups', 'group'), read('adCampaigns', 'campaign')],
    },
    {
      id: 'start-in-past',
      question: 'Is a campaign refused whose start has passed?',
      doubt: 'Public practice sets it in the future; no refusal seen',
      isRefused: true,
      run: [group(() => run(0.5)), campaign(() => run(-0.5))],
    },
    {
      id: 'start-in-two-minutes',
      question: 'Is a start in two minutes early enough?',
      doubt: 'The earliest start is not documented',
      run: [group(() => run(2 / 1440)), campaign(() => run(2 / 1440))],
    },
    {
      id: 'group-daily-budget',
      question: 'Is the dailyBudget of a group an object with amount and currencyCode, or a bare number?',
      doubt: 'Example and schema table disagree',
      isRefused: true,
      run: [
        group(
          dynamic((scene) => money(scene, 10)),
          false,
        ),
        group(
          dynamic(() => 10),
          false,
        ),
      ],
    },
    {
      id: 'budget-under-dynamic-group',
      question: 'Is a campaign budget under a DYNAMIC group refused with CONDITIONAL_FIELD_NOT_ALLOWED?',
      doubt: 'General knowledge',
      isRefused: true,
      run: [group(dynamic((scene) => money(scene, 10))), campaign()],
    },
    {
      id: 'budget-too-low',
      question: 'With which code is a daily budget below 10 refused?',
      doubt: 'The code is that of a harvested registry; not seen',
      isRefused: true,
      run: [group(), campaign((scene) => ({ dailyBudget: money(scene, 1) }))],
    },
    {
      id: 'bid-too-low',
      question: 'Is a bid of 0.01 refused, and with which code?',
      doubt: 'The floors by audience are not known',
      isRefused: true,
      run: [
        group(),
        campaign(({ adAccount }) => ({
          optimizationTargetType: 'NONE',
          costType: 'CPC',
          unitCost: { amount: '0.01', currencyCode: adAccount.currency },
        })),
      ],
    },
    {
      id: 'lifetime-too-low',
      question: 'Does the minimum of a lifetime budget grow with the days?',
      doubt: 'General knowledge',
      isRefused: true,
      run: [
        group(),
        campaign((scene) => ({
          dailyBudget: undefined,
          totalBudget: money(scene, 20),
          pacingStrategy: 'LIFETIME',
          ...run(1, 60),
        })),
      ],
    },
    {
      id: 'two-faults',
      question: 'What does a refusal for two faults at once look like?',
      doubt: 'Said to be MULTIPLE_VALIDATIONS_FAILED with errorDetails; harvested, not seen',
      isRefused: true,
      run: [
        group(),
        campaign((scene) => ({ dailyBudget: money(scene, 1), locale: { country: 'US', language: 'zz' } })),
      ],
    },
    {
      id: 'political-in-eu',
      question: 'Is a political campaign in the EU refused?',
      doubt: 'Said not to be allowed; no refusal seen',
      isRefused: true,
      run: [group(), campaign(() => ({ politicalIntent: 'POLITICAL', targetingCriteria: germany }))],
    },
    {
      id: 'restore-archived-group',
      question: 'Can an archived group be set to PAUSED again, and what becomes of its campaigns?',
      doubt: 'Documented for ARCHIVED; that campaigns follow their group is general knowledge',
      exactMembers: ['status', 'servingStatuses'],
      run: [group(), campaign(), setGroup('ARCHIVED'), read('adCampaigns', 'campaign'), setGroup('PAUSED')],
    },
    {
      id: 'deleted-group',
      question: 'Can a group with campaigns be marked for deletion, and do they follow?',
      doubt: 'General knowledge',
      exactMembers: ['status', 'servingStatuses'],
      run: [group(), campaign(), setGroup('PENDING_DELETION'), read('adCampaigns', 'campaign')],
    },
    {
      id: 'back-to-draft',
      question: 'Is a status refused that returns to DRAFT?',
      doubt: 'Unconfirmed',
      isRefused: true,
      run: [group(), setGroup('DRAFT')],
    },
  ]),
];
