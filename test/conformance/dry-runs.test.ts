import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import type { World } from '../support/world.ts';
import { goodAdOf, received, subjects, worldOf } from './subjects.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

/** Platforms that take bytes: this service fetches what callers name. */
const cases = [
  {
    platform: 'B',
    field: 'images.square',
    put: (square: string) => ({ images: { landscape: square.replace(/[^/]+$/, 'landscape.png'), square } }),
  },
  { platform: 'F', field: 'imageUrl', put: (imageUrl: string) => ({ imageUrl }) },
  { platform: 'F', field: 'video.url', put: (url: string) => ({ imageUrl: undefined, video: { url } }) },
] as const;

describe.each(cases)('$field on $platform', ({ platform, field, put }) => {
  const subject = subjects.find((one) => one.platform === platform);
  if (!subject) throw new Error(`There is no platform ${platform}`);
  let world: World;
  beforeAll(async () => {
    world = await worldOf(app, subject);
  });
  const wrong = field === 'video.url' ? 'square.png' : 'video.mp4';

  it.each([
    ['cannot be fetched', 'missing.png'],
    ['is of the wrong kind', wrong],
  ])('that %s is told by the dry run in the words of the real one, and nothing is uploaded', async (_what, file) => {
    const ad = { ...goodAdOf(app, subject, world), ...put(`${app.sandbox.url}/media/${file}`) };
    const post = (body: object) => app.call('POST', '/v1/ads/create', { key: world.key, body });
    const real = await post(ad);
    const entries = await received(app, subject, async () => {
      const dry = await post({ ...ad, validateOnly: true });
      expect(dry).toMatchObject({ status: 400, body: { code: 'invalid_field_value', param: field } });
      expect(dry.body.details.fields).toEqual(real.body.details.fields);
      expect(Object.keys(dry.body.details.fields)).toContain(field);
    });
    expect(entries.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

describe('engagement on D', () => {
  it.each([true, false])('as a custom identity is refused before any call, validateOnly %s', async (validateOnly) => {
    const subject = subjects.find((one) => one.platform === 'D');
    if (!subject) throw new Error('There is no platform D');
    const world = await worldOf(app, subject);
    const body = { ...goodAdOf(app, subject, world, 'engagement'), identityType: 'CUSTOMIZED_USER', validateOnly };
    const entries = await received(app, subject, async () => {
      const answer = await app.call('POST', '/v1/ads/create', { key: world.key, body });
      const said = 'must be NETWORK_C_USER: followers are won for a person';
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field_value', param: 'identityType' } });
      expect(answer.body.details.fields).toEqual({ identityType: [expect.stringContaining(said)] });
    });
    expect(entries.filter(({ path }) => !/oauth2|advertiser/.test(path))).toEqual([]);
  });
});
