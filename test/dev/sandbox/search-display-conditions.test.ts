import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import {
  caller,
  codesOf,
  connect,
  control,
  displayParts,
  operationsOf,
  placeOf,
  searchParts,
  type Answer,
  type Call,
  type Connection,
  type Fields,
  type Parts,
} from './search-ads.ts';

let sandbox: Sandbox;
let person: Connection;
let cid: string;

const call: Call = (...args) => caller(sandbox.url, person.accessToken)(...args);
const mutate = (operations: unknown, account = cid): Promise<Answer> =>
  call(`customers/${account}/googleAds:mutate`, { body: { mutateOperations: operations } });
const search = (query: string): Promise<Answer> => call(`customers/${cid}/googleAds:search`, { body: { query } });

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  cid = person.adAccounts[0]?.id ?? '';
});
afterAll(() => sandbox.stop());

describe('conditions of an account', () => {
  const account = async (
    conditions: Fields,
  ): Promise<{ id: string; send: (operations: Fields[]) => Promise<Answer> }> => {
    const own = await connect(sandbox.url, ['USD']);
    const id = own.adAccounts[0]?.id ?? '';
    await control(sandbox.url, `accounts/${id}`, conditions);
    const send = (mutateOperations: Fields[]): Promise<Answer> =>
      call(`customers/${id}/googleAds:mutate`, { body: { mutateOperations }, token: own.accessToken });
    return { id, send };
  };

  it.each([
    [{ access: 'READ_ONLY' }, 403, 'authorizationError.ACTION_NOT_PERMITTED'],
    [{ status: 'SUSPENDED' }, 403, 'authorizationError.CUSTOMER_NOT_ENABLED'],
    [{ lacksHecAgreement: true }, 400, 'campaignError.HEC_AGREEMENT_REQUIRED'],
    [{ campaignLimit: 0 }, 400, 'resourceCountLimitExceededError.ACCOUNT_LIMIT'],
  ])('%j refuses changes', async (conditions, status, code) => {
    const { id, send } = await account(conditions);
    const refused = await send(operationsOf(id, searchParts(id, 'Sale')));
    expect([refused.status, codesOf(refused)[0]]).toEqual([status, code]);
  });

  it('an older version hides the names of newer errors in the details', async () => {
    const { id, send } = await account({ hidesErrors: true });
    const { body } = await send(operationsOf(id, { ...searchParts(id, 'Sale'), budget: {} }));
    expect(body.error.details[0].errors[0]).toMatchObject({
      errorCode: { requestError: 'UNKNOWN' },
      details: { unpublishedErrorCode: 'FieldError.REQUIRED' },
    });
  });

  const total = { explicitlyShared: false, period: 'CUSTOM_PERIOD', totalAmountMicros: '90000000000' };
  const lastDay = (days: number): string => new Date(Date.UTC(2040, 0, days)).toISOString().slice(0, 10);
  const withTotal = (parts: Parts, days: number): Parts => ({
    ...parts,
    budget: total,
    campaign: {
      ...parts.campaign,
      startDateTime: '2040-01-01 00:00:00',
      endDateTime: `${lastDay(days)} 23:59:59`,
    },
  });

  it.each([
    [3, undefined],
    [90, undefined],
    [2, 'campaignError.NOT_COMPATIBLE_WITH_BUDGET_TYPE'],
    [91, 'campaignError.DURATION_TOO_LONG_FOR_TOTAL_BUDGET'],
  ])('a search campaign of %d days with a budget for the whole run is answered %s', async (days, code) => {
    const { id, send } = await account({});
    const answer = await send(operationsOf(id, withTotal(searchParts(id, 'Sale'), days)));
    expect(answer.status === 200 ? undefined : codesOf(answer)[0]).toBe(code);
  });

  it('rejects a budget for the whole run on display, and on search in an account without such budgets', async () => {
    const { id, send } = await account({ withoutTotalBudgets: ['SEARCH'] });
    const onDisplay = await send(operationsOf(id, withTotal(displayParts(id, 'Sale'), 10)));
    const onSearch = await send(operationsOf(id, withTotal(searchParts(id, 'Sale'), 10)));
    expect([codesOf(onDisplay)[0], codesOf(onSearch)[0]]).toEqual([
      'campaignBudgetError.INVALID_PERIOD',
      'campaignError.INCOMPATIBLE_BUDGET_TYPE',
    ]);
    expect(placeOf(onDisplay)).toBe('mutate_operations[1].campaign_operation.create.campaign_budget');
  });

  it('an old campaign without its declaration stops all others until it has one', async () => {
    const { id, send } = await account({});
    const { resourceName } = (await control(sandbox.url, `accounts/${id}/undeclared-campaign`, {})).body;
    const operations = operationsOf(id, searchParts(id, 'Sale'));
    expect(codesOf(await send(operations))).toEqual(['mutateError.EU_POLITICAL_ADVERTISING_DECLARATION_REQUIRED']);
    const containsEuPoliticalAdvertising = 'DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING';
    const update = { resourceName, containsEuPoliticalAdvertising };
    expect((await send([{ campaignOperation: { update, updateMask: 'containsEuPoliticalAdvertising' } }])).status).toBe(
      200,
    );
    expect((await send(operations)).status).toBe(200);
  });

  it('a manager has no campaigns', async () => {
    const id = person.managerId ?? '';
    expect(codesOf(await mutate(operationsOf(id, searchParts(id, 'Sale')), id))).toEqual([
      'operationAccessDeniedError.CREATE_OPERATION_NOT_PERMITTED',
    ]);
  });
});

describe('faults', () => {
  it('apply once to what a name says', async () => {
    const operations = operationsOf(cid, searchParts(cid, 'Odd [fault:rate_limited@adsets]'));
    const faulty = await mutate(operations);
    expect([faulty.status, codesOf(faulty)]).toEqual([429, ['quotaError.RESOURCE_TEMPORARILY_EXHAUSTED']]);
    expect(faulty.body.error.details[0].errors[0].details.quotaErrorDetails).toMatchObject({ retryDelay: '2s' });
    expect((await mutate(operations)).status).toBe(200);
  });

  it('leave an uncertain outcome that the name finds again', async () => {
    const name = 'Lost [fault:reset_after]';
    await expect(mutate(operationsOf(cid, searchParts(cid, name)))).rejects.toThrow();
    const { body } = await search(`SELECT campaign.id FROM campaign WHERE campaign.name = '${name}'`);
    expect(body.results).toHaveLength(1);
  });

  it.each([
    ['token_expired', 401, 'authenticationError.OAUTH_TOKEN_EXPIRED'],
    ['token_invalid', 401, 'authenticationError.OAUTH_TOKEN_REVOKED'],
    ['rate_limited_account', 429, 'quotaError.RESOURCE_TEMPORARILY_EXHAUSTED'],
    ['policy_block', 400, 'policyFindingError.POLICY_FINDING'],
    ['transient', 503, 'internalError.TRANSIENT_ERROR'],
    ['http_500', 500, 'internalError.INTERNAL_ERROR'],
  ])('have the platform’s envelope for %s', async (fault, status, code) => {
    const refused = await call('customers:listAccessibleCustomers', { headers: { 'X-Sandbox-Fault': fault } });
    expect([refused.status, codesOf(refused)]).toEqual([status, [code]]);
  });
});

describe('a restart', () => {
  it('keeps what was made', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
    const first = await startSandbox({ dataDir });
    const own = await connect(first.url, ['USD']);
    const account = own.adAccounts[0]?.id ?? '';
    const mutateOperations = operationsOf(account, searchParts(account, 'Kept'));
    const path = `customers/${account}/googleAds`;
    await caller(first.url, own.accessToken)(`${path}:mutate`, { body: { mutateOperations } });
    await first.stop();
    const second = await startSandbox({ dataDir });
    const query = "SELECT ad_group_ad.ad.id FROM ad_group_ad WHERE campaign.name = 'Kept'";
    const { body } = await caller(second.url, own.accessToken)(`${path}:search`, { body: { query } });
    expect(body.results).toHaveLength(1);
    await second.stop();
    rmSync(dataDir, { recursive: true });
  });
});
