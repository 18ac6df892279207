import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { FixtureOptions } from '../support/user-fixture.ts';
import { goodAdOf, received, subjects, fixtureOf, type Entry, type Subject } from './platforms.ts';

type Body = Record<string, unknown>;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

const on = async (name: string, options?: FixtureOptions) => {
  const subject = subjects.find(({ platform }) => platform === name) as Subject;
  const fixture = await fixtureOf(app, subject, options);
  const ad = (extra: Body = {}): Body => ({ ...goodAdOf(app, subject, fixture), ...extra });
  const post = (body: Body): Promise<Answer> => app.call('POST', '/v1/ads/create', { key: fixture.key, body });
  /** What the platform was asked to write, and how. */
  const writes = async (body: Body, status = 201): Promise<Entry[]> => {
    const entries = await received(app, subject, async () => {
      expect(await post(body)).toMatchObject({ status });
    });
    return entries.filter(({ method }) => method !== 'GET');
  };
  const kept = async (): Promise<Body> =>
    (await app.app.services.db.accounts.findOne({ _id: fixture.accountId }).lean().orFail()).platformState as Body;
  return { subject, fixture, ad, post, writes, kept };
};
const sentTo = (entries: Entry[], path: RegExp): Body[] =>
  entries.filter((entry) => path.test(entry.path)).map(({ body }) => body as Body);

describe('C', () => {
  it('makes a board where none is named, once, and keeps it on the account', async () => {
    const { ad, writes, kept } = await on('C');
    const first = await writes(ad());
    const boards = sentTo(first, /\/boards$/);
    const { boardId } = await kept();
    expect(boardId).toMatch(/^\d+$/);
    expect(boards.length).toBeLessThanOrEqual(1);
    expect(sentTo(first, /\/pins$/)).toMatchObject([{ board_id: boardId }]);
    const second = await writes(ad());
    expect(sentTo(second, /\/boards$/)).toEqual([]);
    expect(sentTo(second, /\/pins$/)).toMatchObject([{ board_id: boardId }]);
  });

  it('takes the board that is named, and says which when there is none such', async () => {
    const { ad, post, writes, fixture } = await on('C');
    const [board] = (fixture.connection as unknown as { boards: { id: string }[] }).boards;
    const made = await writes(ad({ boardId: board?.id }));
    expect(sentTo(made, /\/boards$/)).toEqual([]);
    expect(sentTo(made, /\/pins$/)).toMatchObject([{ board_id: board?.id }]);
    expect(await post(ad({ boardId: '1' }))).toMatchObject({ status: 400, body: { param: 'boardId' } });
  });

  it('takes an exception under a 200 for a refusal', async () => {
    const { ad, post } = await on('C');
    const answer = await post(ad({ audienceId: '9876543210' }));
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'platform_api_error', platformError: { message: 'Audience 9876543210 not found.' } },
    });
  });
});

describe('D', () => {
  const brandIdentity = (): Body => ({
    displayName: 'Garden Shop',
    imageUrl: `${app.sandbox.url}/media/square.png`,
  });

  it('uses the identity of the connected person by default', async () => {
    const { ad, writes, fixture } = await on('D');
    const entries = await writes(ad());
    const [identity] = (fixture.connection as unknown as { identities: { identityId: string }[] }).identities;
    expect(sentTo(entries, /identity\/create/)).toEqual([]);
    const adIdentity = { identity_type: 'TT_USER', identity_id: identity?.identityId };
    expect(sentTo(entries, /ad\/create\/$/)).toMatchObject([{ creatives: [adIdentity] }]);
    for (const { path } of entries) expect(path).toMatch(/\/$/);
  });

  it('makes a custom identity with its first ad and keeps it, for each of its ad accounts', async () => {
    const { ad, post, writes, kept, fixture } = await on('D');
    const custom = { identityType: 'CUSTOMIZED_USER' };
    expect(await post(ad(custom))).toMatchObject({ status: 400, body: { param: 'brandIdentity' } });
    const first = await writes(ad({ ...custom, brandIdentity: brandIdentity() }));
    expect(sentTo(first, /identity\/create/)).toMatchObject([{ display_name: 'Garden Shop' }]);
    const { identities } = await kept();
    const identityId = (identities as Record<string, { id: string }>)[fixture.adAccountIds.usd]?.id;
    expect(identityId).toEqual(expect.any(String));
    const second = await writes(ad(custom));
    expect(sentTo(second, /identity\/create/)).toEqual([]);
    expect(sentTo(second, /\/ad\/create\/$/)).toMatchObject([
      { creatives: [{ identity_type: 'CUSTOMIZED_USER', identity_id: identityId }] },
    ]);
    const other = { ...custom, adAccountId: fixture.adAccountIds.eur };
    expect(await post(ad(other))).toMatchObject({ status: 400, body: { param: 'brandIdentity' } });
    expect((await post(ad({ ...other, brandIdentity: brandIdentity() }))).status).toBe(201);
    expect((await post(ad(other))).status).toBe(201);
    expect(sentTo(await writes(ad(custom)), /identity\/create/)).toEqual([]);
  });
});

describe('E', () => {
  it('promotes a post that no one else sees, its line item off until it is targeted', async () => {
    const { ad, writes } = await on('E');
    const entries = await writes(ad());
    const order = entries.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`);
    expect(order.slice(0, 5)).toEqual([
      'POST tweet',
      'POST campaigns',
      'POST line_items',
      'POST targeting_criteria',
      'POST promoted_tweets',
    ]);
    expect(order.slice(5).every((one) => one.startsWith('PUT '))).toBe(true);
    const switches = entries.map(({ path, body }) => [path.split('/').at(-2), (body as Body)['entity_status']]);
    expect(switches.slice(-2)).toEqual([
      ['line_items', 'ACTIVE'],
      ['campaigns', 'ACTIVE'],
    ]);
    expect(sentTo(entries, /\/tweet$/)).toMatchObject([{ nullcast: 'true' }]);
    expect([...sentTo(entries, /\/campaigns$/), ...sentTo(entries, /\/line_items$/)]).toMatchObject([
      { entity_status: 'PAUSED' },
      { entity_status: 'PAUSED' },
    ]);
  });

  it('counts its text as the platform weighs it: 256 beside a link of any length', async () => {
    const { ad, post } = await on('E');
    const linkUrl = `https://shop.example/${'long'.repeat(60)}`;
    expect((await post(ad({ linkUrl, body: '冬'.repeat(128) }))).status).toBe(201);
    expect(await post(ad({ linkUrl, body: `${'冬'.repeat(128)}x` }))).toMatchObject({ body: { param: 'body' } });
    expect((await post(ad({ linkUrl, body: '\u{1F468}‍\u{1F469}‍\u{1F467}'.repeat(128) }))).status).toBe(201);
  });
});

describe('F', () => {
  it('rejects a bid below the lowest for the audience before anything is created, in a dry run too', async () => {
    const { ad, post, writes } = await on('F');
    const low = ad({ bidStrategy: 'LOWEST_COST_WITH_BID_CAP', bidAmount: 1.99 });
    expect(await writes(low, 400)).toEqual([]);
    const expected = {
      status: 400,
      body: { param: 'bidAmount', details: { fields: { bidAmount: [expect.any(String)] } } },
    };
    expect(await post(low)).toMatchObject(expected);
    expect(await post({ ...low, validateOnly: true })).toMatchObject(expected);
    expect((await post({ ...low, bidAmount: 2 })).status).toBe(201);
  });

  it('sponsors a post that no follower sees, of the page that is named, then connected, then the ad account’s', async () => {
    const { ad, writes, fixture } = await on('F');
    const [own] = (fixture.connection as unknown as { organizations: { id: string; urn: string }[] }).organizations;
    for (const organizationId of [undefined, own?.id, own?.urn]) {
      const entries = await writes(ad(organizationId === undefined ? {} : { organizationId }));
      expect(sentTo(entries, /\/posts$/)).toMatchObject([
        {
          author: own?.urn,
          distribution: { feedDistribution: 'NONE' },
          adContext: { dscAdAccount: `urn:li:sponsoredAccount:${fixture.adAccountIds.usd}`, dscStatus: 'ACTIVE' },
        },
      ]);
      expect(sentTo(entries, /\/adCampaigns$/)).toMatchObject([{ associatedEntity: own?.urn, status: 'DRAFT' }]);
      expect(entries.map(({ path }) => path.split('/').at(-1))).toEqual(
        expect.arrayContaining(['posts', 'adCampaignGroups', 'adCampaigns', 'creatives']),
      );
    }
  });

  it('needs a page where neither account is one', async () => {
    const { ad, writes, fixture } = await on('F');
    const entries = await writes(ad({ adAccountId: fixture.adAccountIds.jpy, budgetAmount: 5000 }), 400);
    expect(entries).toEqual([]);
  });
});
