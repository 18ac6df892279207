import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platforms } from '../../src/contract/platforms.ts';
import { removalModes, type RemovalMode } from '../../src/contract/capability.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { sampleOf } from '../support/sample.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { isWrite } from './budgets-at-platform.ts';
import { discovered, fixtureOf, received, subjects, type Entry } from './platforms.ts';
import {
  levels,
  pastOf,
  placedAd,
  removalPath,
  removeAtPlatform,
  stateAt,
  writeKind,
  type Level,
} from './removals-at-platform.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PLATFORM_D_CALLS_PER_SECOND: '1000', PLATFORM_D_APP_CALLS_PER_SECOND: '1000' });
});
afterAll(() => app.stop());

const remove = ({ key }: UserFixture, path: string): Promise<Answer> => app.call('DELETE', path, { key });
const notFound = { ad: 'ad_not_found', ad_set: 'ad_set_not_found', campaign: 'campaign_not_found' };

interface Records {
  ad: Answer['body'];
  adSet: Answer['body'];
  campaign: Answer['body'];
}

async function recordsOf({ key }: UserFixture, { _id, platformCampaignId }: Answer['body']): Promise<Records> {
  const { ad } = (await app.call('GET', `/v1/ads/${_id}`, { key })).body;
  const { campaigns } = (await app.call('GET', '/v1/ads/tree?limit=100', { key })).body;
  const campaign = (campaigns as Answer['body'][]).find((one) => one.platformCampaignId === platformCampaignId);
  return { ad, adSet: campaign.adSets[0], campaign };
}

describe.each(subjects)('removing on platform $platform', (subject) => {
  const { removal } = platforms[subject.platform] as { removal: readonly RemovalMode[] };
  const cases = levels.flatMap((level) => removalModes.map((mode) => ({ level, mode })));
  const supported = sampleOf(
    cases.filter(({ mode }) => removal.includes(mode)),
    3,
  );
  const unsupported = sampleOf(
    cases.filter(({ mode }) => !removal.includes(mode)),
    1,
  );
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });

  it.each(supported)('removes the $level by mode $mode, after a pause if it runs', async ({ level, mode }) => {
    const ad = await placedAd(app, subject, fixture);
    const path = (query: object): string => removalPath(subject, ad, level, { mode, ...query });
    const affected = { adSets: level === 'ad' ? 0 : 1, ads: 1 };
    const confirm = level === 'ad' ? {} : { confirm: 1 };
    const before = await received(app, subject, async () => {
      expect(await remove(fixture, path({ validateOnly: true }))).toMatchObject({
        status: 200,
        body: { mode, affected },
      });
      if (level === 'ad') return;
      expect(await remove(fixture, path({}))).toMatchObject({
        status: 400,
        body: { code: 'missing_required_field', param: 'confirm' },
      });
      expect(await remove(fixture, path({ confirm: 2 }))).toMatchObject({
        status: 409,
        body: { code: 'affected_changed', param: 'confirm', details: { affected } },
      });
    });
    expect(before.filter(isWrite)).toEqual([]);
    expect((await recordsOf(fixture, ad)).ad).toMatchObject({ status: 'active', removal: null, removedAt: null });

    const entries = await received(app, subject, async () => {
      const answer = await remove(fixture, path(confirm));
      expect(answer).toMatchObject({ status: 200, body: { success: true, mode, affected } });
    });
    const cascades = subject.platform !== 'E' || level !== 'campaign';
    const expected = [...(level === 'ad' ? [] : ['pause']), ...(cascades ? [] : ['remove']), 'remove'];
    expect(entries.filter(isWrite).map((entry: Entry) => writeKind(entry))).toEqual(expected);
    expect(await stateAt(app, subject, ad, level)).toBe(pastOf[mode]);

    const gone = { removal: pastOf[mode], removedAt: expect.any(String) as string };
    const check = async (): Promise<void> => {
      const { ad: own, adSet, campaign } = await recordsOf(fixture, ad);
      expect(own).toMatchObject({ status: 'cancelled', ...gone });
      expect(adSet).toMatchObject(level === 'ad' ? { removal: null } : { platformStatus: 'cancelled', ...gone });
      expect(campaign).toMatchObject(
        level === 'campaign' ? { platformStatus: 'cancelled', ...gone } : { removal: null },
      );
      expect(campaign.status).toBe('cancelled');
    };
    await check();
    const again = await received(app, subject, async () => {
      const answer = await remove(fixture, path(confirm));
      expect(answer).toMatchObject({ status: 200, body: { mode, affected: { adSets: 0, ads: 0 } } });
    });
    expect(again.filter(isWrite)).toEqual([]);
    await discovered(app, fixture);
    await check();
  });

  it.each(unsupported)(
    'rejects mode $mode for the $level, names the other mode and sends nothing',
    async ({ level, mode }) => {
      const ad = await placedAd(app, subject, fixture);
      const entries = await received(app, subject, async () => {
        const answer = await remove(
          fixture,
          removalPath(subject, ad, level, { mode, ...(level !== 'ad' && { confirm: 1 }) }),
        );
        expect(answer).toMatchObject({
          status: 501,
          body: { code: 'unsupported_platform_operation', param: 'mode', platform: subject.platform },
        });
        expect(answer.body.error).toContain(`use mode ${removal.join(' or ')}`);
      });
      expect(entries).toEqual([]);
      expect(await stateAt(app, subject, ad, level)).toBe('live');
    },
  );

  it.each(sampleOf(levels, 1))(
    'answers 404 for the %s if its owner deleted it at the platform, and records that its owner archived it',
    async (level: Level) => {
      const ad = await placedAd(app, subject, fixture);
      const mode = removal[0] ?? 'delete';
      await removeAtPlatform(app, subject, { fixture, ad, level, mode });
      const answer = await remove(
        fixture,
        removalPath(subject, ad, level, { mode, ...(level !== 'ad' && { confirm: 1 }) }),
      );
      if (mode === 'delete') {
        expect(answer).toMatchObject({ status: 404, body: { code: notFound[level] } });
        expect((await recordsOf(fixture, ad)).ad).toMatchObject({ removal: null });
        return;
      }
      // An archived object is still there, and nothing is left in it.
      if (level !== 'ad') expect(answer).toMatchObject({ status: 409, body: { code: 'affected_changed' } });
      const confirmed = removalPath(subject, ad, level, { mode, ...(level !== 'ad' && { confirm: 0 }) });
      expect(await remove(fixture, confirmed)).toMatchObject({ status: 200, body: { affected: { ads: 0 } } });
      expect((await recordsOf(fixture, ad)).ad).toMatchObject({ status: 'cancelled', removal: 'archived' });
    },
  );

  it('counts only the ads of ad sets that are not removed', async () => {
    const response = await fetch(`${app.sandbox.url}/control/${subject.simulated}/found-campaigns`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ adAccountId: fixture.adAccountIds.usd }),
    });
    const [found] = ((await response.json()) as Answer['body']).campaigns;
    const ad = { platformAdSetId: found.adSetIds[0], platformCampaignId: found.campaignId };
    const mode = removal[0];
    const count = async (): Promise<Answer['body']> =>
      (await remove(fixture, removalPath(subject, ad, 'campaign', { mode, validateOnly: true }))).body.affected;
    expect(await count()).toEqual({ adSets: 2, ads: 2 });
    expect(await remove(fixture, removalPath(subject, ad, 'ad_set', { mode, confirm: 1 }))).toMatchObject({
      status: 200,
    });
    expect(await count()).toEqual({ adSets: 1, ads: 1 });
  });

  it.each(['ad_set', 'campaign'] as const)('answers 404 for an unknown %s', async (level) => {
    const unknown = subject.platform === 'E' ? 'zzzz9' : '999999999999';
    const ad = { platformAdSetId: unknown, platformCampaignId: unknown };
    const answer = await remove(fixture, removalPath(subject, ad, level, { mode: removal[0], confirm: 0 }));
    expect(answer).toMatchObject({ status: 404, body: { code: notFound[level] } });
  });

  it('keeps a removed campaign and what was in it removed, and rejects changes of them', async () => {
    const ad = await placedAd(app, subject, fixture);
    const mode = removal[0] ?? 'delete';
    const removed = await remove(fixture, removalPath(subject, ad, 'campaign', { mode, confirm: 1 }));
    expect(removed).toMatchObject({ status: 200 });
    for (const level of ['ad', 'ad_set'] as const) {
      const confirm = level === 'ad' ? {} : { confirm: 0 };
      const entries = await received(app, subject, async () => {
        const answer = await remove(fixture, removalPath(subject, ad, level, { mode, ...confirm }));
        expect(answer).toMatchObject({ status: 200, body: { affected: { adSets: 0, ads: 0 } } });
      });
      expect(entries.filter(isWrite)).toEqual([]);
    }
    const entries = await received(app, subject, async () => {
      const changes = {
        [`${ad._id}/status`]: {},
        [`campaigns/${ad.platformCampaignId}/status`]: { platform: subject.account },
        [`campaigns/${ad.platformCampaignId}`]: { platform: subject.account },
        [`ad-sets/${ad.platformAdSetId}`]: { platform: subject.account },
      };
      for (const [path, body] of Object.entries(changes)) {
        const change = { key: fixture.key, body: { ...body, status: 'ACTIVE' } };
        const answer = await app.call('PUT', `/v1/ads/${path}`, change);
        expect(answer.status, path).toBe(404);
        expect(answer.body.error).toContain(`was ${pastOf[mode]} through this API at`);
      }
    });
    expect(entries).toEqual([]);
  });
});

describe('deleteAd, deleteAdSet and deleteCampaign', () => {
  it('do the same in GraphQL', async () => {
    const subject = subjects.find(({ platform }) => platform === 'A')!;
    const fixture = await fixtureOf(app, subject);
    const [one, two, three] = [
      await placedAd(app, subject, fixture),
      await placedAd(app, subject, fixture),
      await placedAd(app, subject, fixture),
    ];
    const ask = async (call: string): Promise<Answer['body']> => {
      const query = `mutation { ${call} { success mode affected { adSets ads } message warnings { param } } }`;
      const { body } = await app.graphql(query, {}, { key: fixture.key });
      return body.errors?.[0].extensions ?? Object.values(body.data)[0];
    };
    const campaign = `campaignId: "${three.platformCampaignId}", platform: NETWORK_A`;
    expect(await ask(`deleteCampaign(${campaign}, validateOnly: true)`)).toMatchObject({
      affected: { adSets: 1, ads: 1 },
    });
    expect(await ask(`deleteCampaign(${campaign})`)).toMatchObject({
      code: 'missing_required_field',
      param: 'confirm',
    });
    expect(await ask(`deleteCampaign(${campaign}, confirm: 4)`)).toMatchObject({ code: 'affected_changed' });
    expect(await ask(`deleteCampaign(${campaign}, confirm: 1, mode: ARCHIVE)`)).toMatchObject({ mode: 'ARCHIVE' });
    const adSet = `adSetId: "${two.platformAdSetId}", platform: NETWORK_A, confirm: 1`;
    expect(await ask(`deleteAdSet(${adSet})`)).toMatchObject({ success: true, mode: 'DELETE', affected: { ads: 1 } });
    expect(await ask(`deleteAd(adId: "${one._id}")`)).toMatchObject({
      affected: { adSets: 0, ads: 1 },
      warnings: null,
    });
    const states = await Promise.all([
      stateAt(app, subject, one, 'ad'),
      stateAt(app, subject, two, 'ad_set'),
      stateAt(app, subject, three, 'campaign'),
    ]);
    expect(states).toEqual(['deleted', 'deleted', 'archived']);
    const query = `{ ads { nodes { status removal removedAt } } }`;
    const { nodes } = (await app.graphql(query, {}, { key: fixture.key })).body.data.ads;
    expect(nodes.map(({ status, removal }: Answer['body']) => `${status} ${removal}`).toSorted()).toEqual([
      'CANCELLED ARCHIVED',
      'CANCELLED DELETED',
      'CANCELLED DELETED',
    ]);
  });
});

describe('an archived campaign', () => {
  it.each(['A', 'F'])('on platform %s can still be deleted, and is then recorded as deleted', async (platform) => {
    const subject = subjects.find((one) => one.platform === platform)!;
    const fixture = await fixtureOf(app, subject);
    const ad = await placedAd(app, subject, fixture);
    const path = (query: object): string => removalPath(subject, ad, 'campaign', { ...query });
    expect(await remove(fixture, path({ mode: 'archive', confirm: 1 }))).toMatchObject({ status: 200 });
    expect(await remove(fixture, path({ confirm: 0 }))).toMatchObject({ status: 200, body: { mode: 'delete' } });
    expect(await stateAt(app, subject, ad, 'campaign')).toBe('deleted');
    const { ad: own, campaign } = await recordsOf(fixture, ad);
    expect([own.removal, campaign.removal]).toEqual(['deleted', 'deleted']);
    expect(await remove(fixture, path({ mode: 'archive', confirm: 0 }))).toMatchObject({
      status: 200,
      body: { mode: 'delete', affected: { ads: 0 } },
    });
  });

  it('on platform F that its owner makes live again is live in the records after a discovery', async () => {
    const subject = subjects.find(({ platform }) => platform === 'F')!;
    const fixture = await fixtureOf(app, subject);
    const ad = await placedAd(app, subject, fixture);
    const path = removalPath(subject, ad, 'campaign', { mode: 'archive', confirm: 1 });
    expect(await remove(fixture, path)).toMatchObject({ status: 200 });
    const headers = {
      authorization: `Bearer ${fixture.connection.accessToken}`,
      'content-type': 'application/json',
      'linkedin-version': '202606',
      'x-restli-protocol-version': '2.0.0',
      'x-restli-method': 'PARTIAL_UPDATE',
    };
    const group = `adAccounts/${fixture.adAccountIds.usd}/adCampaignGroups/${ad.platformCampaignId}`;
    const body = JSON.stringify({ patch: { $set: { status: 'PAUSED' } } });
    const restored = await fetch(`${app.sandbox.url}/professional/rest/${group}`, { method: 'POST', headers, body });
    expect(restored.status).toBe(204);
    await discovered(app, fixture);
    const { ad: own, adSet, campaign } = await recordsOf(fixture, ad);
    expect([own.status, own.removal, adSet.removal, campaign.removal]).toEqual(['paused', null, null, null]);
    expect(campaign.platformStatus).toBe('paused');
    expect(await remove(fixture, path)).toMatchObject({ status: 200, body: { affected: { ads: 1 } } });
  });
});
