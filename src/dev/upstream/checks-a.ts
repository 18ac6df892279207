import { inDays, minor, rows, textAt, type Check, type MakeStep, type Scene } from './check.ts';

type Fields = Record<string, unknown>;

const only = { execution_options: ['validate_only'] };
const act = ({ adAccount: { id } }: Scene): string => `act_${id.replace(/^act_/, '')}`;

const campaign =
  (fields: (scene: Scene) => Fields = () => ({}), isReal = false): MakeStep =>
  (scene) => ({
    method: 'POST',
    path: `${act(scene)}/campaigns`,
    fields: {
      name: scene.name,
      objective: 'OUTCOME_TRAFFIC',
      status: 'PAUSED',
      special_ad_categories: [],
      is_adset_budget_sharing_enabled: false,
      ...fields(scene),
      ...(!isReal && only),
    },
    ...(isReal && { makes: 'campaign', keeps: 'campaign', isSetup: true }),
  });

const parent = (objective = 'OUTCOME_TRAFFIC'): MakeStep => campaign(() => ({ objective }), true);

const adSet =
  (fields: (scene: Scene) => Fields, isReal = false): MakeStep =>
  (scene) => ({
    method: 'POST',
    path: `${act(scene)}/adsets`,
    fields: {
      name: scene.name,
      campaign_id: scene.ids['campaign'],
      status: 'PAUSED',
      daily_budget: minor(scene, 10),
      billing_event: 'IMPRESSIONS',
      optimization_goal: 'LINK_CLICKS',
      destination_type: 'WEBSITE',
      targeting: { geo_locations: { countries: ['US'] } },
      ...fields(scene),
      ...(!isReal && only),
    },
    ...(isReal && { makes: 'adset', keeps: 'adset', isSetup: true }),
  });

const places = (...countries: string[]): Fields => ({
  targeting: { geo_locations: { countries }, targeting_automation: { advantage_audience: 0 } },
});

const creative =
  (button: string, value: (scene: Scene) => Fields, isReal = false): MakeStep =>
  (scene) => ({
    method: 'POST',
    path: `${act(scene)}/adcreatives`,
    fields: {
      name: scene.name,
      object_story_spec: {
        page_id: scene.given['UPSTREAM_PAGE'],
        link_data: {
          link: 'https://example.com/',
          message: scene.name,
          picture: 'https://www.facebook.com/images/fb_icon_325x325.png',
          call_to_action: { type: button, value: value(scene) },
        },
      },
      ...(!isReal && only),
    },
    ...(isReal && { makes: 'adcreative', keeps: 'creative', isSetup: true }),
  });

const app = ({ given }: Scene): Fields => ({
  optimization_goal: 'APP_INSTALLS',
  destination_type: 'APP',
  promoted_object: { application_id: given['UPSTREAM_APP'], object_store_url: given['UPSTREAM_STORE_URL'] },
});

export const checksA: Check[] = [
  ...rows('read', [
    {
      id: 'insights-default-fields',
      question: 'Which fields do insights have if none are requested?',
      doubt: 'Undocumented apart from the dates',
      run: [(scene) => ({ path: `${act(scene)}/insights`, query: { date_preset: 'last_7d' } })],
    },
    {
      id: 'rejected-code',
      question: 'With which code and subcode is an authorization code refused?',
      doubt: 'Messages and subcodes of refused codes are unconfirmed',
      isRefused: true,
      needs: ['PLATFORM_A_CLIENT_ID', 'PLATFORM_A_CLIENT_SECRET'],
      run: [
        ({ config: { A } }) => ({
          path: 'oauth/access_token',
          token: '',
          query: {
            client_id: A.clientId ?? '',
            client_secret: A.clientSecret ?? '',
            redirect_uri: 'https://example.com/callback',
            code: 'not-a-code',
          },
        }),
      ],
    },
    {
      id: 'without-app-proof',
      question: 'Does the app refuse calls without appsecret_proof?',
      doubt: 'Depends on the settings of the app; the refusal was not seen',
      needs: ['PLATFORM_A_CLIENT_SECRET'],
      run: [() => ({ path: 'me', query: { fields: 'id' }, isUnproven: true })],
    },
  ]),
  ...rows('validate', [
    {
      id: 'campaign',
      question: 'Does Meta accept the campaign that every order begins with?',
      doubt: 'Never sent to a live account',
      run: [campaign()],
    },
    {
      id: 'unknown-parameter',
      question: 'Does Meta ignore a parameter that it does not know?',
      doubt: 'The sandbox refuses it; the Graph API is said to ignore it',
      isRefused: true,
      run: [campaign(() => ({ not_a_parameter: '1' }))],
    },
    {
      id: 'no-special-categories',
      question: 'How does Meta refuse a campaign without special_ad_categories?',
      doubt: 'Code and named field of the refusal are assumed',
      isRefused: true,
      run: [campaign(() => ({ special_ad_categories: undefined as unknown }))],
    },
    {
      id: 'budget-too-low',
      question: 'Is a budget below the minimum refused with 100/1885272, and which field is named?',
      doubt: 'Subcode and named field are assumed',
      isRefused: true,
      run: [campaign(() => ({ daily_budget: '1', is_adset_budget_sharing_enabled: undefined as unknown }))],
    },
    {
      id: 'category-country',
      question: 'Does Meta accept a housing campaign with special_ad_category_country?',
      doubt: 'Which categories apply in which country is general knowledge',
      run: [campaign(() => ({ special_ad_categories: ['HOUSING'], special_ad_category_country: ['US'] }))],
    },
    {
      id: 'campaign-min-roas',
      question: 'Does Meta accept LOWEST_COST_WITH_MIN_ROAS together with a campaign budget?',
      doubt: 'No published source says at which level this strategy lives under a campaign budget',
      run: [
        campaign((scene) => ({
          objective: 'OUTCOME_SALES',
          daily_budget: minor(scene, 10),
          bid_strategy: 'LOWEST_COST_WITH_MIN_ROAS',
          is_adset_budget_sharing_enabled: undefined as unknown,
        })),
      ],
    },
    {
      id: 'lead-form-button',
      question: 'Does Meta refuse a lead form with the button BOOK_TRAVEL?',
      doubt: 'The list of buttons is general knowledge',
      needs: ['UPSTREAM_PAGE', 'UPSTREAM_LEAD_FORM'],
      run: [creative('BOOK_TRAVEL', ({ given }) => ({ lead_gen_form_id: given['UPSTREAM_LEAD_FORM'] }))],
    },
  ]),
  ...rows('write', [
    {
      id: 'repeated-url-tag',
      question: 'Does Meta accept url_tags with a key that the link has already?',
      doubt: 'What becomes of the value in the link is undocumented, so createAd rejects such a key',
      needs: ['UPSTREAM_PAGE'],
      run: [
        (scene) => ({
          ...creative('LEARN_MORE', () => ({ link: 'https://example.com/?utm_source=link' }), true)(scene),
          isSetup: false,
        }),
      ],
    },
    {
      id: 'app-without-user-os',
      question: 'Does Meta accept an app promotion ad set without targeting.user_os?',
      doubt: 'The only refusal seen (1487504) is of 2014',
      isRefused: true,
      needs: ['UPSTREAM_APP', 'UPSTREAM_STORE_URL'],
      run: [parent('OUTCOME_APP_PROMOTION'), adSet(app)],
    },
    {
      id: 'regional-regulation',
      question: 'Are ad sets for Taiwan, Singapore, Thailand and Brazil refused without a regional declaration?',
      doubt: 'Known from comments in public code only; no refusal seen',
      run: [parent(), ...['TW', 'SG', 'TH', 'BR'].map((code) => adSet(() => places(code)))],
    },
    {
      id: 'lifetime-minimum',
      question: 'Does the minimum of a lifetime budget grow with the days, and how is a lower one refused?',
      doubt: 'Known from one public thread',
      isRefused: true,
      run: [
        parent(),
        adSet((scene) => ({
          daily_budget: undefined as unknown,
          lifetime_budget: minor(scene, 2),
          end_time: inDays(60).toISOString(),
        })),
      ],
    },
    {
      id: 'promoted-object-mixture',
      question: 'Is a promoted object with members that its goal does not use refused?',
      doubt: 'Known from public threads only',
      isRefused: true,
      needs: ['UPSTREAM_PAGE', 'UPSTREAM_PIXEL'],
      run: [
        parent('OUTCOME_ENGAGEMENT'),
        adSet(({ given }) => ({
          optimization_goal: 'POST_ENGAGEMENT',
          destination_type: 'ON_POST',
          promoted_object: { page_id: given['UPSTREAM_PAGE'], pixel_id: given['UPSTREAM_PIXEL'] },
        })),
      ],
    },
    {
      id: 'video-goal-with-image',
      question: 'Does Meta refuse an image in an ad set that is optimized for video plays?',
      doubt: 'General knowledge; no refusal was published',
      isRefused: true,
      needs: ['UPSTREAM_PAGE'],
      run: [
        parent('OUTCOME_ENGAGEMENT'),
        adSet(() => ({ optimization_goal: 'THRUPLAY', destination_type: 'ON_VIDEO' }), true),
        creative('LEARN_MORE', () => ({ link: 'https://example.com/' }), true),
        (scene) => ({
          method: 'POST',
          path: `${act(scene)}/ads`,
          fields: {
            name: scene.name,
            adset_id: scene.ids['adset'],
            creative: { creative_id: scene.ids['creative'] },
            status: 'PAUSED',
            ...only,
          },
        }),
      ],
    },
    {
      id: 'housing-ages',
      question: 'Is an age range in a housing campaign for the United States refused?',
      doubt: 'Which rules of restricted categories are enforced in which country is not known',
      isRefused: true,
      run: [
        campaign(() => ({ special_ad_categories: ['HOUSING'], special_ad_category_country: ['US'] }), true),
        adSet(() => ({ targeting: { ...(places('US')['targeting'] as object), age_min: 30, age_max: 40 } })),
      ],
    },
    {
      id: 'children-of-deleted',
      question: 'Which effective status has the ad set of a deleted campaign?',
      doubt: 'That children follow their parent is general knowledge',
      exactMembers: ['status', 'effective_status'],
      run: [
        parent(),
        adSet(() => ({}), true),
        ({ ids }) => ({ method: 'DELETE', path: ids['campaign'] ?? '', removes: 'campaign' }),
        ({ ids }) => ({ path: ids['adset'] ?? '', query: { fields: 'status,effective_status' } }),
      ],
    },
    {
      id: 'copy-without-children',
      question: 'Does the answer to a copy without children list the copy itself?',
      doubt: 'Undocumented',
      run: [
        parent(),
        ({ ids }) => ({
          method: 'POST',
          path: `${ids['campaign']}/copies`,
          fields: { deep_copy: false, status_option: 'PAUSED' },
          makes: 'campaign',
          idIn: (body) => textAt(body, 'copied_campaign_id'),
        }),
      ],
    },
  ]),
];
