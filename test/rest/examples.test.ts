import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleIds } from '../../src/rest/examples.ts';
import { operations } from '../../src/operations/index.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { apiRequests, requests, sendExample, type ExampleRequest } from '../support/example-requests.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';
import { startReceiver, type Receiver } from '../webhooks/receiver.ts';

let app: TestApp;
let fixture: UserFixture;
let listing: UserFixture;
let receiver: Receiver;
beforeAll(async () => {
  app = await startTestApp();
  [fixture, listing, receiver] = await Promise.all([
    createUserFixture(app),
    createUserFixture(app, { platform: 'listing' }),
    startReceiver(),
  ]);
});
afterAll(() => Promise.all([app.stop(), receiver.stop()]));

const requestOf = (name: string): ExampleRequest =>
  apiRequests.find((request) => request.name === name) as ExampleRequest;

const send = (request: ExampleRequest, key: string, ids?: Record<string, string>): Promise<Answer> =>
  sendExample(app, request, { key, ids });

/** What is refused because of what exists, and not because of how the request is written. */
const refusedByState =
  /_not_found$|_not_empty$|_mismatch$|^platform_|^unsupported_|^linked_account_|^ads_connection_|^connection_failed$|^page_not_available$/;

describe('the examples of the OpenAPI document', () => {
  it('exist for every operation, with a value for each path parameter and a body where one is required', () => {
    expect(new Set(apiRequests.map(({ operation }) => operation.operationId)).size).toBe(operations.length + 1);
    expect(requests.filter(({ address }) => address.includes('{')).map(({ name }) => name)).toEqual([]);
    const lacking = apiRequests.filter(({ operation, body }) => operation.requestBody && body === undefined);
    expect(lacking.map(({ name }) => name)).toEqual([]);
  });

  // The platform ids do not exist, so that some requests find nothing; none may be refused as invalid.
  it.each(apiRequests)('are accepted as input, and answered with a declared status: $name', async (request) => {
    const { status, body } = await send(request, fixture.key, { [exampleIds.profile]: fixture.profileId });
    expect(Object.keys(request.operation.responses)).toContain(String(status));
    if (status >= 300) expect(body.code).toMatch(refusedByState);
  });
});

describe('the examples, sent with ids that exist', () => {
  const ids = (): Record<string, string> => ({
    [exampleIds.account]: fixture.accountId,
    [exampleIds.profile]: fixture.profileId,
    [`"${exampleIds.adAccount}"`]: `"${fixture.adAccountIds.usd}"`,
  });

  it.each(['createAd One ad', 'createAd Several ads'])('create ads: %s', async (name) => {
    expect((await send(requestOf(name), fixture.key, ids())).status).toBe(201);
  });

  it('check an ad without creating it', async () => {
    expect(await send(requestOf('createAd Dry run'), fixture.key, ids())).toMatchObject({
      status: 200,
      body: { valid: true },
    });
  });

  it('change, pause and duplicate what was created', async () => {
    const { body } = await app.call('POST', '/v1/ads/create', { key: fixture.key, body: goodAd(fixture) });
    const own = { [exampleIds.ad]: body.ad._id, [exampleIds.campaign]: body.ad.platformCampaignId };
    const names = ['ad', 'updateAd', 'setAdStatus', 'setCampaignStatus', 'duplicateCampaign'];
    const statuses: number[] = [];
    for (const name of names) statuses.push((await send(requestOf(name), fixture.key, own)).status);
    expect(statuses).toEqual(names.map(() => 200));
  });

  it('update a webhook, rotate its secret, test it, list its deliveries and delete it', async () => {
    const { body } = await send(requestOf('createWebhook'), fixture.key, {
      'https://shop.example/hooks': receiver.url,
    });
    const own = { [exampleIds.webhook]: body.webhook._id };
    const names = ['updateWebhook', 'rotateWebhookSecret', 'testWebhook', 'webhookDeliveries', 'deleteWebhook'];
    const statuses: number[] = [];
    for (const name of names) statuses.push((await send(requestOf(name), fixture.key, own)).status);
    expect(statuses).toEqual(names.map(() => 200));
  });

  it('read and change a listing', async () => {
    const own: Record<string, string> = { [exampleIds.account]: listing.accountId };
    const { body } = await send(requestOf('listingLocations'), listing.key, own);
    own[exampleIds.location] = body.locations[0].id;
    const names = [
      'selectListingLocation',
      'listingLocationsShort',
      'listingAttributes',
      'listingAttributeMetadata',
      'listingLocationDetails',
      'updateListingAttributes',
      'updateListingLocationDetails',
    ];
    const statuses: number[] = [];
    for (const name of names) statuses.push((await send(requestOf(name), listing.key, own)).status);
    expect(statuses).toEqual(names.map(() => 200));
  });
});

describe('successful answers', () => {
  it.each(operations.filter(({ method }) => method === 'GET').map(({ name }) => name))(
    'to the example of %s have the declared members if it succeeds',
    async (name) => {
      const own = { [exampleIds.account]: fixture.accountId, [exampleIds.profile]: fixture.profileId };
      const { status, body } = await send(requestOf(name), fixture.key, own);
      const route = operations.find((candidate) => candidate.name === name);
      if (status < 300) expect(route?.output.safeParse(body).error?.issues).toBeUndefined();
      else expect(body.code).toMatch(refusedByState);
    },
  );
});
