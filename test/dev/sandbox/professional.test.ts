import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { createProfessional } from '../../../src/dev/sandbox/professional/index.ts';
import { createState } from '../../../src/dev/sandbox/state.ts';
import {
  caller,
  campaignOf,
  atOnce,
  connect,
  control,
  creativeOf,
  groupOf,
  patch,
  postOf,
  refused,
  start,
  type Answer,
  type Call,
  type Fields,
  type Person,
} from './restli.ts';

let sandbox: Sandbox;
let person: Person;
let account: string;
let call: Call;

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  account = person.adAccounts[0]?.id ?? '';
  call = caller(sandbox.url, person.accessToken);
});
afterAll(() => sandbox.stop());

const own = (collection: string): string => `adAccounts/${account}/${collection}`;
const make = (collection: string, json: Fields): Promise<Answer> => call('POST', own(collection), { json });
const newGroup = async (extra: Fields = {}): Promise<string> =>
  (await make('adCampaignGroups', groupOf(account, extra))).id;
const campaign = async (extra: Fields = {}): Promise<Fields> =>
  campaignOf(account, await newGroup(), { associatedEntity: person.organizations[0]?.urn, ...extra });
const newCampaign = async (extra: Fields = {}): Promise<string> =>
  (await make('adCampaigns', await campaign(extra))).id;
let posts = 0;
const newPost = async (extra: Fields = {}): Promise<string> => {
  posts += 1;
  const json = postOf(person.organizations[0]?.urn, account, { commentary: `Number ${posts}`, ...extra });
  return (await call('POST', 'posts', { json })).id;
};

const dayMs = 86_400_000;
/** What a campaign or group is refused with, by the field and the code of the registry. */
const invalid = ({ field, code }: { field: string; code: string }): object => {
  const list = code.startsWith('CONDITIONAL_') ? 'conditionalInputErrors' : 'inputErrors';
  const entry = { code, input: { inputPath: { fieldPath: field } } };
  return { status: 400, body: { status: 400, code, errorDetails: { [list]: [entry] } } };
};

describe('headers and tokens', () => {
  it('refuses a request without the version or the protocol header, and a version that has ended', async () => {
    const path = `adAccounts/${account}`;
    expect(await call('GET', path, { headers: { 'LinkedIn-Version': undefined } })).toMatchObject({ status: 400 });
    expect(await call('GET', path, { headers: { 'X-Restli-Protocol-Version': undefined } })).toMatchObject({
      status: 400,
    });
    expect(await call('GET', path, { headers: { 'LinkedIn-Version': '202501' } })).toMatchObject({
      status: 426,
      body: { status: 426, code: 'NONEXISTENT_VERSION', message: 'Requested version 20250101 is not active' },
    });
  });

  it('refuses a missing, unknown, expired and revoked token each in its way', async () => {
    const { accessToken: token } = await connect(sandbox.url);
    expect(await call('GET', `adAccounts/${account}`, { token: null })).toMatchObject(refused(401, /Empty/));
    expect(await call('GET', `adAccounts/${account}`, { token: 'x' })).toMatchObject({
      status: 401,
      body: { serviceErrorCode: 65_600 },
    });
    for (const [action, serviceErrorCode] of [
      ['expire', 65_602],
      ['invalidate', 65_601],
    ] as const) {
      await control(sandbox.url, `tokens/${action}`, { token });
      expect(await call('GET', `adAccounts/${account}`, { token })).toMatchObject({
        status: 401,
        body: { serviceErrorCode },
      });
    }
    await control(sandbox.url, 'tokens/restore', { token });
    expect((await call('GET', 'adAccounts?q=search', { token })).status).toBe(200);
  });

  it('marks every answer with a request id, and errors as such', async () => {
    const { headers } = await call('GET', 'adAccounts/1');
    expect(headers.get('x-li-uuid')).toBeTruthy();
    expect(headers.get('x-restli-error-response')).toBe('true');
  });

  it('refuses other people, missing scopes and roles that only look', async () => {
    const other = await connect(sandbox.url);
    expect(await call('GET', `adAccounts/${account}`, { token: other.accessToken })).toMatchObject({ status: 403 });
    const reader = await connect(sandbox.url, { scopes: ['r_ads'] });
    const viewer = await connect(sandbox.url, { accountRole: 'VIEWER' });
    for (const { accessToken: token, adAccounts } of [reader, viewer]) {
      const id = adAccounts[0]?.id ?? '';
      expect((await call('GET', `adAccounts/${id}`, { token })).status).toBe(200);
      expect(await call('POST', `adAccounts/${id}/adCampaignGroups`, { json: groupOf(id), token })).toMatchObject(
        refused(403, /Not enough permissions/),
      );
    }
    const json = postOf(person.organizations[1]?.urn, account);
    expect(await call('POST', 'posts', { json })).toMatchObject(refused(403, /\/author/, { serviceErrorCode: 100 }));
  });
});

describe('the token address', () => {
  const exchange = async (fields: Record<string, string>): Promise<{ status: number; body: any }> => {
    const response = await fetch(`${sandbox.url}/professional/oauth/v2/accessToken`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'app', client_secret: 's', ...fields }),
    });
    return { status: response.status, body: await response.json() };
  };

  it('gives a new access token for a refresh token, which stays as it is until it is revoked', async () => {
    const { refreshToken: refresh_token } = await connect(sandbox.url);
    const order = { grant_type: 'refresh_token', refresh_token };
    for (let turn = 0; turn < 2; turn += 1) {
      const { body } = await exchange(order);
      expect(body).toMatchObject({ expires_in: 5_184_000, refresh_token });
      expect((await call('GET', 'adAccounts?q=search', { token: body.access_token })).status).toBe(200);
    }
    await control(sandbox.url, 'refresh-tokens/invalidate', { token: refresh_token });
    expect(await exchange(order)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('takes a code once, from the client and the address that asked, with the verifier of its challenge', () => {
    const platform = createProfessional(createState());
    const codeChallenge = createHash('sha256').update('verifier').digest('base64url');
    const code = platform.grant?.({ clientId: 'app', redirectUri: 'https://a.example/', codeChallenge, name: 'Ada' });
    const form = { grant_type: 'authorization_code', client_id: 'app', client_secret: 's', code: code ?? '' };
    const ask = (extra: Record<string, string>): unknown =>
      platform.answer({
        method: 'POST',
        path: '/oauth/v2/accessToken',
        query: {},
        rawQuery: '',
        body: {},
        form: { ...form, redirect_uri: 'https://a.example/', code_verifier: 'verifier', ...extra },
        bytes: Buffer.alloc(0),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        url: 'http://127.0.0.1/professional/oauth/v2/accessToken',
        token: undefined,
      });
    expect(ask({ redirect_uri: 'https://b.example/' })).toMatchObject({ body: { error: 'invalid_request' } });
    expect(ask({ code_verifier: 'other' })).toMatchObject({ body: { error: 'invalid_request' } });
    expect(ask({ client_id: 'other' })).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(ask({})).toMatchObject({ status: 200, body: { scope: expect.stringContaining('rw_ads') } });
    expect(ask({})).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(platform.people?.()).toMatchObject([{ name: 'Ada' }]);
  });
});

describe('accounts and organisations', () => {
  it('returns currency and reference: an organisation, and for the last account a person', async () => {
    const { body } = await call('GET', 'adAccounts?q=search&search=(status:(values:List(ACTIVE)),test:false)');
    expect(body).toMatchObject({
      elements: [
        {
          id: Number(account),
          currency: 'USD',
          reference: person.organizations[0]?.urn,
          servingStatuses: ['RUNNABLE'],
        },
        { currency: 'JPY', reference: `urn:li:person:${person.userId}` },
      ],
    });
    expect(person.adAccounts.map(({ organizationId }) => organizationId)).toEqual([
      person.organizations[0]?.id,
      undefined,
    ]);
  });

  it('lists the roles of the person', async () => {
    const { body } = await call('GET', 'organizationAcls?q=roleAssignee&state=APPROVED');
    expect(body.elements).toMatchObject([
      { role: 'ADMINISTRATOR', organization: person.organizations[0]?.urn, state: 'APPROVED' },
      { role: 'ANALYST' },
    ]);
  });
});

describe('campaign groups', () => {
  it('are made with their id in a header and nothing in the body', async () => {
    const made = await make('adCampaignGroups', groupOf(account));
    expect(made).toMatchObject({ status: 201, body: '', id: expect.stringMatching(/^\d+$/) });
    expect((await call('GET', `${own('adCampaignGroups')}/${made.id}`)).body).toMatchObject({
      id: Number(made.id),
      name: 'Spring sale',
      servingStatuses: ['CAMPAIGN_GROUP_START_DATE_HOLD'],
    });
  });

  it.each([
    ['a name beyond 100', { name: 'x'.repeat(101) }, /\/name :: length/],
    ['an unknown field', { colour: 'red' }, /\/colour :: unrecognized field/],
    ['a read-only field', { servingStatuses: [] }, /ReadOnly/],
    ['times that are text', { runSchedule: { start: '2027-01-01' } }, /cannot be coerced to Long/],
  ])('refuse the shape of %s', async (_what, extra, message) => {
    expect(await make('adCampaignGroups', groupOf(account, extra))).toMatchObject(refused(422, message));
  });

  it.each([
    [
      'a total budget without end',
      { totalBudget: { amount: '100', currencyCode: 'USD' } },
      { field: 'runSchedule/end', code: 'CONDITIONAL_MISSING_FIELD' },
    ],
    ['another account', { account: 'urn:li:sponsoredAccount:1' }, { field: 'account', code: 'MISMATCH_FIELDS' }],
    [
      'a start in the past',
      { runSchedule: { start: 1_700_000_000_000 } },
      { field: 'runSchedule/start', code: 'DATE_TOO_EARLY' },
    ],
  ])('refuse %s with a code of the registry', async (_what, extra, fault) => {
    expect(await make('adCampaignGroups', groupOf(account, extra))).toMatchObject(invalid(fault));
  });

  const ten = { amount: '10', currencyCode: 'USD' };
  const dynamic = {
    objectiveType: 'WEBSITE_VISIT',
    budgetOptimization: { budgetOptimizationStrategy: 'DYNAMIC', bidStrategy: 'MAXIMUM_DELIVERY' },
    dailyBudget: ten,
  };
  const missing = 'CONDITIONAL_MISSING_FIELD';
  it.each<[string, Fields, { field: string; code: string }]>([
    ['an objective', { objectiveType: undefined }, { field: 'objectiveType', code: missing }],
    ['a budget', { dailyBudget: undefined }, { field: 'dailyBudget', code: 'MISSING_FIELD' }],
    [
      'a bid strategy',
      { budgetOptimization: { budgetOptimizationStrategy: 'DYNAMIC' } },
      { field: 'budgetOptimization/bidStrategy', code: missing },
    ],
    [
      'ten dollars a day in total',
      { dailyBudget: undefined, totalBudget: ten, runSchedule: { start, end: start + 2 * dayMs } },
      { field: 'totalBudget/amount', code: 'FIELD_VALUE_TOO_LOW' },
    ],
  ])('that carry the budget are refused without %s', async (_what, extra, fault) => {
    const group = groupOf(account, { ...dynamic, ...extra });
    expect(await make('adCampaignGroups', group)).toMatchObject(invalid(fault));
  });

  it('that carry the budget have campaigns of the same objective and way to bid, without a budget', async () => {
    const id = await newGroup(dynamic);
    const own = { associatedEntity: person.organizations[0]?.urn };
    const made = (extra: Fields): Promise<Answer> => make('adCampaigns', campaignOf(account, id, { ...own, ...extra }));
    const shared = { dailyBudget: undefined };
    expect(await made({})).toMatchObject(invalid({ field: 'dailyBudget', code: 'CONDITIONAL_FIELD_NOT_ALLOWED' }));
    expect(await made({ ...shared, objectiveType: 'ENGAGEMENT' })).toMatchObject(
      invalid({ field: 'objectiveType', code: 'MISMATCH_FIELDS' }),
    );
    const manual = { optimizationTargetType: 'NONE', costType: 'CPC', unitCost: { amount: '3', currencyCode: 'USD' } };
    expect(await made({ ...shared, ...manual })).toMatchObject(
      invalid({ field: 'optimizationTargetType', code: 'INVALID_VALUE_FOR_FIELD' }),
    );
    expect(await made(shared)).toMatchObject({ status: 201 });
  });

  it('with a limit are not exceeded by a campaign', async () => {
    const end = start + 2 * dayMs;
    const total = (amount: string): Fields => ({ totalBudget: { amount, currencyCode: 'USD' } });
    const id = await newGroup({ ...total('100'), runSchedule: { start, end } });
    const lifetime = { dailyBudget: undefined, pacingStrategy: 'LIFETIME', runSchedule: { start, end } };
    const made = (amount: string): Promise<Answer> =>
      make(
        'adCampaigns',
        campaignOf(account, id, {
          associatedEntity: person.organizations[0]?.urn,
          ...lifetime,
          ...total(amount),
        }),
      );
    expect(await made('101')).toMatchObject(invalid({ field: 'totalBudget', code: 'CONDITIONAL_VALUE_TOO_HIGH' }));
    expect(await made('90')).toMatchObject({ status: 201 });
    expect(await patch(call, `${own('adCampaignGroups')}/${id}`, total('80'))).toMatchObject(
      invalid({ field: 'totalBudget', code: 'INSUFFICIENT_CAMPAIGN_GROUP_BUDGET' }),
    );
  });

  it('exist at both budget levels after found-campaigns, and the default group cannot be changed', async () => {
    const order = { adAccountId: account, isBackfilled: true };
    const { campaigns: found } = await control(sandbox.url, 'found-campaigns', order);
    expect(found.map(({ level }: Fields) => level)).toEqual(['campaign', 'ad_set']);
    const [shared, byDefault] = found;
    for (const { level, adSetIds } of found)
      for (const id of adSetIds) {
        const { dailyBudget } = (await call('GET', `${own('adCampaigns')}/${id}`)).body;
        expect(dailyBudget?.amount).toBe(level === 'campaign' ? undefined : '25');
      }
    const rename = (id: string): Promise<Answer> =>
      patch(call, `${own('adCampaignGroups')}/${id}`, { name: 'Renamed' });
    expect(await rename(shared.campaignId)).toMatchObject({ status: 204 });
    expect(await rename(byDefault.campaignId)).toMatchObject(
      refused(400, /default campaign group/, { code: 'CANNOT_UPDATE_BACKFILLED_CAMPAIGN_GROUPS' }),
    );
  });

  it('are made several at once, each for itself', async () => {
    const { body } = await call('POST', own('adCampaignGroups'), {
      json: { elements: [groupOf(account), groupOf(account, { name: undefined })] },
      headers: { 'X-RestLi-Method': 'BATCH_CREATE' },
    });
    expect(body.elements).toMatchObject([
      { status: 201, id: expect.stringMatching(/^\d+$/) },
      { status: 422, error: { message: expect.stringContaining('/name') } },
    ]);
  });
});

describe('campaigns', () => {
  const money = (amount: unknown, currencyCode = 'USD'): Fields => ({ amount, currencyCode });
  it.each([
    [
      'the plural of an objective',
      { objectiveType: 'WEBSITE_CONVERSIONS' },
      /"WEBSITE_CONVERSIONS" is not an enum symbol/,
    ],
    ...['WEBSITE_VISITS', 'VIDEO_VIEWS', 'JOB_APPLICANTS'].map((objectiveType) => [
      `the plural ${objectiveType}`,
      { objectiveType },
      new RegExp(`"${objectiveType}" is not an enum symbol`),
    ]),
    ['no political intent', { politicalIntent: undefined }, /\/politicalIntent :: field is required/],
    [
      'no word on offsite delivery',
      { offsiteDeliveryEnabled: undefined },
      /\/offsiteDeliveryEnabled :: field is required/,
    ],
    ['an amount that is a number', { dailyBudget: money(25) }, /cannot be coerced to String/],
    [
      'a place that is none',
      { targetingCriteria: { include: { and: [{ or: { 'urn:li:adTargetingFacet:locations': ['urn:li:geo:1'] } }] } } },
      /targeting entity/,
    ],
    ['no place', { targetingCriteria: { include: { and: [] } } }, /location/],
  ] as [string, Fields, RegExp][])('refuse the shape of %s', async (_what, extra, message) => {
    expect(await make('adCampaigns', await campaign(extra))).toMatchObject(refused(422, message));
  });

  const lifetime = (amount: string, end?: number): Fields => ({
    dailyBudget: undefined,
    totalBudget: money(amount),
    pacingStrategy: 'LIFETIME',
    runSchedule: { start, end },
  });
  const german = { include: { and: [{ or: { 'urn:li:adTargetingFacet:locations': ['urn:li:geo:101282230'] } }] } };
  it.each([
    ['no budget', { dailyBudget: undefined }, 'dailyBudget', 'MISSING_FIELD'],
    ['another currency', { dailyBudget: money('25', 'EUR') }, 'dailyBudget/currencyCode', 'MISMATCH_FIELDS'],
    ['a budget below ten dollars', { dailyBudget: money('9.99') }, 'dailyBudget/amount', 'FIELD_VALUE_TOO_LOW'],
    [
      'a lifetime budget below ten dollars a day',
      lifetime('29.99', start + 3 * dayMs),
      'totalBudget/amount',
      'FIELD_VALUE_TOO_LOW',
    ],
    ['a lifetime budget without end', lifetime('90'), 'runSchedule/end', 'CONDITIONAL_MISSING_FIELD'],
    [
      'an end before the start',
      { runSchedule: { start, end: start - 1 } },
      'runSchedule/end',
      'START_DATE_AFTER_END_DATE',
    ],
    ['a start in the past', { runSchedule: { start: Date.now() - 1 } }, 'runSchedule/start', 'DATE_TOO_EARLY'],
    ['a locale beyond the list', { locale: { country: 'US', language: 'de' } }, 'locale', 'INVALID_VALUE_FOR_FIELD'],
    [
      'a goal of another objective',
      { optimizationTargetType: 'MAX_LEAD' },
      'optimizationTargetType',
      'INVALID_VALUE_FOR_FIELD',
    ],
    ['manual bidding without bid', { optimizationTargetType: 'NONE' }, 'unitCost/amount', 'FIELD_VALUE_TOO_LOW'],
    [
      'a bid below the floor',
      { optimizationTargetType: 'NONE', unitCost: money('0.01') },
      'unitCost/amount',
      'FIELD_VALUE_TOO_LOW',
    ],
    [
      'a group that does not exist',
      { campaignGroup: 'urn:li:sponsoredCampaignGroup:1' },
      'campaignGroup',
      'FIELD_VALUE_DOES_NOT_EXIST',
    ],
    ['no organisation', { associatedEntity: undefined }, 'associatedEntity', 'CONDITIONAL_MISSING_FIELD'],
    [
      'political ads in the EU',
      { politicalIntent: 'POLITICAL', targetingCriteria: german },
      'politicalIntent',
      'CONDITIONAL_INVALID_VALUE',
    ],
    [
      'a place that is included and excluded',
      { targetingCriteria: { ...german, exclude: { or: german.include.and[0]?.or } } },
      'targetingCriteria/exclude',
      'FIELD_CANNOT_BE_BOTH_IN_INCLUDED_AND_EXCLUDED_TARGETING',
    ],
  ] as [string, Fields, string, string][])(
    'refuse %s with a code of the registry',
    async (_what, extra, field, code) => {
      expect(await make('adCampaigns', await campaign(extra))).toMatchObject(invalid({ field, code }));
    },
  );

  it('take political ads outside the EU', async () => {
    expect((await make('adCampaigns', await campaign({ politicalIntent: 'POLITICAL' }))).status).toBe(201);
    const swiss = { include: { and: [{ or: { 'urn:li:adTargetingFacet:locations': ['urn:li:geo:106693272'] } }] } };
    const targetingCriteria = { ...swiss, exclude: { or: german.include.and[0]?.or } };
    const answer = await make('adCampaigns', await campaign({ politicalIntent: 'POLITICAL', targetingCriteria }));
    expect(answer.status).toBe(201);
  });

  it('report several faults at once in the details, and none in the text', async () => {
    const extra = { dailyBudget: money('1'), associatedEntity: undefined };
    const { status, body } = await make('adCampaigns', await campaign(extra));
    expect({ status, body }).toMatchObject({
      status: 400,
      body: {
        code: 'MULTIPLE_VALIDATIONS_FAILED',
        errorDetails: {
          inputErrors: [{ code: 'FIELD_VALUE_TOO_LOW', input: { inputPath: { fieldPath: 'dailyBudget/amount' } } }],
          conditionalInputErrors: [
            { code: 'CONDITIONAL_MISSING_FIELD', input: { inputPath: { fieldPath: 'associatedEntity' } } },
          ],
        },
      },
    });
    expect(body.message).not.toMatch(/Budget|associatedEntity/);
  });

  it('keep the start once it has passed', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const soon = Date.now() + 60_000;
    const id = await newCampaign({ runSchedule: { start: soon } });
    const path = `${own('adCampaigns')}/${id}`;
    vi.setSystemTime(soon + 1);
    const { runSchedule } = (await call('GET', path)).body;
    expect(await patch(call, path, { runSchedule: { start } })).toMatchObject(
      invalid({ field: 'runSchedule/start', code: 'DATE_IMMUTABLE_WHEN_PASSED' }),
    );
    expect((await patch(call, path, { runSchedule: { ...runSchedule, end: start } })).status).toBe(204);
  });

  it('refuse an organisation that the person may not post for', async () => {
    const extra = { associatedEntity: person.organizations[1]?.urn };
    expect(await make('adCampaigns', await campaign(extra))).toMatchObject(refused(403, /associatedEntity/));
  });

  it('take a change of part of them, and nothing without the header that says so', async () => {
    const path = `${own('adCampaigns')}/${await newCampaign()}`;
    expect(await patch(call, path, { status: 'PAUSED', dailyBudget: money('30') })).toMatchObject({
      status: 204,
      body: '',
    });
    expect((await call('GET', path)).body).toMatchObject({
      status: 'PAUSED',
      dailyBudget: money('30'),
      version: { versionTag: '2' },
    });
    const deeper = { patch: { runSchedule: { $set: { end: start + 1 } } } };
    const headers = { 'X-RestLi-Method': 'PARTIAL_UPDATE' };
    expect((await call('POST', path, { json: deeper, headers })).status).toBe(204);
    expect((await call('GET', path)).body.runSchedule).toEqual({ start, end: start + 1 });
    expect((await call('POST', path, { json: { patch: { $set: { name: 'B' } } } })).status).toBe(400);
    expect(await patch(call, path, { objectiveType: 'ENGAGEMENT' })).toMatchObject(refused(422, /ReadOnly/));
    expect(await patch(call, path, { dailyBudget: money('1') })).toMatchObject(refused(400, /lower than 10/));
    expect(await patch(call, path, { status: 'DRAFT' })).toMatchObject(
      invalid({ field: 'status', code: 'STATUS_CHANGE_NOT_ALLOWED' }),
    );
  });

  it('widen their audience and have no objective unless they say so', async () => {
    const id = await newCampaign({ audienceExpansionEnabled: undefined, objectiveType: undefined });
    const { body } = await call('GET', `${own('adCampaigns')}/${id}`);
    expect(body).toMatchObject({ audienceExpansionEnabled: true });
    expect(body).not.toHaveProperty('objectiveType');
  });

  it('are deleted as drafts only, else marked for deletion for good', async () => {
    const [draft, paused] = [await newCampaign(), await newCampaign({ status: 'PAUSED' })];
    expect((await call('DELETE', `${own('adCampaigns')}/${draft}`)).status).toBe(204);
    expect((await call('GET', `${own('adCampaigns')}/${draft}`)).status).toBe(404);
    expect(await call('DELETE', `${own('adCampaigns')}/${paused}`)).toMatchObject({
      status: 422,
      body: { code: 'DELETE_ALLOWED_ONLY_FOR_DRAFT_STATUS' },
    });
    expect((await patch(call, `${own('adCampaigns')}/${paused}`, { status: 'PENDING_DELETION' })).status).toBe(204);
    expect((await patch(call, `${own('adCampaigns')}/${paused}`, { status: 'ACTIVE' })).status).toBe(400);
  });

  it('with the objective of conversions need one before activation', async () => {
    const id = await newCampaign({ objectiveType: 'WEBSITE_CONVERSION', optimizationTargetType: 'MAX_CONVERSION' });
    const path = `${own('adCampaigns')}/${id}`;
    expect(await patch(call, path, { status: 'ACTIVE' })).toMatchObject(refused(400, /conversion/));
    const json = { campaign: `urn:li:sponsoredCampaign:${id}`, conversion: person.conversionId };
    const key = `(campaign:${encodeURIComponent(json.campaign)},conversion:${encodeURIComponent(json.conversion)})`;
    expect((await call('PUT', `campaignConversions/${key}`, { json })).status).toBe(204);
    expect((await patch(call, path, { status: 'ACTIVE' })).status).toBe(204);
  });

  it('keep the tracking parameters that were put last, and none of another kind', async () => {
    const id = await newCampaign();
    const urn = `urn:li:sponsoredCampaign:${id}`;
    const path = `adTrackingParameters/(adEntity:(sponsoredCampaign:${encodeURIComponent(urn)}))`;
    expect((await call('GET', path)).status).toBe(404);
    const json = { dynamicValueParameters: { a: 'CREATIVE_ID' }, customValueParameters: { a: 'b' } };
    for (const put of [{ customValueParameters: { old: 'x' } }, json])
      expect((await call('PUT', path, { json: put })).status).toBe(204);
    expect((await call('GET', path)).body).toEqual({ adEntity: { sponsoredCampaign: urn }, ...json });
    for (const wrong of [{ dynamicValueParameters: { a: 'PLACEMENT' } }, { customValueParameters: ['a'] }, { a: 'b' }])
      expect((await call('PUT', path, { json: wrong })).status).toBe(422);
    expect((await call('DELETE', path)).status).toBe(400);
    const other = path.replace(id, '999');
    expect((await call('PUT', other, { json })).status).toBe(404);
  });

  it('in yen have no fractions', async () => {
    const [, yen] = person.adAccounts;
    const id = yen?.id ?? '';
    const made = await call('POST', `adAccounts/${id}/adCampaignGroups`, { json: groupOf(id) });
    const json = (amount: string): Fields =>
      campaignOf(id, made.id, {
        associatedEntity: person.organizations[0]?.urn,
        unitCost: money('0', 'JPY'),
        dailyBudget: money(amount, 'JPY'),
      });
    expect(await call('POST', `adAccounts/${id}/adCampaigns`, { json: json('1500.50') })).toMatchObject(
      refused(400, /no smaller unit/),
    );
    expect((await call('POST', `adAccounts/${id}/adCampaigns`, { json: json('1500') })).status).toBe(201);
  });
});

describe('creatives', () => {
  it('go by their URN, and serve once all above them is on', async () => {
    const campaignGroup = `urn:li:sponsoredCampaignGroup:${await newGroup(atOnce())}`;
    const id = await newCampaign({ campaignGroup, ...atOnce() });
    const { id: urn, status } = await make('creatives', creativeOf(id, await newPost()));
    expect({ status, urn }).toEqual({ status: 201, urn: expect.stringMatching(/^urn:li:sponsoredCreative:\d+$/) });
    const path = `${own('creatives')}/${encodeURIComponent(urn)}`;
    expect((await call('GET', path)).body).toMatchObject({ id: urn, isServing: false, review: { status: 'APPROVED' } });
    await patch(call, `${own('adCampaigns')}/${id}`, { status: 'ACTIVE' });
    expect((await call('GET', path)).body).toMatchObject({ isServing: true, servingHoldReasons: [] });
    expect((await patch(call, path, { intendedStatus: 'PAUSED' })).status).toBe(204);
    expect(await patch(call, path, { content: { reference: urn } })).toMatchObject(refused(422, /ReadOnly/));
    expect((await call('GET', `${own('creatives')}/${urn}`)).status).toBe(400);
  });

  it('are refused paused, without landing page, with a post that does not exist, and without a form for leads', async () => {
    const id = await newCampaign();
    const bare = await newPost({ contentLandingPage: undefined, contentCallToActionLabel: undefined });
    const leads = await newCampaign({ objectiveType: 'LEAD_GENERATION', optimizationTargetType: 'MAX_LEAD' });
    const form = { leadgenCallToAction: { destination: person.formId, label: 'SIGN_UP' } };
    const cases: [Fields, RegExp][] = [
      [creativeOf(id, await newPost(), { intendedStatus: 'PAUSED' }), /intendedStatus/],
      [creativeOf(id, bare), /landing page/],
      [creativeOf(id, 'urn:li:share:7000000000000000000'), /does not exist/],
      [creativeOf('1', bare), /campaign/],
      [creativeOf(leads, bare), /leadgenCallToAction/],
      [
        creativeOf(leads, bare, { leadgenCallToAction: { destination: 'urn:li:adForm:1', label: 'SIGN_UP' } }),
        /destination/,
      ],
    ];
    for (const [json, message] of cases) expect(await make('creatives', json)).toMatchObject(refused(422, message));
    expect((await make('creatives', creativeOf(leads, bare, form))).status).toBe(201);
    expect((await call('GET', `adForms/${encodeURIComponent(person.formId)}`)).body).toMatchObject({
      account: `urn:li:sponsoredAccount:${account}`,
    });
  });

  it('can bring their post along, which is taken back when they fail', async () => {
    const id = await newCampaign();
    const inline = (intendedStatus: string): Fields => ({
      creative: {
        campaign: `urn:li:sponsoredCampaign:${id}`,
        intendedStatus,
        inlineContent: { post: postOf(person.organizations[0]?.urn, account, { commentary: 'Inline' }) },
      },
    });
    const path = `${own('creatives')}?action=createInline`;
    expect((await call('POST', path, { json: inline('PAUSED') })).status).toBe(422);
    const { body } = await call('POST', path, { json: inline('ACTIVE') });
    expect(body.value.creative).toMatch(/^urn:li:sponsoredCreative:/);
  });

  it('do not serve before the start of what is above them', async () => {
    const id = await newCampaign();
    const { id: urn } = await make('creatives', creativeOf(id, await newPost()));
    await patch(call, `${own('adCampaigns')}/${id}`, { status: 'ACTIVE' });
    expect((await call('GET', `${own('creatives')}/${encodeURIComponent(urn)}`)).body).toMatchObject({
      isServing: false,
      servingHoldReasons: ['CAMPAIGN_START_DATE_HOLD', 'CAMPAIGN_GROUP_START_DATE_HOLD'],
    });
  });

  it.each([
    ['pending', 'PENDING', 'UNDER_REVIEW'],
    ['rejected', 'REJECTED', 'REJECTED'],
  ])('are %s in review where their name says so', async (word, status, hold) => {
    const name = `Sale [review:${word}]`;
    const { id } = await make('creatives', creativeOf(await newCampaign(), await newPost(), { name }));
    const { body } = await call('GET', `${own('creatives')}/${encodeURIComponent(id)}`);
    expect(body).toMatchObject({ review: { status }, servingHoldReasons: expect.arrayContaining([hold]) });
  });

  it('are not more than fifteen active in a campaign', async () => {
    const id = await newCampaign();
    for (let made = 0; made < 15; made += 1)
      expect((await make('creatives', creativeOf(id, await newPost()))).status).toBe(201);
    expect(await make('creatives', creativeOf(id, await newPost()))).toMatchObject(refused(422, /15 active/));
    expect((await make('creatives', creativeOf(id, await newPost(), { intendedStatus: 'DRAFT' }))).status).toBe(201);
  });
});
