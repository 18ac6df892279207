import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platforms } from '../../src/contract/platforms.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { discovered, goodAdOf, namesAt, subjects, fixtureOf } from './platforms.ts';

type Body = Record<string, unknown>;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

/** Names that callers may give: longer than the platform takes beside our mark, and one that ends like a mark. */
const names = [`${'long '.repeat(50)}name`, 'Spring sale 1a2b3c4d'];

describe.each(subjects)('platform $platform', (subject) => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const tree = async (key: string): Promise<Answer['body']> =>
    (await app.call('GET', '/v1/ads/tree?limit=100', { key })).body.campaigns;
  const shown = async (campaignId: string, key = fixture.key): Promise<string[]> => {
    const campaigns = await tree(key);
    const campaign = campaigns.find((one: Answer['body']) => one.platformCampaignId === campaignId);
    const [adSet] = campaign.adSets;
    const [ad] = adSet.ads;
    return [campaign.name, adSet.name, ad.name, ad.campaignName, ad.adSetName];
  };

  it('shows the names that callers gave before and after a discovery, and marks them at the platform alone', async () => {
    const ids: string[] = [];
    for (const name of names) {
      const body = { ...goodAdOf(app, subject, fixture), name };
      const { ad } = (await app.call('POST', '/v1/ads/create', { key: fixture.key, body })).body;
      expect(ad).toMatchObject({ name, campaignName: name, adSetName: name });
      expect(await namesAt(app, subject, subject.kinds.campaign)).toContainEqual(
        expect.stringMatching(new RegExp(` ${ad._id.slice(-8)}$`)),
      );
      ids.push(ad.platformCampaignId);
    }
    const all = names.map((name) => Array.from({ length: 5 }, () => name));
    expect(await Promise.all(ids.map((id) => shown(id)))).toEqual(all);
    await discovered(app, fixture);
    expect(await Promise.all(ids.map((id) => shown(id)))).toEqual(all);
    const { body } = await app.graphql('{ campaigns(first: 10) { nodes { name } } }', {}, { key: fixture.key });
    expect(body.data.campaigns.nodes.map(({ name }: { name: string }) => name).toSorted()).toEqual(names.toSorted());
  });

  it.runIf(platforms[subject.platform].copy)(
    'shows copies, and copies of copies, by the names they were given',
    async () => {
      const owner = await fixtureOf(app, subject);
      const key = owner.key;
      const body = { ...goodAdOf(app, subject, owner), name: 'Source' };
      const { ad } = (await app.call('POST', '/v1/ads/create', { key, body })).body;
      const copy = async (campaignId: string, fields: Body): Promise<string> => {
        const order = { platform: subject.account, syncAfter: false, ...fields };
        const made = await app.call('POST', `/v1/ads/campaigns/${campaignId}/duplicate`, { key, body: order });
        const path = `/v1/ads/campaigns/duplications/${made.body.duplicationId}`;
        const status = async () => (await app.call('GET', path, { key })).body.duplication.status;
        await expect.poll(status).toBe('completed');
        return made.body.copiedCampaignId;
      };
      const first = await copy(ad.platformCampaignId, { renameStrategy: 'DEEP_RENAME', renameSuffix: ' (2)' });
      const second = await copy(first, { renameStrategy: 'DEEP_RENAME', renamePrefix: 'My ' });
      const third = await copy(ad.platformCampaignId, { renameStrategy: 'NO_RENAME' });
      const expected = [
        [first, 'Source (2)'],
        [second, 'My Source (2)'],
        [third, 'Source'],
      ] as const;
      const all = expected.map(([, name]) => Array.from({ length: 5 }, () => name));
      const seen = () => Promise.all(expected.map(([id]) => shown(id, key)));
      expect(await seen()).toEqual(all);
      await discovered(app, owner);
      expect(await seen()).toEqual(all);
    },
  );

  it.runIf(subject.platform === 'A')('keeps the name of an ad of another origin that was renamed here', async () => {
    const owner = await fixtureOf(app, subject);
    const body = goodAdOf(app, subject, owner);
    const { ad } = (await app.call('POST', '/v1/ads/create', { key: owner.key, body })).body;
    await app.app.services.db.ads.updateOne({ _id: ad._id }, { $set: { isExternal: true } });
    const name = 'Named elsewhere';
    const renamed = await app.call('PUT', `/v1/ads/${ad._id}`, { key: owner.key, body: { name } });
    expect(renamed.status).toBe(200);
    await discovered(app, owner);
    expect((await app.call('GET', `/v1/ads/${ad._id}`, { key: owner.key })).body.ad.name).toBe(name);
  });
});
