import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { goodAdOf, subjects, fixtureOf } from './platforms.ts';

const subject = subjects.find(({ platform }) => platform === 'D');
if (!subject) throw new Error('There is no platform D');

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

it.each(['CUSTOMIZED_USER', 'NETWORK_C_USER'])(
  'uses a %s in each of two ad accounts, and again in the first',
  async (identityType) => {
    const fixture = await fixtureOf(app, subject);
    const brandIdentity = { displayName: 'Garden shop', imageUrl: `${app.sandbox.url}/media/square.png` };
    const post = (adAccountId: string): Promise<Answer> => {
      const isOwn = identityType === 'CUSTOMIZED_USER';
      const body = { ...goodAdOf(app, subject, fixture), adAccountId, identityType, ...(isOwn && { brandIdentity }) };
      return app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    };
    const { usd, eur } = fixture.adAccountIds;
    const answers = [await post(usd), await post(eur), await post(usd)];
    expect(answers.map(({ body }) => body.error)).toEqual([undefined, undefined, undefined]);
  },
);
