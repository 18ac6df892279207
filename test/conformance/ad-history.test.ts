import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AdHistoryEntry } from '../../src/contract/ad-history.ts';
import { newId } from '../../src/lib/id.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';
import { fixtureOf, goodAdOf, subjects } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const outboxIsEmpty = async (userId: string): Promise<boolean> => {
  const { ads, adSets, campaigns } = app.app.services.db;
  const waiting = { userId, 'pendingEvents.0': { $exists: true } };
  const counts = [ads, adSets, campaigns].map((model) => (model as typeof ads).countDocuments(waiting));
  return (await Promise.all(counts)).every((count) => count === 0);
};

/** The history of an ad, oldest first. */
async function historyOf({ key, userId }: UserFixture, adId: string): Promise<AdHistoryEntry[]> {
  await expect.poll(() => outboxIsEmpty(userId)).toBe(true);
  const { status, body } = await app.call('GET', `/v1/ads/${adId}/history?limit=100`, { key });
  expect(status).toBe(200);
  return body.history.toReversed();
}

const requestsIn = (entries: AdHistoryEntry[]) =>
  entries.flatMap(({ steps }) => steps.flatMap(({ requests }) => requests));

/** What was sent carries its response and no secret. */
function expectSent(entries: AdHistoryEntry[], { token, key }: UserFixture): void {
  const requests = requestsIn(entries);
  expect(requests.length).toBeGreaterThan(0);
  for (const request of requests) {
    expect(request.method).toMatch(/^(POST|PUT|PATCH|DELETE)$/);
    expect([200, 201, 204]).toContain(request.status);
    expect(request.platformRequestId).toMatch(/^\S{8,}$/);
    expect(request.path).not.toMatch(/[?&]/);
  }
  const text = JSON.stringify(entries);
  for (const secret of [token, key]) expect(text).not.toContain(secret);
}

describe.each(subjects)('the history of an ad on platform $platform', (subject) => {
  let fixture: UserFixture;
  let ad: Answer['body'];

  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
    const body = goodAdOf(app, subject, fixture);
    ad = (await app.call('POST', '/v1/ads/create', { key: fixture.key, body })).body.ad;
  });

  it('has every step of its order with times, outcome and the ids of the platform', async () => {
    const entries = await historyOf(fixture, ad._id);
    expect(entries.map(({ action }) => action)).toEqual(['ad.created']);
    const steps = entries[0]!.steps;
    const idOf = (name: string) => steps.find((step) => step.name === name)?.platformId;
    expect(idOf('campaign')).toBe(ad.platformCampaignId);
    // B creates all objects with one request.
    const further = subject.platform === 'B' ? [undefined, undefined] : [ad.platformAdSetId, ad.platformAdId];
    expect([idOf('adSet'), idOf('ad.0')]).toEqual(further);
    for (const { state, startedAt, endedAt, errorCode } of steps) {
      expect([state, errorCode]).toEqual(['done', null]);
      expect(endedAt! >= startedAt).toBe(true);
    }
    expectSent(entries, fixture);
  });

  it('has a changed budget with its request', async () => {
    const answer = await app.call('PUT', `/v1/ads/${ad._id}`, { key: fixture.key, body: { budgetAmount: 41 } });
    expect(answer.status).toBe(200);
    const [, changed, ...others] = await historyOf(fixture, ad._id);
    expect(others).toEqual([]);
    expect(changed).toMatchObject({
      action: expect.stringMatching(/^(ad_set|campaign)\.budget_changed$/),
      changes: [{ field: 'budget', after: { amount: 41, type: 'daily' } }],
      steps: [{ name: 'change', state: 'done' }],
    });
    expectSent([changed!], fixture);
  });
});

describe('GET /v1/ads/{adId}/history and adHistory', () => {
  let fixture: UserFixture;
  const subject = subjects.find(({ platform }) => platform === 'A')!;
  const order = () => goodAdOf(app, subject, fixture);
  const create = (body: object, headers?: Record<string, string>) =>
    app.call('POST', '/v1/ads/create', { key: fixture.key, body, headers });
  const fault = (name: string, match: object, times = 1) =>
    fetch(`${app.sandbox.url}/control/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ platform: 'network-a', fault: name, match, times }),
    });

  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });

  it('200: shows a rejected step with the code and the id of the platform', async () => {
    await fault('policy_block', { method: 'POST', path: 'adsets$' });
    const idempotencyKey = newId();
    const body = order();
    const failed = await create(body, { 'Idempotency-Key': idempotencyKey });
    expect(failed.status).toBe(400);
    const [stored] = await app.app.services.db.ads.find({ userId: fixture.userId }).sort({ _id: -1 }).lean();
    const created = await create(body, { 'Idempotency-Key': idempotencyKey });
    expect(created.status).toBe(201);
    const entries = await historyOf(fixture, stored!._id);
    expect(entries.map(({ action }) => action)).toEqual(['ad.failed', 'ad.created']);
    const refused = entries[0]!.steps.find(({ name }) => name === 'adSet');
    expect(refused).toMatchObject({
      state: 'refused',
      platformId: null,
      errorCode: expect.stringMatching(/^\d+$/),
      requests: [{ method: 'POST', status: 400, platformRequestId: expect.any(String) }],
    });
    // What was sent once is shown once.
    const campaigns = requestsIn(entries).filter(({ path }) => path.endsWith('/campaigns'));
    expect(campaigns).toHaveLength(1);
  });

  it('200: shows a request without response, and what became of it', async () => {
    await fault('reset_after', { method: 'POST', path: 'campaigns$' });
    expect((await create(order())).status).toBe(502);
    const [stored] = await app.app.services.db.ads.find({ userId: fixture.userId }).sort({ _id: -1 }).lean();
    const [entry] = await historyOf(fixture, stored!._id);
    expect(entry).toMatchObject({
      action: 'ad.unconfirmed',
      steps: [{ name: 'campaign', state: 'unknown', requests: [{ status: null, platformRequestId: null }] }],
    });
  });

  it('200: shows changes that failed with what was sent, and none that was not sent', async () => {
    const { ad } = (await create(order())).body;
    const put = (path: string, body: object) => app.call('PUT', `/v1/ads/${path}`, { key: fixture.key, body });
    expect((await put(ad._id, { budgetAmount: 0.1 })).status).toBe(400);
    await fault('policy_block', { method: 'POST', path: `${ad.platformAdSetId}$` });
    expect((await put(ad._id, { budgetAmount: 33 })).status).toBe(400);
    await fault('reset_after', { method: 'POST', path: `${ad.platformCampaignId}$` }, 3);
    const campaign = `campaigns/${ad.platformCampaignId}/status`;
    expect((await put(campaign, { platform: 'network-a', status: 'PAUSED' })).status).toBe(502);
    await fault('reset_after', { method: 'POST', path: `${ad.platformAdSetId}$` }, 3);
    const adSet = `ad-sets/${ad.platformAdSetId}`;
    expect((await put(adSet, { platform: 'network-a', status: 'PAUSED' })).status).toBe(502);
    const [, ...failed] = await historyOf(fixture, ad._id);
    expect(failed.map(({ action, steps }) => [action, steps.map(({ state }) => state)])).toEqual([
      ['ad.change_failed', ['refused']],
      ['campaign.change_failed', ['unknown']],
      ['ad_set.change_failed', ['unknown']],
    ]);
    expect(failed[0]?.steps).toMatchObject([{ errorCode: '368', requests: [{ status: 400 }] }]);
    // What can be repeated without effect is sent up to three times.
    expect(failed[1]?.steps[0]?.requests.map(({ status }) => status)).toEqual([null, null, null]);
    expect(failed[0]).toMatchObject({ actor: { type: 'api_key', keyId: fixture.keyId }, changes: [] });
  });

  it('200: returns the same in GraphQL, page by page', async () => {
    const { ad } = (await create(order())).body;
    for (const budgetAmount of [30, 31])
      await app.call('PUT', `/v1/ads/${ad._id}`, { key: fixture.key, body: { budgetAmount } });
    await app.call('DELETE', `/v1/ads/${ad._id}`, { key: fixture.key });
    const entries = (await historyOf(fixture, ad._id)).toReversed();
    expect(entries.map(({ action }) => action)).toEqual([
      'ad.removed',
      'ad_set.budget_changed',
      'ad_set.budget_changed',
      'ad.created',
    ]);
    expect(entries[0]?.steps[0]?.requests).toMatchObject([{ method: 'POST', status: 200 }]);
    const query = `query ($after: String) { adHistory(adId: "${ad._id}", first: 3, after: $after) {
      totalCount pageInfo { endCursor } nodes { id steps { name platformId requests { method path platformRequestId } } } } }`;
    const page = async (after?: string) =>
      (await app.graphql(query, { after }, { key: fixture.key })).body.data.adHistory;
    const first = await page();
    const second = await page(first.pageInfo.endCursor);
    expect(first.totalCount).toBe(4);
    expect([...first.nodes, ...second.nodes]).toMatchObject(
      entries.map(({ id, steps }) => ({
        id,
        steps: steps.map(({ name, platformId, requests }) => ({
          name,
          platformId,
          requests: requests.map(({ method, path, platformRequestId }) => ({ method, path, platformRequestId })),
        })),
      })),
    );
  });

  it('200: gives each ad of an order its own steps and those that all share', async () => {
    const { creatives: _none, ...plain } = order() as Record<string, unknown>;
    const { headline, body, imageUrl, linkUrl, callToAction, ...terms } = plain;
    const creative = { headline, body, imageUrl, linkUrl, callToAction };
    const { ads } = (await create({ ...terms, creatives: [creative, { ...creative, headline: 'Other' }] })).body;
    const names = (await historyOf(fixture, ads[1]._id)).flatMap(({ steps }) => steps.map(({ name }) => name));
    expect(names).toEqual(expect.arrayContaining(['campaign', 'adSet', 'ad.1']));
    expect(new Set(names).size).toBe(names.length);
    expect(JSON.stringify(await app.app.services.db.ads.findOne({ _id: ads[0]._id }).lean())).not.toContain('"calls"');
  });

  it('404: knows no ad of another user or profile', async () => {
    const { ad } = (await create(order())).body;
    const other = await createUserFixture(app);
    const { key } = await fixture.keyWith({ scope: 'profiles', profileIds: [newId()] });
    for (const one of [other.key, key]) {
      const rest = await app.call('GET', `/v1/ads/${ad._id}/history`, { key: one });
      expect(rest).toMatchObject({ status: 404, body: { code: 'ad_not_found', param: 'adId' } });
      const { body } = await app.graphql(`{ adHistory(adId: "${ad._id}") { nodes { id } } }`, {}, { key: one });
      expect(body.errors[0].extensions.code).toBe('ad_not_found');
    }
  });

  it('400 and 401: needs an id and a key', async () => {
    expect(await app.call('GET', '/v1/ads/x/history', { key: fixture.key })).toMatchObject({ status: 400 });
    expect(await app.call('GET', `/v1/ads/${newId()}/history`)).toMatchObject({ status: 401 });
    const { body } = await app.graphql('{ adHistory(adId: "x") { nodes { id } } }', {}, { key: fixture.key });
    expect(body.errors[0].extensions.code).toBe('invalid_field_value');
  });
});
