import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../src/lib/id.ts';
import { plant, type SourceTree } from './services/duplications/fixture.ts';
import { startTestApp, type Answer, type TestApp } from './support/app.ts';
import { createUserFixture, type UserFixture } from './support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
let poor: UserFixture;
let source: string;
const tree: SourceTree = { name: 'Spring', adSets: [{ name: 'Women', ads: [{ name: 'Coats' }] }] };

beforeAll(async () => {
  app = await startTestApp();
  fixture = await createUserFixture(app);
  poor = await createUserFixture(app, { plan: 'free' });
  source = await plantFor(fixture);
});
afterAll(() => app.stop());

const plantFor = ({ adAccountIds }: UserFixture): Promise<string> =>
  plant(app, { platform: 'network-a', adAccountId: adAccountIds.usd }, tree);

type Body = Record<string, unknown>;
interface Asked {
  campaignId?: string;
  body: Body;
  key?: string;
  idempotencyKey?: string;
}

const enumName = (value: unknown): unknown =>
  typeof value === 'string' ? value.toUpperCase().replaceAll('-', '_') : value;
const headersOf = ({ idempotencyKey }: Asked): Record<string, string> =>
  idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };

const byRest = (asked: Asked): Promise<Answer> =>
  app.call('POST', `/v1/ads/campaigns/${asked.campaignId ?? source}/duplicate`, {
    key: asked.key ?? fixture.key,
    body: asked.body,
    headers: headersOf(asked),
  });
const mutation =
  'mutation ($id: String!, $input: DuplicateCampaignInput!) { duplicateCampaign(campaignId: $id, input: $input) { copiedCampaignId discovery raw duplicationId warnings { param message } } }';
const byGraphql = ({ campaignId = source, ...asked }: Asked): Promise<Answer> =>
  app.graphql(
    mutation,
    { id: campaignId, input: { ...asked.body, platform: enumName(asked.body['platform']) } },
    { key: asked.key ?? fixture.key, headers: headersOf(asked) },
  );

interface Outcome {
  code?: string;
  param?: string;
  platform?: string;
  fields?: object;
}
const outcomeOf = ({ code, param, platform, details }: Body): Outcome => ({
  code: code as string,
  param: param as string,
  platform: platform as string,
  fields: (details as { fields?: object } | undefined)?.fields,
});

const past = '2020-01-01T00:00:00Z';
const refusals: [string, number, () => Promise<Asked>][] = [
  ['an end that is past', 400, async () => ({ body: { platform: 'network-a', endTime: past } })],
  ['a time without an offset', 400, async () => ({ body: { platform: 'network-a', startTime: '2030-01-01' } })],
  ['a suffix of control characters', 400, async () => ({ body: { platform: 'network-a', renameSuffix: '\u0007' } })],
  [
    'an account of another platform',
    400,
    async () => ({ body: { platform: 'network-c', accountId: fixture.accountId } }),
  ],
  ['an unknown key', 401, async () => ({ body: { platform: 'network-a' }, key: 'sk_unknown' })],
  [
    'a read-only key',
    403,
    async () => ({ body: { platform: 'network-a' }, key: (await fixture.keyWith({ permission: 'read' })).key }),
  ],
  ['a plan without ads', 403, async () => ({ body: { platform: 'network-a' }, key: poor.key })],
  ['a campaign that is not there', 404, async () => ({ campaignId: '120999', body: { platform: 'network-a' } })],
  [
    'a campaign of another user',
    404,
    async () => ({ campaignId: await plantFor(poor), body: { platform: 'network-a' } }),
  ],
  ['an account out of reach', 404, async () => ({ body: { platform: 'network-a', accountId: newId() } })],
  ...(['search-display', 'pin-board', 'microblog', 'professional'] as const).map(
    (platform): (typeof refusals)[number] => [platform, 501, async () => ({ body: { platform } })],
  ),
];

describe('a copy through both APIs', () => {
  it.each(refusals)('is refused in the same words: %s is %i', async (_what, status, ask) => {
    const asked = await ask();
    const [rest, graphql] = [await byRest(asked), await byGraphql(asked)];
    expect(rest.status).toBe(status);
    const { message, extensions } = graphql.body.errors[0];
    expect(outcomeOf(extensions)).toEqual(outcomeOf(rest.body));
    expect(message).toBe(rest.body.error);
  });

  it('is refused without a key', async () => {
    const rest = await app.call('POST', `/v1/ads/campaigns/${source}/duplicate`, { body: { platform: 'network-a' } });
    const graphql = await app.graphql(mutation, { id: source, input: { platform: 'NETWORK_A' } });
    expect([rest.status, rest.body.code]).toEqual([401, graphql.body.errors[0].extensions.code]);
  });

  it('is answered with the same members, and does the same', async () => {
    const body = { platform: 'network-a', renameStrategy: 'NO_RENAME', renameSuffix: ' 2', syncAfter: false };
    const rest = await byRest({ body });
    const graphql = (await byGraphql({ body })).body.data.duplicateCampaign;
    expect(rest.status).toBe(200);
    expect({ ...graphql, discovery: graphql.discovery.toLowerCase() }).toEqual({
      ...rest.body,
      copiedCampaignId: expect.stringMatching(/^\d+$/),
      duplicationId: expect.stringMatching(/^[0-9a-f]{24}$/),
      raw: { copied_campaign_id: graphql.copiedCampaignId, ad_object_ids: expect.any(Array) },
    });
    expect(graphql.copiedCampaignId).not.toBe(rest.body.copiedCampaignId);
    const kinds = (raw: { ad_object_ids: { ad_object_type: string; source_id: string }[] }) =>
      raw.ad_object_ids.map(({ ad_object_type: type, source_id: id }) => [type, id]);
    expect(kinds(graphql.raw)).toEqual(kinds(rest.body.raw));
  });

  it('does the same on D: what its empty list means, and what it answers', async () => {
    const user = await createUserFixture(app, { platform: 'network-c' });
    const adAccountId = user.connection.adAccounts?.[0]?.id ?? '';
    const campaignId = await plant(app, { platform: 'network-c', adAccountId }, tree);
    const body = { platform: 'network-c', syncAfter: false };
    for (const ask of [byRest, byGraphql]) {
      const unknown = await ask({ campaignId: '1750999999999999', body, key: user.key });
      expect(unknown.body.code ?? unknown.body.errors[0].extensions.code).toBe('campaign_not_found');
      expect(ask === byRest ? unknown.status : 404).toBe(404);
      const made = await ask({ campaignId, body, key: user.key });
      expect(made.body.data?.duplicateCampaign ?? made.body).toMatchObject({
        copiedCampaignId: expect.stringMatching(/^\d+$/),
        raw: { campaign_id: expect.stringMatching(/^\d+$/), campaign_name: 'Spring' },
      });
    }
  });

  it.each([
    ['rest-graphql', byRest, byGraphql],
    ['graphql-rest', byGraphql, byRest],
  ])('is made once under one Idempotency-Key, whichever comes first: %s', async (what, first, second) => {
    const asked = { body: { platform: 'network-a', syncAfter: false }, idempotencyKey: what };
    const idOf = ({ body }: Answer): string => (body.data?.duplicateCampaign ?? body).copiedCampaignId;
    const made = await first(asked);
    const again = await second(asked);
    expect(idOf(made)).toMatch(/^\d+$/);
    expect(idOf(again)).toBe(idOf(made));
    const other = await second({ ...asked, body: { ...asked.body, deepCopy: false } });
    expect(other.body.code ?? other.body.errors[0].extensions.code).toBe('idempotency_key_reused');
  });
});
