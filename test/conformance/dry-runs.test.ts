import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { goodAdOf, received, subjects, fixtureOf } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

/** Media that this service fetches and uploads (B, F), or looks at before the platform fetches them (C, D). */
const cases = [
  {
    platform: 'B',
    field: 'images.square',
    put: (square: string, media: string) => ({ images: { landscape: `${media}landscape.png`, square } }),
  },
  { platform: 'F', field: 'imageUrl', put: (imageUrl: string) => ({ imageUrl }) },
  { platform: 'F', field: 'video.url', put: (url: string) => ({ imageUrl: undefined, video: { url } }) },
  { platform: 'C', field: 'imageUrl', put: (imageUrl: string) => ({ imageUrl }) },
  { platform: 'D', field: 'video.url', put: (url: string) => ({ video: { url } }) },
  { platform: 'D', field: 'imageUrl', put: (imageUrl: string) => ({ video: undefined, imageUrl }) },
  {
    platform: 'D',
    field: 'video.thumbnailUrl',
    put: (thumbnailUrl: string, media: string) => ({ video: { url: `${media}video.mp4`, thumbnailUrl } }),
  },
  {
    platform: 'D',
    field: 'brandIdentity.imageUrl',
    put: (imageUrl: string) => ({
      identityType: 'CUSTOMIZED_USER',
      brandIdentity: { displayName: `Shop ${newId().slice(-6)}`, imageUrl },
    }),
  },
] as const;

describe.each(cases)('$field on $platform', ({ platform, field, put }) => {
  const subject = subjects.find((one) => one.platform === platform);
  if (!subject) throw new Error(`There is no platform ${platform}`);
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const takesVideo = field === 'video.url' || (platform === 'D' && field === 'imageUrl');
  const wrong = takesVideo ? 'square.png' : 'video.mp4';

  it.each([
    ['is not there', 'missing.png'],
    ['cannot be reached', 'http://127.0.0.1:9/none.png'],
    ['is of the wrong kind', wrong],
  ])(
    'that %s is rejected by the dry run with the message of the real one, and nothing is uploaded',
    async (_what, file) => {
      const media = `${app.sandbox.url}/media/`;
      const ad = { ...goodAdOf(app, subject, fixture), ...put(new URL(file, media).href, media) };
      const post = (body: object) => app.call('POST', '/v1/ads/create', { key: fixture.key, body });
      const real = await post(ad);
      const entries = await received(app, subject, async () => {
        const dry = await post({ ...ad, validateOnly: true });
        expect(dry).toMatchObject({ status: 400, body: { code: 'invalid_field_value', param: field } });
        expect(dry.body.details.fields).toEqual(real.body.details.fields);
        expect(Object.keys(dry.body.details.fields)).toContain(field);
      });
      expect(entries.filter(({ method }) => method !== 'GET')).toEqual([]);
    },
  );
});

describe('engagement on D', () => {
  it.each([true, false])('as a custom identity is refused before any call, validateOnly %s', async (validateOnly) => {
    const subject = subjects.find((one) => one.platform === 'D');
    if (!subject) throw new Error('There is no platform D');
    const fixture = await fixtureOf(app, subject);
    const body = { ...goodAdOf(app, subject, fixture, 'engagement'), identityType: 'CUSTOMIZED_USER', validateOnly };
    const entries = await received(app, subject, async () => {
      const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
      const said = 'must be NETWORK_C_USER: followers are won for a person';
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field_value', param: 'identityType' } });
      expect(answer.body.details.fields).toEqual({ identityType: [expect.stringContaining(said)] });
    });
    expect(entries.filter(({ path }) => !/oauth2|advertiser/.test(path))).toEqual([]);
  });
});
