import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { dayOf, dayStartFrom } from '../../src/lib/account-time.ts';
import type { AdPlatform } from '../../src/contract/platforms.ts';
import type { CreateAdPayload } from '../../src/contract/ad.ts';
import { CreateAdInput } from '../../src/contract/ad-input.ts';
import type { Ctx } from '../../src/services/context.ts';
import { createAd } from '../../src/services/ads/create-ad.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { discovered, fault, fixtureOf, goodAdOf, noFaults, received, subjects, type Entry } from './platforms.ts';

type Body = Record<string, unknown>;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
afterEach(() => noFaults(app));

const zone = 'America/New_York';
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** A second of a later day, as a caller in Kathmandu writes it. */
const startIn = (ms: number): Date => new Date(Math.ceil((Date.now() + ms) / 1000) * 1000);
const inKathmandu = (start: Date): string =>
  new Date(start.getTime() + 345 * minuteMs).toISOString().replace('.000Z', '+05:45');

/** What the platform receives of a start, in its own unit and zone. */
const wireOf: Record<AdPlatform, (start: Date) => string[]> = {
  A: (start) => [`"start_time":"${start.toISOString()}"`],
  B: (start) => [`"startDateTime":"${dayOf(start, zone)} 00:00:00"`],
  C: (start) => [`"start_time":${start.getTime() / 1000}`],
  D: (start) => [`"schedule_start_time":"${start.toISOString().slice(0, 19).replace('T', ' ')}"`],
  E: (start) => [`"start_time":"${start.toISOString().slice(0, 19)}Z"`],
  // Of the group and of the campaign.
  F: (start) => [`"runSchedule":{"start":${start.getTime()}`, `"runSchedule":{"start":${start.getTime()}`],
};
const startsIn = (entries: Pick<Entry, 'body'>[]): string[] =>
  entries
    .flatMap(({ body }) => [
      ...JSON.stringify(body).matchAll(
        /"(?:start_time|startDateTime|schedule_start_time)":(?:"[^"]*"|\d+)|"runSchedule":\{"start":\d+/g,
      ),
    ])
    .map(([text]) => text);
const writesOf = (entries: Entry[]): Entry[] => entries.filter(({ method }) => method === 'POST');

const query = `mutation ($input: CreateAdInput!) {
  createAd(input: $input) { ad { id schedule { startDate endDate } status } warnings { param message } requests { body } }
}`;

describe.each(subjects)('platform $platform', (subject) => {
  const { platform } = subject;
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const rounded = (start: Date): Date => (platform === 'B' ? dayStartFrom(start, zone) : start);
  const order = (more: Body): Body => ({ ...goodAdOf(app, subject, fixture), ...more });
  const create = (body: Body, key = newId()): Promise<Answer> =>
    app.call('POST', '/v1/ads/create', { key: fixture.key, body, headers: { 'Idempotency-Key': key } });
  const campaignOf = async (id: string): Promise<Answer['body']> => {
    const { body } = await app.call('GET', '/v1/ads/tree', { key: fixture.key });
    return body.campaigns.find(({ platformCampaignId }: Body) => platformCampaignId === id);
  };

  it('receives the start in its own unit, spends nothing before it, and shows it', async () => {
    const requested = startIn(3 * dayMs + 5 * minuteMs);
    const start = rounded(requested);
    let answer: Answer | undefined;
    const entries = await received(app, subject, async () => {
      answer = await create(order({ startDate: inKathmandu(requested) }));
    });
    const { status, body } = answer as Answer;
    expect(status).toBe(201);
    expect(startsIn(writesOf(entries))).toEqual(wireOf[platform](start));
    expect(body.warnings ?? []).toMatchObject(
      start > requested ? [{ param: 'startDate', message: expect.stringContaining(`(${zone})`) }] : [],
    );
    expect(body.ad).toMatchObject({ status: 'active', schedule: { startDate: start.toISOString(), endDate: null } });
    const sooner = (await create(order({}))).body.ad;
    await discovered(app, fixture);
    const [later, running] = [
      await campaignOf(body.ad.platformCampaignId),
      await campaignOf(sooner.platformCampaignId),
    ];
    expect(later.adSets).toMatchObject([
      { startDate: start.toISOString(), ads: [{ status: 'active', schedule: { startDate: start.toISOString() } }] },
    ]);
    expect(later.metrics?.spend ?? 0).toBe(0);
    // Figures of E begin after a whole hour.
    if (platform !== 'E') expect(running.metrics.spend).toBeGreaterThan(0);
  });

  it('shows the same in a dry run of either API', async () => {
    const requested = startIn(40 * dayMs);
    const input = order({ startDate: requested.toISOString(), validateOnly: true });
    const rest = await create(input);
    expect(rest.body).toMatchObject({ valid: true });
    expect(startsIn(rest.body.requests)).toEqual(wireOf[platform](rounded(requested)));
    const variables = { input: { ...input, goal: 'TRAFFIC', budgetType: 'DAILY' } };
    const { body } = await app.graphql(query, variables, { key: fixture.key });
    expect(startsIn(body.data.createAd.requests)).toEqual(startsIn(rest.body.requests));
    expect(body.data.createAd.warnings ?? []).toEqual(rest.body.warnings ?? []);
  });

  it('starts an order at once that is resumed after its start, and warns', async () => {
    const requested = startIn(platform === 'B' ? dayMs : 10 * minuteMs);
    const lateMs = 70 * minuteMs;
    const resumedAt = new Date(rounded(requested).getTime() + lateMs);
    const input = order({ startDate: requested.toISOString() });
    await fault(app, subject, { fault: 'rate_limited', match: { method: 'POST', path: subject.paths.campaign } });
    expect((await create(input)).status).toBe(429);
    await noFaults(app);
    const { _id } = await app.app.services.db.ads
      .findOne({ name: String(input['name']) }, { _id: 1 })
      .lean()
      .orFail();
    let resumed: CreateAdPayload | undefined;
    const entries = await received(app, subject, async () => {
      resumed = await createAd(ctxAt(fixture, resumedAt), CreateAdInput.parse(input), _id);
    });
    expect(resumed?.warnings).toEqual([
      {
        param: 'startDate',
        message: expect.stringMatching(/^is moved to \S+Z: the order reached the platform too late/),
      },
    ]);
    const sent = new Date(resumed?.ad?.schedule.startDate ?? '');
    const earliest = { B: dayStartFrom(resumedAt, zone), E: soon(resumedAt), F: soon(resumedAt) };
    expect(sent).toEqual({ A: resumedAt, C: resumedAt, D: resumedAt, ...earliest }[platform]);
    const isLeftOut = platform === 'A' || platform === 'C';
    expect(startsIn(writesOf(entries))).toEqual(isLeftOut ? [] : wireOf[platform](sent));
  });
});

const soon = (now: Date): Date => new Date(now.getTime() + 2 * minuteMs);

const ctxAt = ({ userId, keyId }: UserFixture, now: Date): Ctx => ({
  ...app.app.services,
  clock: { now: () => now },
  requestId: 'r-1',
  source: 'rest',
  isFirstAttempt: false,
  caller: {
    userId,
    keyId,
    email: '',
    userName: '',
    plan: 'usage-based',
    addons: [],
    permission: 'read-write',
    scope: 'full',
    profileIds: [],
  },
});
