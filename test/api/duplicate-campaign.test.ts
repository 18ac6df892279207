import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { noFaults } from '../conformance/platforms.ts';
import { control } from '../services/duplications/fixture.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess } from '../support/process.ts';
import { follow } from '../support/stream.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp();
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

/** A campaign of so many ad sets with two ads each at the platform. */
async function plant(adSets: number): Promise<string> {
  const adsets = Array.from({ length: adSets }, (_, at) => ({
    name: `Set ${at}`,
    ads: [{ name: 'A' }, { name: 'B' }],
  }));
  const answer = await fetch(`${app.sandbox.url}/control/network-a/campaigns`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ adAccountId: fixture.adAccountIds.usd, campaigns: [{ name: 'Source', adsets }] }),
  });
  return ((await answer.json()) as { campaigns: { id: string }[] }).campaigns[0]?.id ?? '';
}

const duplicate = (campaignId: string, body: object = {}, key = fixture.key) =>
  app.call('POST', `/v1/ads/campaigns/${campaignId}/duplicate`, { key, body: { platform: 'network-a', ...body } });
const read = (id: string, key = fixture.key) => app.call('GET', `/v1/ads/campaigns/duplications/${id}`, { key });

async function ended(id: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { duplication } = (await read(id)).body;
    if (duplication.status !== 'running') return duplication;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('200', () => {
  it('makes a campaign without ads that can be switched like any other', async () => {
    const { body } = await duplicate(await plant(1), { deepCopy: false, syncAfter: false });
    const path = `/v1/ads/campaigns/${body.copiedCampaignId}/status`;
    const order = { platform: 'network-a', status: 'ACTIVE' };
    expect(await app.call('PUT', path, { key: fixture.key, body: order })).toMatchObject({
      status: 200,
      body: { success: true, status: 'ACTIVE' },
    });
    const other = await createUserFixture(app);
    expect(await app.call('PUT', path, { key: other.key, body: order })).toMatchObject({
      status: 404,
      body: { code: 'campaign_not_found' },
    });
  });

  it('answers a small copy whole, with the ids that the platform gave', async () => {
    const source = await plant(1);
    const { status, body } = await duplicate(source, { renameSuffix: ' (2)' });
    expect(status).toBe(200);
    expect(body).toEqual({
      copiedCampaignId: expect.stringMatching(/^\d+$/),
      discovery: 'triggered',
      raw: {
        copied_campaign_id: body.copiedCampaignId,
        ad_object_ids: expect.arrayContaining([
          { ad_object_type: 'campaign', source_id: source, copied_id: body.copiedCampaignId },
        ]),
      },
      duplicationId: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
    expect(body.raw.ad_object_ids).toHaveLength(4);
    expect((await read(body.duplicationId)).body.duplication).toMatchObject({ status: 'completed' });
  });

  it('answers a larger one early; the worker makes the rest, and the tree shows it', async () => {
    const source = await plant(3);
    const { body } = await duplicate(source, { syncAfter: false });
    expect(body.discovery).toBe('skipped');
    const duplication = await ended(body.duplicationId);
    expect(duplication).toMatchObject({
      status: 'completed',
      adSets: { copied: 3, total: 3 },
      ads: { copied: 6, total: 6 },
    });
    expect(duplication['objects']).toHaveLength(10);
    const tree = await app.call('GET', '/v1/ads/tree?limit=100', { key: fixture.key });
    const shown = tree.body.campaigns.find(
      (campaign: { platformCampaignId: string }) => campaign.platformCampaignId === body.copiedCampaignId,
    );
    expect(shown.adSets).toHaveLength(3);
    expect(shown.adSets.flatMap(({ ads }: { ads: object[] }) => ads)).toHaveLength(6);
  });

  it('is answered again under one Idempotency-Key, and nothing more is made', async () => {
    const source = await plant(1);
    const options = { key: fixture.key, body: { platform: 'network-a' }, headers: { 'Idempotency-Key': 'copy-1' } };
    const path = `/v1/ads/campaigns/${source}/duplicate`;
    const [first, second] = [await app.call('POST', path, options), await app.call('POST', path, options)];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('errors', () => {
  it('400 for what is wrong in the body, with every field named', async () => {
    const { status, body } = await duplicate('1', { platform: 'mars', statusOption: 'ON', deepcopy: true });
    expect(status).toBe(400);
    expect(Object.keys(body.details.fields)).toEqual(['platform', 'statusOption', 'deepcopy']);
  });

  it('401 without a key, 403 with a read-only one', async () => {
    expect((await app.call('POST', '/v1/ads/campaigns/1/duplicate', { body: {} })).status).toBe(401);
    const readOnly = await fixture.keyWith({ permission: 'read' });
    expect((await duplicate('1', {}, readOnly.key)).body.code).toBe('insufficient_permissions');
  });

  it('403 without ads access', async () => {
    const poor = await createUserFixture(app, { plan: 'free' });
    expect((await duplicate('1', {}, poor.key)).body.code).toBe('ads_access_required');
  });

  it('404 for an unknown campaign, and for a foreign duplication', async () => {
    expect((await duplicate('120999')).body).toMatchObject({ code: 'campaign_not_found', param: 'campaignId' });
    const { body } = await duplicate(await plant(1));
    const other = await createUserFixture(app);
    expect(await read(body.duplicationId, other.key)).toMatchObject({ status: 404, body: { code: 'job_not_found' } });
  });

  it('501 for other platforms', async () => {
    for (const platform of ['search-display', 'pin-board', 'microblog', 'professional']) {
      expect((await duplicate('1', { platform })).status).toBe(501);
    }
  });
});

const watching = 'subscription ($id: ID!) { duplicationProgress(duplicationId: $id) { status ads { copied total } } }';

const subscribe = (
  url: string,
  id: string,
  { key = fixture.key, signal }: { key?: string; signal?: AbortSignal } = {},
) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: watching, variables: { id } }),
    signal,
  });

/** The states that a subscription shows, until it ends. */
async function watch(url: string, id: string, key = fixture.key): Promise<any[]> {
  const response = await subscribe(url, id, { key });
  return [...(await response.text()).matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? ''));
}

describe('a watched duplication', () => {
  it('shows in another process where it stands and then every change, until it is over', async () => {
    const other = await startProcess({ ...app.env, ROLE: 'api' });
    // It is not over before it is watched.
    const slowly = { platform: 'network-a', fault: 'slow', match: { method: 'POST', path: '/copies$' }, times: 1_000 };
    await control(app.sandbox, 'faults', slowly);
    const { body } = await app.graphql(
      'mutation ($id: String!) { duplicateCampaign(campaignId: $id, input: { platform: NETWORK_A }) { duplicationId } }',
      { id: await plant(8) },
      { key: fixture.key },
    );
    const { duplicationId } = body.data.duplicateCampaign;
    const progress = `duplicationProgress(duplicationId: "${duplicationId}") { status ads { copied total } }`;
    const stream = await follow(other.url, fixture.key, progress);
    await expect.poll(() => stream.got.length).toBeGreaterThan(1);
    await noFaults(app);
    await stream.over;
    const states = stream.got.map(({ data }) => data?.['duplicationProgress'] as any);
    expect(states.at(-1)).toEqual({ status: 'COMPLETED', ads: { copied: 16, total: 16 } });
    const counts = states.map(({ ads }) => ads.copied);
    expect(counts).toEqual(counts.toSorted((a: number, b: number) => a - b));
    expect(states.length).toBeGreaterThan(2);
    await other.end('SIGTERM');
  });

  it('continues from the current state for a subscriber that reconnects to another process', async () => {
    const other = await startProcess({ ...app.env, ROLE: 'api' });
    const { body } = await duplicate(await plant(8), { syncAfter: false });
    const left = new AbortController();
    const stream = await subscribe(app.url, body.duplicationId, { signal: left.signal });
    const reader = stream.body?.getReader();
    const first = Buffer.from((await reader?.read())?.value ?? []).toString();
    left.abort();
    const seen = Number(/"copied":(\d+)/.exec(first)?.[1] ?? 0);
    const states = (await watch(other.url, body.duplicationId)).map(({ data }) => data.duplicationProgress);
    expect(Math.min(...states.map(({ ads }) => ads.copied))).toBeGreaterThanOrEqual(seen);
    expect(states.at(-1)).toEqual({ status: 'COMPLETED', ads: { copied: 16, total: 16 } });
    await other.end('SIGTERM');
  });

  it('is hidden alike from no key, a stranger and a key of other profiles, through all three APIs', async () => {
    const { body } = await duplicate(await plant(1), { syncAfter: false });
    const id = body.duplicationId;
    const query = `{ campaignDuplication(duplicationId: "${id}") { status } }`;
    const elsewhere = await app.call('POST', '/v1/profiles', { key: fixture.key, body: { name: newId() } });
    const { key: restricted } = await fixture.keyWith({ scope: 'profiles', profileIds: [elsewhere.body.profile._id] });
    const stranger = await createUserFixture(app);
    for (const key of [restricted, stranger.key]) {
      expect(await read(id, key)).toMatchObject({ status: 404, body: { code: 'job_not_found' } });
      const { errors } = (await app.graphql(query, {}, { key })).body;
      expect(errors).toMatchObject([{ extensions: { code: 'job_not_found' } }]);
      expect(await watch(app.url, id, key)).toMatchObject([{ errors: [{ extensions: { code: 'job_not_found' } }] }]);
    }
    expect((await app.call('GET', `/v1/ads/campaigns/duplications/${id}`, {})).status).toBe(401);
    expect((await app.graphql(query, {}, {})).body.errors[0].extensions.code).toBe('missing_credentials');
    expect((await subscribe(app.url, id, { key: '' })).status).toBe(401);
  });

  it('shows its end at once to who comes later, and nothing to a stranger', async () => {
    const { body } = await duplicate(await plant(1));
    expect(await watch(app.url, body.duplicationId)).toMatchObject([
      { data: { duplicationProgress: { status: 'COMPLETED' } } },
    ]);
    const stranger = await createUserFixture(app);
    expect(await watch(app.url, body.duplicationId, stranger.key)).toMatchObject([
      { errors: [{ extensions: { code: 'job_not_found' } }] },
    ]);
  });
});
