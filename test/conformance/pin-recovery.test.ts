import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { fault, goodAdOf, noFaults, subjects, fixtureOf } from './platforms.ts';

const subject = subjects.find(({ platform }) => platform === 'C');
if (!subject) throw new Error('There is no platform C');

let app: TestApp;
let fixture: UserFixture;
beforeAll(async () => {
  app = await startTestApp();
  fixture = await fixtureOf(app, subject);
});
afterAll(() => app.stop());
afterEach(() => noFaults(app));

const post = (body: object, key: string): Promise<Answer> =>
  app.call('POST', '/v1/ads/create', {
    key: fixture.key,
    body,
    headers: { 'Idempotency-Key': key.replaceAll(' ', '-') },
  });
const lose = (name: string): Promise<void> =>
  fault(app, subject, { fault: name, match: { method: 'POST', path: '/pins$' } });
describe('a pin whose answer was lost', () => {
  it('is found again', async () => {
    const body = { ...goodAdOf(app, subject, fixture), headline: 'Found again' };
    await lose('reset_after');
    expect((await post(body, 'found')).status).toBe(502);
    expect((await post(body, 'found')).status).toBe(201);
  });

  it.each([
    ['other words', { body: 'Nothing for the garden.' }],
    ['another picture', {}],
  ])('is not taken for that of an ad with %s, which bears the same title and link', async (what, others) => {
    const same = { headline: `Same title, ${what}` };
    const first = {
      ...goodAdOf(app, subject, fixture),
      ...same,
      ...others,
      imageUrl: `${app.sandbox.url}/media/wide.png`,
    };
    expect((await post(first, `first ${what}`)).status).toBe(201);
    const second = { ...goodAdOf(app, subject, fixture), ...same };
    await lose('html_502');
    expect((await post(second, `second ${what}`)).status).toBe(502);
    expect((await post(second, `second ${what}`)).status).toBe(502);
  });
});
