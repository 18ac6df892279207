import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { goodAdOf, received, subjects, fixtureOf, type Subject } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

const subjectOf = (name: string): Subject => subjects.find(({ platform }) => platform === name) as Subject;
const mutation = 'mutation ($input: CreateAdInput!) { createAd(input: $input) { message valid } }';
const upperCase = ['goal', 'budgetType', 'callToAction', 'identityType'];
const forGraphql = (body: Record<string, unknown>): object =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, upperCase.includes(name) ? String(value).toUpperCase() : value]),
  );

/** Refused alike on both APIs, for a real order and a dry run, before the platform hears of it. */
async function refusedOnBothApis(subject: Subject, { key }: UserFixture, body: Record<string, unknown>, code: string) {
  const entries = await received(app, subject, async () => {
    for (const validateOnly of [false, true]) {
      const order = { ...body, validateOnly };
      const rest: Answer = await app.call('POST', '/v1/ads/create', { key, body: order });
      expect(rest).toMatchObject({ status: 422, body: { code, type: 'invalid_request_error' } });
      const { body: graphql } = await app.graphql(mutation, { input: forGraphql(order) }, { key });
      expect(graphql.errors).toMatchObject([{ extensions: { code, param: rest.body.param } }]);
    }
  });
  expect(entries.filter(({ path }) => !/adaccounts|oauth2\/advertiser|advertiser\/info/.test(path))).toEqual([]);
}

describe.each(['D', 'E'])('platform %s', (name) => {
  const subject = subjectOf(name);

  it('422: asks for its ads connection, and takes the ad of an account that has one', async () => {
    const without = await fixtureOf(app, subject, { connection: { adsConnected: false, adsToken: undefined } });
    await refusedOnBothApis(subject, without, goodAdOf(app, subject, without), 'ads_connection_required');
    const connected = await fixtureOf(app, subject);
    const body = goodAdOf(app, subject, connected);
    expect((await app.call('POST', '/v1/ads/create', { key: connected.key, body })).status).toBe(201);
    const graphql = await app.graphql(
      mutation,
      { input: forGraphql(goodAdOf(app, subject, connected)) },
      { key: connected.key },
    );
    expect(graphql.body).toMatchObject({ data: { createAd: { message: 'Ad created' } } });
  });
});

describe('a network-b account', () => {
  const subject = { ...subjectOf('A'), account: 'network-b' } as const;

  it('422: without a page needs the network-a account that it belongs to', async () => {
    const alone = await fixtureOf(app, subject, { connection: { pageId: undefined } });
    await refusedOnBothApis(subject, alone, goodAdOf(app, subject, alone), 'linked_account_required');
  });

  it('that hangs on a page advertises on the photo network alone, as its photo account', async () => {
    const linked = await fixtureOf(app, subject);
    const entries = await received(app, subject, async () => {
      const body = goodAdOf(app, subject, linked);
      const answer = await app.call('POST', '/v1/ads/create', { key: linked.key, body });
      expect(answer).toMatchObject({ status: 201, body: { ad: { platform: 'network-b' } } });
    });
    const sent = JSON.stringify(entries.filter(({ method }) => method === 'POST').map(({ body }) => body));
    expect(sent).toContain('"publisher_platforms":["instagram"]');
    expect(sent).toMatch(/"instagram_user_id":"\d+"/);
  });
});

describe('D as the connected person', () => {
  it('422: needs the posting account', async () => {
    const subject = subjectOf('D');
    const fixture = await fixtureOf(app, subject);
    await app.app.services.db.accounts.updateOne({ _id: fixture.accountId }, { encryptedToken: null });
    const body = { ...goodAdOf(app, subject, fixture), identityType: 'NETWORK_C_USER' };
    await refusedOnBothApis(subject, fixture, body, 'linked_account_required');
  });
});
