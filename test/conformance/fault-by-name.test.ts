import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { goodAdOf, namesAt, subjects, fixtureOf } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PLATFORM_TIMEOUT_SECONDS: '4' });
});
afterAll(() => app.stop());

/** Who calls this service can reach no control address of the sandbox: the name of the ad says what is to happen. */
describe.each(subjects)('a caller that tests faults by name on platform $platform', (subject) => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const bodies = new Map<string, object>();
  const bodyFor = (name: string): object => {
    const body = bodies.get(name) ?? { ...goodAdOf(app, subject, fixture), name };
    bodies.set(name, body);
    return body;
  };
  const post = (name: string): Promise<Answer> =>
    app.call('POST', '/v1/ads/create', {
      key: fixture.key,
      body: bodyFor(name),
      headers: { 'Idempotency-Key': `${subject.platform}-${name.replaceAll(' ', '-')}` },
    });

  it.each([
    ['http_500', 502, 'platform_api_error'],
    ['timeout_after', 502, 'platform_api_error'],
    ['rate_limited', 429, 'rate_limited'],
  ])('meets %s by a name, once, and one campaign at most comes of the repetition', async (fault, status, code) => {
    const name = `Fault test of ${fault} [fault:${fault}]`;
    expect(await post(name)).toMatchObject({ status, body: { code, platform: subject.platform } });
    const again = await post(name);
    // It is not certain yet that a 500 created nothing: it is searched for before it is sent again.
    expect(again.status).toBe(fault === 'http_500' ? 502 : 201);
    const made = await namesAt(app, subject, subject.kinds.campaign);
    expect(made.filter((one) => one.startsWith(name)).length).toBe(fault === 'http_500' ? 0 : 1);
  });

  it('meets a failure at a later step', async () => {
    if (subject.platform === 'B') return;
    const name = 'Fault test of a part [fault:rate_limited@adsets]';
    expect(await post(name)).toMatchObject({
      status: 429,
      body: { details: { created: { platformCampaignId: expect.any(String) } } },
    });
    expect((await post(name)).status).toBe(201);
  });

  it.each([
    ['pending', /^pending_review$/],
    ['rejected', /^rejected$/],
  ])('sees an ad in review as %s by its name', async (review, status) => {
    const answer = await post(`Fault test [review:${review}]`);
    expect(answer.status).toBe(201);
    expect(answer.body.ad.status).toMatch(status);
    if (review === 'rejected') expect(answer.body.ad.rejectionReason).toEqual(expect.any(String));
  });
});
