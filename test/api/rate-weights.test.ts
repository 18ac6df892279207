import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { exampleIds } from '../../src/rest/examples.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { apiRequests, sendExample } from '../support/example-requests.ts';
import { onUpstreamRequest } from '../support/upstream-requests.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let ads: UserFixture;
let listing: UserFixture;

beforeAll(async () => {
  // Without workers, whatever a platform receives is from a request.
  app = await startTestApp({ ROLE: 'api' });
  [ads, listing] = await Promise.all([createUserFixture(app), createUserFixture(app, { platform: 'listing' })]);
});
afterAll(() => app.stop());

/** Requests to platforms by operation, for its examples with ids that exist. */
async function callsOfOperations(): Promise<Map<string, number>> {
  const idsOfNewAd = async (): Promise<Record<string, string>> => {
    const { body } = await app.call('POST', '/v1/ads/create', { key: ads.key, body: goodAd(ads) });
    const { _id, platformCampaignId, platformAdSetId } = body.ad;
    return {
      [exampleIds.profile]: ads.profileId,
      [exampleIds.adAccount]: ads.adAccountIds.usd,
      [exampleIds.ad]: _id,
      [exampleIds.campaign]: platformCampaignId,
      [exampleIds.adSet]: platformAdSetId,
    };
  };
  const shared = await idsOfNewAd();
  let calls = 0;
  const stop = onUpstreamRequest(() => calls++);
  const made = new Map<string, number>();
  // Other examples change the state of the ad that they share.
  const needsOwnAd = (name: string): boolean => /^(delete(Ad|AdSet|Campaign)|setCampaignStatus)$/.test(name);
  const isLast = (name: string): boolean =>
    /^(pauseEverything|liftStop|delete|disconnect)/.test(name) && !needsOwnAd(name);
  const ordered = [...apiRequests].toSorted(
    (a, b) => Number(isLast(a.operation.operationId ?? '')) - Number(isLast(b.operation.operationId ?? '')),
  );
  for (const request of ordered) {
    const name = request.operation.operationId?.replace(/Short$/, '') ?? '';
    const { key, accountId } = /[lL]isting/.test(name) ? listing : ads;
    const ids = needsOwnAd(name) ? await idsOfNewAd() : shared;
    const before = calls;
    await sendExample(app, request, { key, ids: { ...ids, [exampleIds.account]: accountId } });
    made.set(name, (made.get(name) ?? 0) + calls - before);
  }
  stop();
  return made;
}

/** Examples that count more than one unit and reach no platform here. */
const withoutCalls = [
  // Workers call the platform, or the endpoints of webhooks.
  'discoverCampaigns',
  'recoverDeliveries',
  'redeliver',
  'testWebhook',
  // Only some platforms are called, or not if the values are known from a call before.
  'adAccounts',
  'disconnectAccount',
  'listingAttributeMetadata',
  'setBudgetLimits',
  'startAdsConnect',
];

it('an operation that counts one unit calls no platform, and any other calls one', async () => {
  const made = await callsOfOperations();
  const reached = (name: string): boolean => (made.get(name) ?? 0) > 0;
  expect(operations.filter(({ name }) => !made.has(name))).toEqual([]);
  expect(operations.filter(({ name, weight }) => weight === 1 && reached(name)).map(({ name }) => name)).toEqual([]);
  const silent = operations.filter(({ name, weight }) => weight > 1 && !reached(name)).map(({ name }) => name);
  expect(silent.toSorted()).toEqual(withoutCalls.toSorted());
});
