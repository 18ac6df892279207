import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { goodAdOf, subjects, fixtureOf } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

const unknown = '9876543210';

/** F ignores interests. */
describe.each(subjects.filter(({ platform }) => platform !== 'F'))('an id that $platform has not', (subject) => {
  let fixture: UserFixture;
  let good: { id: string; name: string };
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
    const path = `/v1/ads/interests?accountId=${fixture.accountId}&q=`;
    const options = await Promise.all(['f', 'garden'].map((q) => app.call('GET', path + q, { key: fixture.key })));
    const [{ id, name }] = options.flatMap(({ body }) => body.interests ?? []);
    good = { id, name };
  });
  const post = (extra: object): Promise<Answer> =>
    app.call('POST', '/v1/ads/create', { key: fixture.key, body: { ...goodAdOf(app, subject, fixture), ...extra } });

  it('is named by its place among the interests', async () => {
    const answer = await post({ interests: [good, { id: unknown, name: 'Nothing' }] });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.details.fields)).toEqual(['interests.1']);
    expect(answer.body).toMatchObject({ param: 'interests.1', platform: subject.platform });
    // B says no more than that an interest is wrong.
    if (subject.platform !== 'B') expect(answer.body.error).toContain(unknown);
  });

  it('is named as the audience', async () => {
    // The simulated A and D have no audiences to distinguish.
    if (subject.platform === 'A' || subject.platform === 'D') return;
    const answer = await post({ audienceId: unknown });
    expect(answer).toMatchObject({ status: 400, body: { param: 'audienceId' } });
  });

  const place = { key: unknown, countryCode: 'US' };
  it.each([
    ['cities', { cities: [place] }],
    ['regions', { regions: [place] }],
  ])('is named by its place among the %s', async (list, extra) => {
    if (subject.platform !== 'A') return;
    const answer = await post(extra);
    expect(answer).toMatchObject({ status: 400, body: { param: `${list}.0` } });
    expect(answer.body.error).toContain(unknown);
  });
});
