import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventBlocks } from '../../src/contract/event-blocks.ts';
import { platforms } from '../../src/contract/platforms.ts';
import { closeRestored } from '../../src/services/backup/close-restored.ts';
import { campaignRefOf } from '../../src/services/campaigns/ids.ts';
import { beginRemoval } from '../../src/services/removals/removal-store.ts';
import { reconcileDueRemovals } from '../../src/services/removals/reconcile-removals.ts';
import { startTestApp, type Answer, type CallOptions, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { isWrite } from './budgets-at-platform.ts';
import { fault, fixtureOf, goodAdOf, noFaults, received, subjects, type Subject } from './platforms.ts';
import { pastOf, placedAd, removalPath, stateAt, writeKind } from './removals-at-platform.ts';
import { eventsIn } from '../support/outbox.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    PLATFORM_TIMEOUT_SECONDS: '4',
    PLATFORM_D_CALLS_PER_SECOND: '1000',
    PLATFORM_D_APP_CALLS_PER_SECOND: '1000',
    ROLE: 'api',
  });
});
afterAll(() => app.stop());
afterEach(() => noFaults(app));

type Body = Answer['body'];
const modeOf = ({ platform }: Subject) => platforms[platform].removal[0];
const remove = ({ key }: UserFixture, path: string, options: CallOptions = {}): Promise<Answer> =>
  app.call('DELETE', path, { key, ...options });
const campaignPath = (subject: Subject, ad: Body, query: object = {}): string =>
  removalPath(subject, ad, 'campaign', { mode: modeOf(subject), confirm: 1, ...query });

/** The write that removes a campaign, and how many like it come before: on most platforms a pause looks the same. */
const removalWrites: Record<string, { match: { method: string; path: string }; skip: number }> = {
  A: { match: { method: 'POST', path: '/#$' }, skip: 1 },
  B: { match: { method: 'POST', path: 'googleAds:mutate$' }, skip: 1 },
  C: { match: { method: 'PATCH', path: '/campaigns$' }, skip: 1 },
  D: { match: { method: 'POST', path: 'campaign/status/update/$' }, skip: 1 },
  E: { match: { method: 'DELETE', path: '/line_items/*$' }, skip: 0 },
  F: { match: { method: 'POST', path: '/adCampaignGroups/#$' }, skip: 1 },
};
const reads = ({ platform }: Subject) => ({
  match: platform === 'B' ? { method: 'POST', path: 'googleAds:search$' } : { method: 'GET' },
});

/** All reads after those with which a removal begins fail. */
async function loseReads(subject: Subject, fixture: UserFixture, ad: Body, name: string): Promise<void> {
  const entries = await received(app, subject, () =>
    remove(fixture, campaignPath(subject, ad, { validateOnly: true })),
  );
  const skip = entries.filter((entry) => !isWrite(entry)).length;
  await fault(app, subject, { fault: name, times: 99, skip, ...reads(subject) });
}

/** Nothing that happens from the removal on is heard of. */
async function loseResponses(subject: Subject, fixture: UserFixture, ad: Body, name: string): Promise<void> {
  await loseReads(subject, fixture, ad, 'http_500');
  await fault(app, subject, { fault: name, times: 99, ...removalWrites[subject.platform]! });
}

/** Leaves what a process leaves that dies after it has stored its intent. */
async function dieBeforeTheFirstCall(subject: Subject, fixture: UserFixture, ad: Body): Promise<void> {
  const { services } = app.app;
  const account = await services.db.accounts.findOne({ _id: fixture.accountId }).lean().orFail();
  const adapter = services.platforms[subject.platform]!;
  const adAccount = account.adAccounts.find(({ id }) => id === ad.platformAdAccountId)!;
  await beginRemoval(
    services,
    {
      kind: 'campaign',
      target: { account, adapter },
      ref: { adAccount, campaignId: ad.platformCampaignId },
      recordId: campaignRefOf(fixture.accountId, ad.platformCampaignId),
    },
    { mode: modeOf(subject), removable: { status: 'active', adSetIds: ['1'], adIds: ['1'] } },
  );
}

const later = (minutes: number) => {
  const { services } = app.app;
  return { ...services, clock: { now: () => new Date(Date.now() + minutes * 60_000) } };
};
const open = (fixture: UserFixture): Promise<number> =>
  app.app.services.db.removals.countDocuments({ accountId: fixture.accountId });
const adOf = async ({ key }: UserFixture, { _id }: Body): Promise<Body> =>
  (await app.call('GET', `/v1/ads/${_id}`, { key })).body.ad;

/** The removals that the outbox of the campaign and its ad holds. */
async function eventsOf({ accountId }: UserFixture, ad: Body): Promise<string[]> {
  const { db } = app.app.services;
  const campaign = await db.campaigns.findOne({ accountId, platformCampaignId: ad.platformCampaignId }).lean();
  const own = await db.ads.findOne({ _id: ad._id }).lean();
  const events = [campaign, own].flatMap(eventsIn);
  return events.flatMap(({ type, data }) => {
    const { status, removal } = (data['campaign'] ?? data['ad']) as Body;
    return type === 'campaign.removed' || status === 'cancelled' ? [`${type} ${removal}`] : [];
  });
}
const published = (subject: Subject): string[] => {
  const how = pastOf[modeOf(subject)];
  return [`campaign.removed ${how}`, `ad.status_changed ${how}`];
};

it.each(['ad_set', 'campaign'] as const)('has the event of the %s after those of its ads', async (level) => {
  const [subject] = subjects as [Subject];
  const fixture = await fixtureOf(app, subject);
  const ad = await placedAd(app, subject, fixture);
  const path = removalPath(subject, ad, level, { mode: modeOf(subject), confirm: 1 });
  expect(await app.call('DELETE', path, { key: fixture.key })).toMatchObject({ status: 200 });
  const { accountId } = fixture;
  const { platformAdSetId, platformCampaignId } = ad;
  const { ads, adSets, campaigns } = app.app.services.db;
  const removed =
    level === 'ad_set'
      ? await adSets.findOne({ accountId, platformAdSetId }).lean()
      : await campaigns.findOne({ accountId, platformCampaignId }).lean();
  const timesIn = (doc: Parameters<typeof eventsIn>[0], name: string): number[] =>
    eventsIn(doc).flatMap(({ type, at }) => (type === name ? [at.getTime()] : []));
  const [last = 0] = timesIn(removed, `${level}.removed`);
  const changes = timesIn(await ads.findOne({ _id: ad._id }).lean(), 'ad.status_changed');
  expect(changes.length).toBeGreaterThan(0);
  expect(last).toBeGreaterThan(Math.max(...changes));
});

describe.each(subjects)('a removal on platform $platform', (subject) => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });

  it.each(['reset_after', 'http_500'])('whose answer is lost (%s) is completed by its repetition', async (name) => {
    const ad = await placedAd(app, subject, fixture);
    const options = { headers: { 'Idempotency-Key': randomUUID() } };
    await loseResponses(subject, fixture, ad, name);
    const lost = await remove(fixture, campaignPath(subject, ad), options);
    expect(lost).toMatchObject({ status: 502, body: { code: 'platform_api_error' } });
    expect(lost.body.error).toContain('the removal is completed automatically');
    expect(await adOf(fixture, ad)).toMatchObject({ status: 'paused', removal: null });
    expect(await open(fixture)).toBe(1);
    await noFaults(app);
    const affected = { adSets: 1, ads: 1 };
    expect(await remove(fixture, campaignPath(subject, ad), options)).toMatchObject({
      status: 200,
      body: { affected },
    });
    expect(await stateAt(app, subject, ad, 'campaign')).toBe(pastOf[modeOf(subject)]);
    expect(await eventsOf(fixture, ad)).toEqual(published(subject));
    expect(await open(fixture)).toBe(0);
  });

  it('after which the platform limits all reads is not forgotten', async () => {
    const ad = await placedAd(app, subject, fixture);
    await loseReads(subject, fixture, ad, 'rate_limited');
    const first = await remove(fixture, campaignPath(subject, ad));
    await noFaults(app);
    if (first.status !== 200) expect(await remove(fixture, campaignPath(subject, ad))).toMatchObject({ status: 200 });
    expect(await stateAt(app, subject, ad, 'campaign')).toBe(pastOf[modeOf(subject)]);
    expect(await eventsOf(fixture, ad)).toEqual(published(subject));
  });

  it('whose answer is lost is completed by the reconciler', async () => {
    const ad = await placedAd(app, subject, fixture);
    await loseResponses(subject, fixture, ad, 'reset_after');
    expect((await remove(fixture, campaignPath(subject, ad))).status).toBe(502);
    expect(await reconcileDueRemovals(later(0))).toBe(0);
    await noFaults(app);
    expect(await reconcileDueRemovals(later(2))).toBe(1);
    expect(await adOf(fixture, ad)).toMatchObject({ status: 'cancelled', removal: pastOf[modeOf(subject)] });
    expect(await eventsOf(fixture, ad)).toEqual(published(subject));
    expect(await reconcileDueRemovals(later(20))).toBe(0);
    expect(await remove(fixture, campaignPath(subject, ad))).toMatchObject({ body: { affected: { ads: 0 } } });
  });

  it('whose process dies before the first call is completed by the reconciler, which pauses first', async () => {
    const ad = await placedAd(app, subject, fixture);
    await dieBeforeTheFirstCall(subject, fixture, ad);
    // The lease of the process that died is still held.
    expect(await reconcileDueRemovals(later(0))).toBe(0);
    const entries = await received(app, subject, async () => {
      expect(await reconcileDueRemovals(later(10))).toBe(1);
    });
    const kinds = entries.filter(isWrite).map((entry) => writeKind(entry));
    expect(kinds).toEqual(['pause', ...(subject.platform === 'E' ? ['remove'] : []), 'remove']);
    expect(await adOf(fixture, ad)).toMatchObject({ status: 'cancelled', removal: pastOf[modeOf(subject)] });
    expect(await eventsOf(fixture, ad)).toEqual(published(subject));
  });

  it('that a day of attempts does not complete is given up with an error in the log', async () => {
    const ad = await placedAd(app, subject, fixture);
    await loseResponses(subject, fixture, ad, 'http_500');
    expect((await remove(fixture, campaignPath(subject, ad))).status).toBe(502);
    const errors: object[] = [];
    const { log } = app.app.services;
    const toErrors = (fields: object, message: string): void => void errors.push({ ...fields, message });
    const services = (minutes: number) => ({
      ...later(minutes),
      log: Object.assign(Object.create(log), { error: toErrors }),
    });
    for (const minutes of [25 * 60, 25 * 60 + 10]) expect(await reconcileDueRemovals(services(minutes))).toBe(1);
    expect(errors).toEqual([
      {
        recordId: campaignRefOf(fixture.accountId, ad.platformCampaignId),
        kind: 'campaign',
        accountId: fixture.accountId,
        reason: 'it was not completed in a day',
        message: 'gave up a removal: the object may still exist',
      },
    ]);
    expect(await open(fixture)).toBe(0);
    // One entry of the request, one of the end of the attempts.
    const { db } = app.app.services;
    const record = await db.campaigns.findById(campaignRefOf(fixture.accountId, ad.platformCampaignId)).lean().orFail();
    const failed = { 'object.id': ad.platformCampaignId, action: 'campaign.change_failed' } as const;
    const stored = await db.activity.find(failed, { _id: 1 }).lean();
    const waiting = (record.pendingEvents ?? []).filter(({ data }) => data['action'] === failed.action);
    expect(new Set([...stored.map(({ _id }) => _id), ...waiting.map(({ eventId }) => eventId)]).size).toBe(2);
  });

  it('that the platform limits leaves the campaign paused and removes nothing later', async () => {
    const ad = await placedAd(app, subject, fixture);
    await fault(app, subject, { fault: 'rate_limited', times: 99, ...removalWrites[subject.platform]! });
    expect(await remove(fixture, campaignPath(subject, ad))).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', details: { done: ['status'] } },
    });
    await noFaults(app);
    expect(await open(fixture)).toBe(0);
    expect(await reconcileDueRemovals(later(20))).toBe(0);
    expect(await stateAt(app, subject, ad, 'campaign')).toBe('live');
    expect(await adOf(fixture, ad)).toMatchObject({ status: 'paused', removal: null });
    expect(await remove(fixture, campaignPath(subject, ad))).toMatchObject({ status: 200 });
  });

  it('is requested twice at the same time and published once', async () => {
    const ad = await placedAd(app, subject, fixture);
    const answers = await Promise.all([1, 2].map(() => remove(fixture, campaignPath(subject, ad))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(({ body }) => `${body.affected.ads} ads`).toSorted()).toEqual(['0 ads', '1 ads']);
    expect(await eventsOf(fixture, ad)).toEqual(published(subject));
  });

  it('rejects changes that waited for it', async () => {
    const ad = await placedAd(app, subject, fixture);
    // The removal holds the lock of the campaign until its response is overdue.
    const last = { match: { method: 'DELETE', path: '/campaigns/*$' } };
    const write = subject.platform === 'E' ? last : removalWrites[subject.platform]!;
    await fault(app, subject, { fault: 'timeout_after', ...write });
    const removal = remove(fixture, campaignPath(subject, ad));
    const how = pastOf[modeOf(subject)];
    await expect.poll(() => stateAt(app, subject, ad, 'campaign')).toBe(how);
    const platform = subject.account;
    const changes = {
      [`campaigns/${ad.platformCampaignId}/status`]: { platform, status: 'ACTIVE' },
      [`campaigns/${ad.platformCampaignId}`]: { platform, name: 'Renamed' },
      [`ad-sets/${ad.platformAdSetId}`]: { platform, status: 'ACTIVE' },
      [`${ad._id}/status`]: { status: 'ACTIVE' },
      [ad._id]: { name: 'Renamed' },
    };
    const answers = await Promise.all(
      Object.entries(changes).map(([path, body]) => app.call('PUT', `/v1/ads/${path}`, { key: fixture.key, body })),
    );
    expect(await removal).toMatchObject({ status: 200 });
    for (const { status, body } of answers) {
      expect([status, body.error]).toEqual([404, expect.stringContaining(`was ${how} through this API at`)]);
    }
    expect(await stateAt(app, subject, ad, 'campaign')).toBe(how);
  });

  it('of unknown outcome permits a pause and rejects an activation', async () => {
    const ad = await placedAd(app, subject, fixture);
    await loseResponses(subject, fixture, ad, 'http_500');
    expect((await remove(fixture, campaignPath(subject, ad))).status).toBe(502);
    await noFaults(app);
    const setStatus = (path: string, body: object): Promise<Answer> =>
      app.call('PUT', `/v1/ads/${path}`, { key: fixture.key, body });
    const campaign = `campaigns/${ad.platformCampaignId}/status`;
    const changes = { [campaign]: { platform: subject.account }, [`${ad._id}/status`]: {} };
    for (const [path, body] of Object.entries(changes)) {
      const refused = await setStatus(path, { ...body, status: 'ACTIVE' });
      expect(refused).toMatchObject({ status: 404, body: { code: 'campaign_not_found' } });
      expect(refused.body.error).toContain('is being removed through this API');
    }
    expect(await setStatus(campaign, { platform: subject.account, status: 'PAUSED' })).toMatchObject({ status: 200 });
    expect(await reconcileDueRemovals(later(10))).toBe(1);
    expect(await stateAt(app, subject, ad, 'campaign')).toBe(pastOf[modeOf(subject)]);
  });

  it('is rejected while an order in the campaign is unfinished', async () => {
    const body = goodAdOf(app, subject, fixture);
    const { skip = 0, ...match } = subject.activation;
    await fault(app, subject, { fault: 'reset_after', match, skip, times: 99 });
    const lost = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect(lost.status).toBe(502);
    await noFaults(app);
    const { adId, created } = lost.body.details;
    const ad = { _id: adId, ...created };
    const refused = { status: 409, body: { code: 'order_in_progress', details: { adId } } };
    const entries = await received(app, subject, async () => {
      expect(await remove(fixture, campaignPath(subject, ad))).toMatchObject(refused);
      expect(await remove(fixture, campaignPath(subject, ad, { validateOnly: true }))).toMatchObject(refused);
      expect(await remove(fixture, removalPath(subject, ad, 'ad', { mode: modeOf(subject) }))).toMatchObject(refused);
    });
    expect(entries.filter(isWrite)).toEqual([]);
    expect(await open(fixture)).toBe(0);
  });

  it('ends a failed order of the campaign: its repetition is answered with the removal', async () => {
    const body = goodAdOf(app, subject, fixture);
    const place = (key: string): Promise<Answer> =>
      app.call('POST', '/v1/ads/create', { key: fixture.key, body, headers: { 'Idempotency-Key': key } });
    const key = randomUUID();
    const { skip = 0, ...match } = subject.activation;
    await fault(app, subject, { fault: 'rate_limited', match, skip, times: 99 });
    const failed = await place(key);
    expect(failed.status).toBe(429);
    await noFaults(app);
    const { adId, created } = failed.body.details;
    const ad = { _id: adId, ...created };
    expect(await remove(fixture, campaignPath(subject, ad))).toMatchObject({
      status: 200,
      body: { affected: { ads: 1 } },
    });
    const entries = await received(app, subject, async () => {
      const repeated = await place(key);
      expect(repeated).toMatchObject({ status: 404, body: { code: 'ad_not_found' } });
      expect(repeated.body.error).toContain(`was ${pastOf[modeOf(subject)]} through this API at`);
    });
    expect(entries.filter(isWrite)).toEqual([]);
    expect(await adOf(fixture, ad)).toMatchObject({ status: 'cancelled' });
  });
});

describe('the ad of an order on platform F that failed before its ad set left the draft', () => {
  it.each(['ad', 'ad_set'] as const)('is deleted as a draft with its %s', async (level) => {
    const subject = subjects.find(({ platform }) => platform === 'F')!;
    const fixture = await fixtureOf(app, subject);
    await fault(app, subject, { fault: 'rate_limited', match: { method: 'POST', path: '/adCampaigns/#$' }, times: 99 });
    const body = goodAdOf(app, subject, fixture);
    const failed = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect(failed.status).toBe(429);
    await noFaults(app);
    const { adId, created } = failed.body.details;
    const ad = { _id: adId, ...created, platformAdId: created.platformAdIds[0] };
    const confirm = level === 'ad' ? {} : { confirm: 1 };
    const entries = await received(app, subject, async () => {
      expect(await remove(fixture, removalPath(subject, ad, level, confirm))).toMatchObject({ status: 200 });
    });
    expect(entries.filter(isWrite).map(({ method }) => method)).toEqual(['DELETE']);
    expect(await stateAt(app, subject, ad, level)).toBe('deleted');
    expect(await adOf(fixture, ad)).toMatchObject({ status: 'cancelled', removal: 'deleted' });
  });
});

describe('a removal on platform F that is executed and cannot be read back', () => {
  it('is completed by its repetition', async () => {
    const subject = subjects.find(({ platform }) => platform === 'F')!;
    const fixture = await fixtureOf(app, subject);
    const ad = await placedAd(app, subject, fixture);
    await loseReads(subject, fixture, ad, 'http_500');
    expect((await remove(fixture, campaignPath(subject, ad))).status).toBe(502);
    expect(await open(fixture)).toBe(1);
    await noFaults(app);
    expect(await remove(fixture, campaignPath(subject, ad))).toMatchObject({
      status: 200,
      body: { affected: { adSets: 1, ads: 1 } },
    });
    expect(await eventsOf(fixture, ad)).toEqual(published(subject));
  });
});

describe('the event of a removal', () => {
  it.each(['ad_set', 'campaign'] as const)('carries the %s with the members of its example', async (level) => {
    const subject = subjects.find(({ platform }) => platform === 'A')!;
    const fixture = await fixtureOf(app, subject);
    const ad = await placedAd(app, subject, fixture);
    expect(await remove(fixture, removalPath(subject, ad, level, { confirm: 1 }))).toMatchObject({ status: 200 });
    const { adSets, campaigns } = app.app.services.db;
    const filter = { accountId: fixture.accountId };
    const doc = level === 'ad_set' ? await adSets.findOne(filter).lean() : await campaigns.findOne(filter).lean();
    const event = doc?.pendingEvents?.find(({ type }) => type === `${level}.removed`);
    const block = level === 'ad_set' ? 'adSet' : 'campaign';
    expect(eventBlocks[`${level}.removed`].parse(event?.data[block])).toEqual(event?.data[block]);
    expect(event?.data[block]).toMatchObject({ removal: 'deleted', platformStatus: 'cancelled' });
  });
});

describe('a removal on platform A whose process died', () => {
  const subject = subjects.find(({ platform }) => platform === 'A')!;

  it('is under way for an order that adds an ad to the campaign, which is rejected', async () => {
    const fixture = await fixtureOf(app, subject);
    const ad = await placedAd(app, subject, fixture);
    await dieBeforeTheFirstCall(subject, fixture, ad);
    const { goal: _goal, budgetAmount: _amount, budgetType: _type, ...rest } = goodAdOf(app, subject, fixture);
    const entries = await received(app, subject, async () => {
      const body = { ...rest, adSetId: ad.platformAdSetId };
      const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
      expect(answer).toMatchObject({ status: 404, body: { code: 'campaign_not_found' } });
      expect(answer.body.error).toBe(`Campaign ${ad.platformCampaignId} is being removed through this API`);
    });
    expect(entries.filter(isWrite)).toEqual([]);
    expect(await reconcileDueRemovals(later(10))).toBe(1);
  });

  it('is not repeated from a restored backup: the platform may have rejected it since', async () => {
    const { services } = app.app;
    const fixture = await fixtureOf(app, subject);
    const ad = await placedAd(app, subject, fixture);
    await dieBeforeTheFirstCall(subject, fixture, ad);
    await closeRestored(services);
    await services.db.recordRestore(new Date(0));
    expect(await reconcileDueRemovals(later(10))).toBe(0);
    expect(await stateAt(app, subject, ad, 'campaign')).toBe('live');
  });
});

describe('an order that adds an ad to an ad set of platform A', () => {
  it.each(['ad_set', 'campaign'] as const)('is rejected once the %s is removed', async (level) => {
    const subject = subjects.find(({ platform }) => platform === 'A')!;
    const fixture = await fixtureOf(app, subject);
    const ad = await placedAd(app, subject, fixture);
    const { goal: _goal, budgetAmount: _amount, budgetType: _type, ...rest } = goodAdOf(app, subject, fixture);
    expect(await remove(fixture, removalPath(subject, ad, level, { confirm: 1 }))).toMatchObject({ status: 200 });
    const entries = await received(app, subject, async () => {
      for (const validateOnly of [true, false]) {
        const body = { ...rest, adSetId: ad.platformAdSetId, validateOnly };
        const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
        expect(answer).toMatchObject({ status: 404, body: { code: 'ad_set_not_found' } });
        expect(answer.body.error).toMatch(/^Ad set \d+ was deleted through this API at /);
      }
    });
    expect(entries.filter(isWrite)).toEqual([]);
    expect(await app.app.services.db.ads.countDocuments({ accountId: fixture.accountId })).toBe(1);
  });
});
