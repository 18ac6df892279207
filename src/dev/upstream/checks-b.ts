import { inDays, micros, rows, textAt, type Check, type MakeStep, type Scene } from './check.ts';

type Fields = Record<string, unknown>;

const customer = ({ adAccount: { id } }: Scene): string => `customers/${id.replaceAll('-', '')}`;
/** A day of the ad account, whose days are those of its time zone. */
const day = ({ adAccount: { timezone } }: Scene, days: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(inDays(days));
const networks = { targetGoogleSearch: true, targetSearchNetwork: true, targetContentNetwork: false };

const budgetIn = (body: unknown): { kind: string; id: string }[] => {
  const id = textAt(body, 'mutateOperationResponses', 0, 'campaignBudgetResult', 'resourceName');
  return id === undefined ? [] : [{ kind: 'campaignBudget', id }];
};

interface Tree {
  budget?: Fields;
  campaign?: Fields;
  more?: (customer: string) => Fields[];
}

/** A budget and a paused search campaign, and what belongs to them. */
const mutate =
  (tree: (scene: Scene) => Tree = () => ({}), isReal = false): MakeStep =>
  (scene) => {
    const own = customer(scene);
    const { budget, campaign, more } = tree(scene);
    const create = {
      resourceName: `${own}/campaigns/-2`,
      name: scene.name,
      status: 'PAUSED',
      advertisingChannelType: 'SEARCH',
      campaignBudget: `${own}/campaignBudgets/-1`,
      targetSpend: {},
      networkSettings: networks,
      containsEuPoliticalAdvertising: 'DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING',
      ...campaign,
    };
    const money = { amountMicros: String(micros(scene, 1)), deliveryMethod: 'STANDARD', explicitlyShared: false };
    return {
      method: 'POST',
      path: `${own}/googleAds:mutate`,
      fields: {
        mutateOperations: [
          { campaignBudgetOperation: { create: { resourceName: `${own}/campaignBudgets/-1`, ...(budget ?? money) } } },
          { campaignOperation: { create } },
          ...(more?.(own) ?? []),
        ],
        ...(!isReal && { validateOnly: true }),
      },
      ...(isReal && { makes: 'campaign', keeps: 'campaign', alsoMakes: budgetIn }),
    };
  };

const total = (scene: Scene, extra: Fields = {}): Fields => ({
  period: 'CUSTOM_PERIOD',
  totalAmountMicros: String(micros(scene, 1000)),
  explicitlyShared: false,
  ...extra,
});
const display = {
  advertisingChannelType: 'DISPLAY',
  targetSpend: undefined,
  maximizeConversions: undefined,
  manualCpc: {},
  networkSettings: { targetContentNetwork: true },
};
const group = (own: string): Fields => ({
  adGroupOperation: {
    create: {
      resourceName: `${own}/adGroups/-3`,
      name: 'verify',
      campaign: `${own}/campaigns/-2`,
      status: 'ENABLED',
      type: 'SEARCH_STANDARD',
    },
  },
});
const place = (own: string, id: string): Fields => ({
  campaignCriterionOperation: {
    create: { campaign: `${own}/campaigns/-2`, location: { geoTargetConstant: `geoTargetConstants/${id}` } },
  },
});
const query =
  (text: (scene: Scene) => string): MakeStep =>
  (scene) => ({ method: 'POST', path: `${customer(scene)}/googleAds:search`, fields: { query: text(scene) } });

export const checksB: Check[] = [
  ...rows('read', [
    {
      id: 'usable-interests',
      question: 'Can interests be filtered by taxonomy and availability?',
      doubt: 'Known from the protos only',
      run: [
        query(
          () =>
            "SELECT user_interest.user_interest_id, user_interest.name, user_interest.taxonomy_type FROM user_interest WHERE user_interest.taxonomy_type IN ('AFFINITY', 'IN_MARKET') AND user_interest.launched_to_all = TRUE LIMIT 5",
        ),
      ],
    },
    {
      id: 'kosovo',
      question: 'Under which constant does geoTargetConstants:suggest find Kosovo?',
      doubt: 'Outside ISO; unproven',
      exactMembers: ['resourceName', 'countryCode'],
      run: [
        () => ({
          method: 'POST',
          path: 'geoTargetConstants:suggest',
          fields: { locale: 'en', locationNames: { names: ['Kosovo'] } },
        }),
      ],
    },
    {
      id: 'no-token',
      question: 'With which code is a call without a token refused?',
      doubt: 'The code is unconfirmed',
      isRefused: true,
      run: [() => ({ path: 'customers:listAccessibleCustomers', token: '' })],
    },
    {
      id: 'ended-version',
      question: 'Is an ended version refused with UNSUPPORTED_VERSION?',
      doubt: 'No answer of an ended version was seen',
      isRefused: true,
      run: [() => ({ path: 'customers:listAccessibleCustomers', version: 'v21' })],
    },
    {
      id: 'rejected-code',
      question: 'How does the token endpoint refuse an authorization code?',
      doubt: 'The body is assumed',
      isRefused: true,
      needs: ['PLATFORM_B_CLIENT_ID', 'PLATFORM_B_CLIENT_SECRET'],
      run: [
        ({ config: { B } }) => ({
          method: 'POST',
          path: B.tokenUrl,
          token: '',
          form: {
            grant_type: 'authorization_code',
            code: 'not-a-code',
            client_id: B.clientId ?? '',
            client_secret: B.clientSecret ?? '',
            redirect_uri: 'https://example.com/callback',
          },
        }),
      ],
    },
  ]),
  ...rows('validate', [
    {
      id: 'campaign',
      question: 'Does Google accept budget, campaign, location and ad group of an order in one validated mutate?',
      doubt: 'Never sent to a live account',
      run: [
        mutate((scene) => ({
          campaign: { endDateTime: `${day(scene, 30)} 23:59:59` },
          more: (own) => [place(own, '2840'), group(own)],
        })),
      ],
    },
    {
      id: 'end-within-day',
      question:
        'Is an end that is not the end of a day refused with DATE_RANGE_ERROR_END_TIME_MUST_BE_THE_END_OF_A_DAY?',
      doubt: 'Known from the enum and from public reports; code and field path are assumed',
      isRefused: true,
      run: [mutate((scene) => ({ campaign: { endDateTime: `${day(scene, 30)} 07:00:00` } }))],
    },
    {
      id: 'display-total-budget',
      question: 'Is a total budget on DISPLAY refused with INVALID_PERIOD?',
      doubt: 'Documented as unsupported; the code was seen in one public thread',
      isRefused: true,
      run: [
        mutate((scene) => ({
          budget: total(scene),
          campaign: { ...display, endDateTime: `${day(scene, 30)} 23:59:59` },
        })),
      ],
    },
    {
      id: 'total-budget-too-long',
      question: 'Is a total budget for more than 90 days refused with DURATION_TOO_LONG_FOR_TOTAL_BUDGET?',
      doubt: 'Documented; the field path is assumed',
      isRefused: true,
      run: [mutate((scene) => ({ budget: total(scene), campaign: { endDateTime: `${day(scene, 120)} 23:59:59` } }))],
    },
    {
      id: 'total-budget-too-short',
      question: 'With which code is a total budget for less than three days refused?',
      doubt: 'The code is unconfirmed',
      isRefused: true,
      run: [mutate((scene) => ({ budget: total(scene), campaign: { endDateTime: `${day(scene, 1)} 23:59:59` } }))],
    },
    {
      id: 'shared-total-budget',
      question: 'Is a shared total budget refused, and with which code?',
      doubt: 'Unconfirmed',
      isRefused: true,
      run: [
        mutate((scene) => ({
          budget: total(scene, { explicitlyShared: true, name: scene.name }),
          campaign: { endDateTime: `${day(scene, 30)} 23:59:59` },
        })),
      ],
    },
    {
      id: 'long-campaign-name',
      question: 'Is a campaign name of 256 characters refused?',
      doubt: 'The maximum is unconfirmed',
      isRefused: true,
      run: [mutate(({ name }) => ({ campaign: { name: name.padEnd(256, 'x') } }))],
    },
    {
      id: 'duplicate-criterion',
      question: 'With which code is a location refused that is given twice?',
      doubt: 'The code is unconfirmed',
      isRefused: true,
      run: [mutate(() => ({ more: (own) => [place(own, '2840'), place(own, '2840')] }))],
    },
    {
      id: 'taiwan-and-hong-kong',
      question: 'Are Taiwan and Hong Kong accepted as locations by their ISO numbers?',
      doubt: 'The constants of places that are no sovereign states were never tried',
      run: [mutate(() => ({ more: (own) => [place(own, '2158'), place(own, '2344')] }))],
    },
    {
      id: 'keyword-characters',
      question: 'Is a keyword with an exclamation mark refused with KEYWORD_HAS_INVALID_CHARS?',
      doubt: 'The characters are those of public help pages',
      isRefused: true,
      run: [
        mutate(() => ({
          more: (own) => [
            group(own),
            {
              adGroupCriterionOperation: {
                create: { adGroup: `${own}/adGroups/-3`, keyword: { text: 'coats!', matchType: 'PHRASE' } },
              },
            },
          ],
        })),
      ],
    },
    {
      id: 'bidding-strategy-type',
      question: 'What does Google answer to the output field biddingStrategyType in a new campaign?',
      doubt: 'Public reports disagree: error 13 INTERNAL, or silently accepted',
      isRefused: true,
      run: [mutate(() => ({ campaign: { biddingStrategyType: 'TARGET_SPEND' } }))],
    },
    {
      id: 'eu-political',
      question: 'Does Google accept a campaign that declares political advertising in the EU?',
      doubt: 'General knowledge: accepted, but not served in the EU',
      run: [mutate(() => ({ campaign: { containsEuPoliticalAdvertising: 'CONTAINS_EU_POLITICAL_ADVERTISING' } }))],
    },
  ]),
  ...rows('write', [
    {
      id: 'after-campaign-removal',
      question: 'Which status have the budget and the ad groups of a removed campaign?',
      doubt: 'That the budget goes with its campaign and ad groups stay as they are is general knowledge',
      exactMembers: ['status'],
      run: [
        mutate(() => ({ more: (own) => [group(own)] }), true),
        (scene) => ({
          method: 'POST',
          path: `${customer(scene)}/googleAds:mutate`,
          fields: { mutateOperations: [{ campaignOperation: { remove: scene.ids['campaign'] } }] },
          removes: 'campaign',
        }),
        query(
          ({ ids }) =>
            `SELECT campaign.status, campaign_budget.status FROM campaign WHERE campaign.resource_name = '${ids['campaign']}'`,
        ),
        query(({ ids }) => `SELECT ad_group.status FROM ad_group WHERE campaign.resource_name = '${ids['campaign']}'`),
      ],
    },
  ]),
];
