import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { sampleOf } from '../support/sample.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { goodAdOf, subjects, fixtureOf } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

/** The longest names that createAd takes, as characters are counted in several ways. */
const names: Record<string, string> = {
  'plain letters': 'a'.repeat(255),
  'signs that count twice': '春'.repeat(255),
  'letters of three bytes': 'ệ'.repeat(255),
  'emoji alone': '\u{1f33b}'.repeat(127),
  'emoji at odd places': `a${'\u{1f33b}'.repeat(127)}`,
  'one emoji where a name is cut': `${'b'.repeat(70)}\u{1f33b}${'c'.repeat(180)}`,
};
const kinds = sampleOf(Object.entries(names), 2);

describe.each(subjects)('platform $platform', (subject) => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });

  it.each(kinds)('takes an ad of the longest name of %s, and renames one to it', async (_of, name) => {
    const body = { ...goodAdOf(app, subject, fixture), name };
    const made = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect(made.body).toMatchObject({ ad: { name } });
    expect(made.status).toBe(201);
    if (subject.platform === 'E') return;
    const path = `/v1/ads/${made.body.ad._id}`;
    const renamed = await app.call('PUT', path, { key: fixture.key, body: { name: [...name].toReversed().join('') } });
    expect(renamed.status).toBe(200);
  });
});

describe('platform D', () => {
  const subject = subjects.find(({ platform }) => platform === 'D');
  if (!subject) throw new Error('There is no platform D');

  it.each(kinds)('takes the first custom identity with a name of %s', async (_of, name) => {
    const fixture = await fixtureOf(app, subject);
    const brandIdentity = { displayName: '春'.repeat(40), imageUrl: `${app.sandbox.url}/media/square.png` };
    const body = { ...goodAdOf(app, subject, fixture), name, identityType: 'CUSTOMIZED_USER', brandIdentity };
    const made = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect(made.body).toMatchObject({ ad: { name } });
  });
});
