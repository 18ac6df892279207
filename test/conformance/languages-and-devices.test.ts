import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AdPlatform } from '../../src/contract/platforms.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { fixtureOf, goodAdOf, received, subjects, type Entry } from './platforms.ts';

type Body = Record<string, unknown>;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

/** All bodies as one text, without the escapes of JSON within forms. */
const textOf = (entries: Pick<Entry, 'body'>[]): string =>
  entries.map(({ body }) => JSON.stringify(body ?? null).replaceAll('\\', '')).join(' ');

/** What a platform receives for English and German, all variants of them. */
const languages: Record<AdPlatform, string[]> = {
  A: ['"locales":[6,24,1001,5]'],
  B: ['{"languageConstant":"languageConstants/1000"}', '{"languageConstant":"languageConstants/1001"}'],
  C: ['"LOCALE":["en-US","en-GB","de"]'],
  D: ['"languages":["en","de"]'],
  E: ['"targeting_type":"LANGUAGE","targeting_value":"en"', '"targeting_type":"LANGUAGE","targeting_value":"de"'],
  F: [
    '{"or":{"urn:li:adTargetingFacet:interfaceLocales":["urn:li:locale:en_US","urn:li:locale:en_GB","urn:li:locale:de_DE"]}}',
    '"locale":{"country":"US","language":"en"}',
  ],
};

/** What it receives for each kind of device. */
const devices: Partial<Record<AdPlatform, Record<string, string[]>>> = {
  A: { mobile: ['"device_platforms":["mobile"]'], desktop: ['"device_platforms":["desktop"]'] },
  B: {
    mobile: ['"device":{"type":"DESKTOP"},"bidModifier":0', '"device":{"type":"TABLET"},"bidModifier":0'],
    desktop: ['"device":{"type":"MOBILE"},"bidModifier":0', '"device":{"type":"TABLET"},"bidModifier":0'],
    tablet: ['"device":{"type":"MOBILE"},"bidModifier":0', '"device":{"type":"DESKTOP"},"bidModifier":0'],
  },
  C: {
    mobile: ['"APPTYPE":["android_mobile","iphone","web_mobile"]'],
    desktop: ['"APPTYPE":["web"]'],
    tablet: ['"APPTYPE":["android_tablet","ipad"]'],
  },
  E: {
    mobile: ['0', '1', '2', '3'].map((value) => `"targeting_type":"PLATFORM","targeting_value":"${value}"`),
    desktop: ['"targeting_type":"PLATFORM","targeting_value":"4"'],
  },
};

const query = `mutation ($input: CreateAdInput!) {
  createAd(input: $input) { ad { targeting { languages devices } } requests { body } }
}`;

describe.each(subjects)('platform $platform', (subject) => {
  const { platform } = subject;
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const order = (more: Body): Body => ({ ...goodAdOf(app, subject, fixture), ...more });
  const create = (body: Body): Promise<Answer> => app.call('POST', '/v1/ads/create', { key: fixture.key, body });
  const graph = async (input: Body): Promise<any> => {
    const named = (input['devices'] as string[] | undefined)?.map((device) => device.toUpperCase());
    const variables = { input: { ...input, goal: 'TRAFFIC', budgetType: 'DAILY', ...(named && { devices: named }) } };
    return (await app.graphql(query, variables, { key: fixture.key })).body;
  };
  const kinds = Object.keys(devices[platform] ?? {});

  it('receives all variants of the languages, and shows them by their codes', async () => {
    let made: Answer | undefined;
    const entries = await received(app, subject, async () => {
      made = await create(order({ languages: ['EN', 'de'] }));
    });
    expect(made).toMatchObject({
      status: 201,
      body: { ad: { targeting: { languages: ['en', 'de'], devices: null } } },
    });
    for (const part of languages[platform]) expect(textOf(entries)).toContain(part);
    const { data } = await graph(order({ languages: ['de'] }));
    expect(data.createAd.ad.targeting).toEqual({ languages: ['de'], devices: null });
  });

  it('rejects languages that are none or that it lacks, and nothing is made', async () => {
    const wrong = order({ languages: ['de', 'jp', 'englsh', 'en-GB', 'q1'] });
    const lacking = order({ languages: ['de', 'gn'] });
    const entries = await received(app, subject, async () => {
      const { status, body } = await create(wrong);
      expect(status).toBe(400);
      expect(body.details.fields).toEqual({
        'languages.1': ['must be an ISO 639-1 code such as de; did you mean ja?'],
        'languages.2': ['must be an ISO 639-1 code such as de; did you mean en?'],
        'languages.3': ['must be an ISO 639-1 code such as de; did you mean en?'],
        'languages.4': ['must be an ISO 639-1 code such as de'],
      });
      for (const answer of [await create(lacking), await create({ ...lacking, validateOnly: true })]) {
        expect(answer.status).toBe(400);
        const [text] = answer.body.details.fields['languages.1'];
        expect(text).toContain('does not target Guarani (gn)');
        if (platform !== 'A') expect(text).toMatch(/it has .*\bde, .*\ben\b/);
      }
      const { errors } = await graph(lacking);
      expect(Object.keys(errors[0].extensions.details.fields)).toEqual(['languages.1']);
    });
    expect(entries.filter(({ method, path }) => method !== 'GET' && !/:search|:suggest/.test(path))).toEqual([]);
  });

  it('limits an ad to kinds of devices where it can, and else names the platforms that do', async () => {
    const rows = (await app.call('GET', '/v1/platforms', { key: fixture.key })).body.platforms;
    const row = rows.find((one: Body) => one['platform'] === platform);
    expect(row.devices.toSorted()).toEqual(kinds.toSorted());
    if (kinds.length === 0) {
      const answer = await create(order({ devices: ['mobile'] }));
      expect(answer).toMatchObject({
        status: 400,
        body: {
          details: { fields: { devices: [expect.stringContaining('A (network-a, network-b), B (search-display)')] } },
        },
      });
      return;
    }
    for (const kind of kinds) {
      let made: Answer | undefined;
      const entries = await received(app, subject, async () => {
        made = await create(order({ devices: [kind] }));
      });
      expect(made, kind).toMatchObject({ status: 201, body: { ad: { targeting: { devices: [kind] } } } });
      const text = textOf(entries);
      for (const part of devices[platform]?.[kind] ?? []) expect(text, kind).toContain(part);
      for (const other of kinds.filter((one) => one !== kind && platform === 'E'))
        for (const part of devices.E?.[other] ?? []) expect(text, kind).not.toContain(part);
      const dry = await create(order({ devices: [kind], validateOnly: true }));
      for (const part of devices[platform]?.[kind] ?? []) expect(textOf(dry.body.requests), kind).toContain(part);
    }
    const { data } = await graph(order({ devices: ['mobile', 'desktop'] }));
    expect(data.createAd.ad.targeting).toEqual({ languages: null, devices: ['MOBILE', 'DESKTOP'] });
    if (kinds.includes('tablet')) return;
    expect(await create(order({ devices: ['mobile', 'tablet'] }))).toMatchObject({
      status: 400,
      body: { details: { fields: { 'devices.1': [expect.stringContaining('takes mobile, desktop')] } } },
    });
  });
});

it('languages and devices of an ad in an existing ad set are those of the ad set', async () => {
  const [subject] = subjects;
  if (!subject) throw new Error('There is no platform');
  const fixture = await fixtureOf(app, subject);
  const { goal: _goal, budgetAmount: _amount, budgetType: _type, ...rest } = goodAdOf(app, subject, fixture);
  const body = { ...rest, adSetId: '1', languages: ['de'], devices: ['mobile'] };
  const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
  expect(answer).toMatchObject({ status: 400, body: { code: 'mutually_exclusive_fields' } });
  expect(Object.keys(answer.body.details.fields)).toEqual(['languages', 'devices']);
});
