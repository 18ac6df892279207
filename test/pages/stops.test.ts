import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { follow } from '../support/stream.ts';
import { createUserFixture, goodAd } from '../support/user-fixture.ts';
import { visitor } from './browser-session.ts';
import { markupProblems } from './markup.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ SWEEP_INTERVAL_SECONDS: '0.2' });
});
afterAll(() => app.stop());

it('the page and the subscription show how far a stop is, and name what could not be paused', async () => {
  const fixture = await createUserFixture(app);
  const { key } = fixture;
  const ads = [0, 1].map(() =>
    app.call('POST', '/v1/ads/create', { key, body: { ...goodAd(fixture), name: '<b>Sale</b>' } }),
  );
  const [refused] = (await Promise.all(ads)).map(({ body }) => body.ad.platformCampaignId);
  await fetch(`${app.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      platform: 'network-a',
      fault: 'policy_block',
      match: { method: 'POST', path: `/${refused}$` },
    }),
  });
  const person = visitor(app.url);
  await person.signIn(key, '/stops');
  expect((await person.get('/stops')).text).toContain('There is no stop.');
  const { body } = await app.call('POST', '/v1/stops', { key, body: { accountId: fixture.accountId } });
  const stopId = body.stop._id;
  const watched = await follow(app.url, key, `stopProgress(stopId: "${stopId}") { status total paused failed }`);
  await watched.over;
  const states = watched.got.map(({ data }) => data?.['stopProgress']);
  expect(states.at(-1)).toEqual({ status: 'COMPLETED', total: 2, paused: 1, failed: 1 });
  const { text } = await person.get('/stops');
  expect(text).toContain(stopId);
  expect(text).toContain(`(${refused} on network-a)`);
  expect(text).toContain('1 of 2 campaigns paused, 1 not');
  expect(text).toContain('&lt;b&gt;Sale&lt;/b&gt;');
  expect(await markupProblems(text)).toEqual([]);
});
