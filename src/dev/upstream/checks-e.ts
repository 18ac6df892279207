import { at, inDays, micros, rows, textAt, type Check, type MakeStep, type Scene } from './check.ts';

type Fields = Record<string, unknown>;

const account = ({ adAccount }: Scene): string => `accounts/${adAccount.id}`;
const instant = (days: number): string =>
  inDays(days)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z');

/** The first funding instrument that can be used. */
const funding: MakeStep = (scene) => ({
  path: `${account(scene)}/funding_instruments`,
  keeps: 'funding',
  idIn: (body) => {
    const all = at(body, 'data');
    const able = Array.isArray(all) ? all.find((one: unknown) => at(one, 'able_to_fund') === true) : undefined;
    return textAt(able, 'id');
  },
  isSetup: true,
});

const campaign =
  (fields: (scene: Scene) => Fields = () => ({}), isSetup = true): MakeStep =>
  (scene) => ({
    method: 'POST',
    path: `${account(scene)}/campaigns`,
    fields: {
      funding_instrument_id: scene.ids['funding'],
      name: scene.name,
      entity_status: 'PAUSED',
      daily_budget_amount_local_micro: micros(scene, 5),
      ...fields(scene),
    },
    makes: 'campaigns',
    keeps: 'campaign',
    isSetup,
  });

const lineItem =
  (fields: (scene: Scene) => Fields = () => ({}), isSetup = true): MakeStep =>
  (scene) => ({
    method: 'POST',
    path: `${account(scene)}/line_items`,
    fields: {
      campaign_id: scene.ids['campaign'],
      name: scene.name,
      product_type: 'PROMOTED_TWEETS',
      placements: 'ALL_ON_TWITTER',
      objective: 'ENGAGEMENTS',
      bid_strategy: 'AUTO',
      daily_budget_amount_local_micro: micros(scene, 5),
      start_time: instant(1),
      end_time: instant(10),
      entity_status: 'PAUSED',
      ...fields(scene),
    },
    makes: 'line_items',
    keeps: 'lineItem',
    isSetup,
  });

const country: MakeStep = () => ({
  path: 'targeting_criteria/locations',
  query: { location_type: 'COUNTRIES', q: 'United States' },
  keeps: 'country',
  idIn: (body) => textAt(body, 'data', 0, 'targeting_value'),
  isSetup: true,
});
const criterion =
  (fields: (scene: Scene) => Fields): MakeStep =>
  (scene) => ({
    method: 'POST',
    path: `${account(scene)}/targeting_criteria`,
    fields: { line_item_id: scene.ids['lineItem'], operator_type: 'NE', ...fields(scene) },
  });

/** The newest campaign, whose figures are asked for. */
const newest: MakeStep = (scene) => ({
  path: `${account(scene)}/campaigns`,
  query: { count: '1' },
  keeps: 'campaign',
  idIn: (body) => textAt(body, 'data', 0, 'id'),
  isSetup: true,
});
/** An hour of this day, in UTC. */
const hour = (days: number, hours: number): string => `${inDays(days).toISOString().slice(0, 10)}T0${hours}:00:00Z`;

export const checksE: Check[] = [
  ...rows('read', [
    {
      id: 'invalid-token',
      question: 'Does an invalid token get a code in words or a number?',
      doubt: 'The gateway of api.x.com answers numbers; ads-api.x.com was only seen with words',
      isRefused: true,
      run: [() => ({ path: 'accounts', token: 'not-a-token' })],
    },
    {
      id: 'locations-limit',
      question: 'How many searches for locations are allowed in 15 minutes?',
      doubt: 'Notes say 5, the documentation says 400 for targeting criteria',
      exactHeaders: ['x-rate-limit-limit'],
      run: [
        () => ({ path: 'targeting_criteria/locations', query: { location_type: 'COUNTRIES', q: 'United States' } }),
      ],
    },
    {
      id: 'total-within-day',
      question: 'Do figures with the granularity TOTAL accept a range that begins and ends within a day?',
      doubt: 'Midnight is demanded of days; whether of totals too is unpublished',
      run: [
        newest,
        (scene) => ({
          path: `stats/accounts/${scene.adAccount.id}`,
          query: {
            entity: 'CAMPAIGN',
            entity_ids: scene.ids['campaign'] ?? '',
            start_time: hour(-3, 5),
            end_time: hour(-1, 7),
            granularity: 'TOTAL',
            metric_groups: 'BILLING',
            placement: 'ALL_ON_TWITTER',
          },
        }),
      ],
    },
  ]),
  ...rows('write', [
    {
      id: 'campaign-defaults',
      question: 'Which budget_optimization has a campaign that names none?',
      doubt: 'The documentation says LINE_ITEM; public code expects CAMPAIGN',
      exactMembers: ['budget_optimization'],
      run: [funding, campaign(() => ({}), false)],
    },
    {
      id: 'campaign-budget-optimization',
      question: 'Is budget_optimization CAMPAIGN accepted?',
      doubt: 'The documentation knows LINE_ITEM only',
      isRefused: true,
      run: [funding, campaign(() => ({ budget_optimization: 'CAMPAIGN' }), false)],
    },
    {
      id: 'campaign-without-budget',
      question: 'Is a campaign without any budget refused?',
      doubt: 'Documented as required for most funding instruments; public code makes campaigns without',
      run: [funding, campaign(() => ({ daily_budget_amount_local_micro: undefined }), false)],
    },
    {
      id: 'line-item-defaults',
      question: 'Which bid_strategy and goal has a line item that names none, and which values has effective_status?',
      doubt: 'The documentation says it depends on the objective',
      exactMembers: ['bid_strategy', 'goal', 'effective_status'],
      run: [funding, campaign(), lineItem(() => ({ bid_strategy: undefined }), false)],
    },
    {
      id: 'excluded-location',
      question: 'Is operator_type NE accepted for a location?',
      doubt: 'Documented for keywords only',
      run: [
        country,
        funding,
        campaign(),
        lineItem(),
        criterion(({ ids }) => ({ targeting_type: 'LOCATION', targeting_value: ids['country'] })),
      ],
    },
    {
      id: 'excluded-audience',
      question: 'Is operator_type NE accepted for a custom audience?',
      doubt: 'General knowledge',
      needs: ['UPSTREAM_AUDIENCE'],
      run: [
        funding,
        campaign(),
        lineItem(),
        criterion(({ given }) => ({ targeting_type: 'CUSTOM_AUDIENCE', targeting_value: given['UPSTREAM_AUDIENCE'] })),
      ],
    },
    {
      id: 'large-batch',
      question: 'Is a batch of 41 targeting criteria accepted?',
      doubt: 'The documentation says 500; earlier notes say 40',
      run: [
        funding,
        campaign(),
        lineItem(),
        (scene) => ({
          method: 'POST',
          path: `batch/${account(scene)}/targeting_criteria`,
          fields: Array.from({ length: 41 }, (_, index) => ({
            operation_type: 'Create',
            params: {
              line_item_id: scene.ids['lineItem'],
              targeting_type: 'BROAD_KEYWORD',
              targeting_value: `verify ${index}`,
            },
          })),
        }),
      ],
    },
    {
      id: 'line-item-end',
      question: 'Can the end of a line item be changed while its campaign stays as it is?',
      doubt: 'That the end does not cascade is general knowledge',
      run: [
        funding,
        campaign(),
        lineItem(),
        (scene) => ({
          method: 'PUT',
          path: `${account(scene)}/line_items/${scene.ids['lineItem']}`,
          fields: { end_time: instant(5) },
        }),
        (scene) => ({ path: `${account(scene)}/campaigns/${scene.ids['campaign']}` }),
      ],
    },
  ]),
];
