import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import type { AdPlatform } from '../../src/contract/platforms.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { discovered, fault, fixtureOf, goodAdOf, noFaults, received, subjects, type Entry } from './platforms.ts';

type Body = Record<string, unknown>;
type Parameter = { key: string; value: string };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
afterEach(() => noFaults(app));

const link = 'https://shop.example/spring';
const text = { key: 'utm_source', value: "Grün & blau, 100% (o'clock)" };
const encoded = 'utm_source=Gr%C3%BCn%20%26%20blau%2C%20100%25%20%28o%27clock%29';

/** The platform's word for each name that it replaces. */
const words: Record<AdPlatform, Record<string, string>> = {
  A: {
    '{campaignId}': '{{campaign.id}}',
    '{campaignName}': '{{campaign.name}}',
    '{adSetId}': '{{adset.id}}',
    '{adSetName}': '{{adset.name}}',
    '{adId}': '{{ad.id}}',
    '{adName}': '{{ad.name}}',
    '{placement}': '{{placement}}',
  },
  B: {
    '{campaignId}': '{campaignid}',
    '{adSetId}': '{adgroupid}',
    '{adId}': '{creative}',
    '{placement}': '{placement}',
  },
  C: {
    '{campaignId}': '{campaignid}',
    '{campaignName}': '{campaign_name}',
    '{adSetId}': '{adgroupid}',
    '{adId}': '{adid}',
  },
  D: {
    '{campaignId}': '__CAMPAIGN_ID__',
    '{campaignName}': '__CAMPAIGN_NAME__',
    '{adSetId}': '__AID__',
    '{adSetName}': '__AID_NAME__',
    '{adId}': '__CID__',
    '{adName}': '__CID_NAME__',
    '{placement}': '__PLACEMENT__',
  },
  E: {},
  F: {
    '{campaignId}': 'CAMPAIGN_GROUP_ID',
    '{campaignName}': 'CAMPAIGN_GROUP_NAME',
    '{adSetId}': 'CAMPAIGN_ID',
    '{adSetName}': 'CAMPAIGN_NAME',
    '{adId}': 'CREATIVE_ID',
    '{adName}': 'CREATIVE_NAME',
  },
};

const bodyOf = (entries: Pick<Entry, 'body'>[], part: string): any =>
  entries.map(({ body }) => body).find((body) => JSON.stringify(body ?? null).includes(part));

/** The parameters or the whole link as the platform receives them. */
const wireOf: Record<AdPlatform, (entries: Pick<Entry, 'body'>[]) => unknown[]> = {
  A: (entries) => [bodyOf(entries, 'object_story_spec')?.url_tags],
  B: (entries) => {
    const operations: Body[] = bodyOf(entries, 'adGroupAdOperation')?.mutateOperations ?? bodyOf(entries, 'finalUrls');
    const made = operations.find((operation) => 'adGroupAdOperation' in operation) as any;
    return [made.adGroupAdOperation.create.ad.finalUrlSuffix];
  },
  C: (entries) => [
    bodyOf(entries, 'media_source').link,
    [bodyOf(entries, 'destination_url')].flat()[0].destination_url,
  ],
  D: (entries) => [bodyOf(entries, 'landing_page_url').creatives[0].landing_page_url],
  E: (entries) => [String(bodyOf(entries, 'as_user_id').text).split(' ').at(-1)],
  F: (entries) => [bodyOf(entries, 'contentLandingPage').contentLandingPage, bodyOf(entries, 'dynamicValueParameters')],
};

/** What that is for parameters of text and of names alone. */
function expected(platform: AdPlatform, parameters: Parameter[], query: string): unknown[] {
  const whole = `${link}?${query}`;
  if (platform === 'A' || platform === 'B') return [query];
  if (platform !== 'F') return platform === 'C' ? [whole, whole] : [whole];
  const isText = ({ value }: Parameter): boolean => words.F[value] === undefined;
  const pairs = (some: Parameter[]): Body =>
    Object.fromEntries(some.map(({ key, value }) => [key, words.F[value] ?? value]));
  const dynamicValueParameters = pairs(parameters.filter((parameter) => !isText(parameter)));
  return [link, { dynamicValueParameters, customValueParameters: pairs(parameters.filter(isText)) }];
}

const query = `mutation ($input: CreateAdInput!) {
  createAd(input: $input) { ad { urlParameters { key value } } warnings { param message } requests { body } }
}`;

describe.each(subjects)('URL parameters on platform $platform', (subject) => {
  const { platform } = subject;
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const order = (more: Body): Body => ({ ...goodAdOf(app, subject, fixture), ...more });
  const create = (body: Body, key = newId()): Promise<Answer> =>
    app.call('POST', '/v1/ads/create', { key: fixture.key, body, headers: { 'Idempotency-Key': key } });
  const graph = async (input: Body): Promise<any> => {
    const variables = { input: { ...input, goal: 'TRAFFIC', budgetType: 'DAILY' } };
    return (await app.graphql(query, variables, { key: fixture.key })).body;
  };
  const names = Object.keys(words[platform]);
  const parameters = [text, ...names.map((value, at) => ({ key: `p${at}`, value }))];
  const wire = [encoded, ...names.map((name, at) => `p${at}=${words[platform][name]}`)].join('&');

  it('reach the platform percent-encoded and with its own words for all names, and are shown', async () => {
    let made: Answer | undefined;
    const entries = await received(app, subject, async () => {
      made = await create(order({ urlParameters: parameters }));
    });
    expect(made).toMatchObject({
      status: 201,
      body: { ad: { urlParameters: parameters, creative: { linkUrl: link } } },
    });
    const writes = entries.filter(({ method }) => method !== 'GET');
    expect(wireOf[platform](writes)).toEqual(expected(platform, parameters, wire));
    const { platforms } = (await app.call('GET', '/v1/platforms', { key: fixture.key })).body;
    expect(platforms.find((row: Body) => row['platform'] === platform).urlMacros).toEqual(names);
    await discovered(app, fixture);
    const { body } = await app.call('GET', `/v1/ads/${made?.body.ad._id}`, { key: fixture.key });
    expect(body.ad.urlParameters).toEqual(parameters);
  });

  it('are the same in a dry run of either API', async () => {
    const input = order({ urlParameters: parameters, validateOnly: true });
    const rest = await create(input);
    expect(wireOf[platform](rest.body.requests)).toEqual(expected(platform, parameters, wire));
    const { data } = await graph(input);
    expect(wireOf[platform](data.createAd.requests)).toEqual(wireOf[platform](rest.body.requests));
    expect(data.createAd.warnings ?? []).toEqual(rest.body.warnings ?? []);
  });

  it('are rejected where the platform or the link does not allow them, and nothing is sent', async () => {
    const urlParameters = [
      { key: 'a', value: '{keyword}' },
      { key: 'b', value: 'plain' },
      { key: 'c', value: '{{campaign.id}}' },
    ];
    const replaced = names.length > 0 ? `only ${names.join(', ')}` : 'no names in braces';
    const fields = {
      'urlParameters.0.value': [`contains {keyword}, but platform ${platform} replaces ${replaced}`],
      'urlParameters.1.key': ['b is already a parameter of the link'],
      'urlParameters.2.value': [`contains {campaign.id}, but platform ${platform} replaces ${replaced}`],
    };
    const input = order({ urlParameters, linkUrl: `${link}?a%20=1&b=2#b` });
    const entries = await received(app, subject, async () => {
      expect(await create(input)).toMatchObject({ status: 400, body: { code: 'invalid_field_value' } });
      expect((await create(input)).body.details.fields).toEqual(fields);
      const { errors } = await graph(input);
      expect(errors[0].extensions).toMatchObject({ code: 'invalid_field_value', details: { fields } });
    });
    expect(entries.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('are changed by updateAd where they are apart from the creative, and else 501 changes nothing', async () => {
    const { ad } = (await create(order({ urlParameters: [text] }))).body;
    const isApart = platform === 'B' || platform === 'F';
    const changed = [{ key: 'utm_content', value: isApart ? '{adId}' : 'x' }];
    const put = (body: Body): Promise<Answer> => app.call('PUT', `/v1/ads/${ad._id}`, { key: fixture.key, body });
    let answer: Answer | undefined;
    const entries = await received(app, subject, async () => {
      answer = await put({ name: 'Summer', urlParameters: changed });
    });
    const writes = entries.filter(({ method }) => method !== 'GET');
    if (!isApart) {
      const { status, body } = answer as Answer;
      expect({ status, code: body.code, param: body.param }).toEqual({
        status: 501,
        code: 'unsupported_platform_operation',
        param: 'urlParameters',
      });
      expect(writes).toEqual([]);
      return;
    }
    expect(answer).toMatchObject({ status: 200, body: { ad: { name: 'Summer', urlParameters: changed } } });
    expect(JSON.stringify(writes.at(-1)?.body)).toContain(
      platform === 'B'
        ? '"finalUrlSuffix":"utm_content={creative}"'
        : '"dynamicValueParameters":{"utm_content":"CREATIVE_ID"}',
    );
    expect(await put({ urlParameters: [{ key: 'utm_content', value: '{placementX}' }] })).toMatchObject({
      status: 400,
      body: { param: 'urlParameters.0.value' },
    });
    const mutation = `mutation { updateAd(adId: "${ad._id}", input: { urlParameters: [{ key: "k", value: "v" }] }) {
      ad { urlParameters { key value } } warnings { param message } } }`;
    const { data } = (await app.graphql(mutation, {}, { key: fixture.key })).body;
    expect(data.updateAd.ad.urlParameters).toEqual([{ key: 'k', value: 'v' }]);
    const updates = async (): Promise<string[]> =>
      (await app.app.services.db.webhookEvents.find({ userId: fixture.userId }).lean())
        .map(({ body }) => JSON.parse(body as string))
        .filter((body) => body.event === 'ad.updated' && body.ad._id === ad._id)
        .flatMap((body): string[] => body.ad.changed)
        .toSorted();
    await expect.poll(updates).toEqual(['name', 'urlParameters', 'urlParameters']);
    await discovered(app, fixture);
    const stored = await app.call('GET', `/v1/ads/${ad._id}`, { key: fixture.key });
    expect(stored.body.ad.urlParameters).toEqual([{ key: 'k', value: 'v' }]);
  });
});

describe('URL parameters', () => {
  const subjectOf = (platform: AdPlatform) => {
    const subject = subjects.find((one) => one.platform === platform);
    if (!subject) throw new Error(`There is no platform ${platform}`);
    return subject;
  };
  const fixtures = new Map<AdPlatform, UserFixture>();
  const on = async (platform: AdPlatform) => {
    const subject = subjectOf(platform);
    const fixture = fixtures.get(platform) ?? (await fixtureOf(app, subject));
    fixtures.set(platform, fixture);
    const create = (more: Body, key = newId()): Promise<Answer> =>
      app.call('POST', '/v1/ads/create', {
        key: fixture.key,
        body: { ...goodAdOf(app, subject, fixture), ...more },
        headers: { 'Idempotency-Key': key },
      });
    return { subject, fixture, create };
  };

  it('of found ads are read from A and B, and on F stay those that were set here', async () => {
    const urlParameters = [text, { key: 'utm_campaign', value: '{campaignId}' }];
    for (const platform of ['A', 'B', 'F'] as const) {
      const { fixture, create } = await on(platform);
      const { ad } = (await create({ urlParameters })).body;
      await app.app.services.db.ads.deleteOne({ _id: ad._id });
      await discovered(app, fixture);
      const list = async (): Promise<Body[]> =>
        (await app.call('GET', `/v1/ads?accountId=${fixture.accountId}&limit=100`, { key: fixture.key })).body.ads;
      const foundAd = (await list()).find(({ platformAdId }) => platformAdId === ad.platformAdId);
      expect(foundAd, platform).toMatchObject({
        isExternal: true,
        urlParameters: platform === 'F' ? null : urlParameters,
      });
      if (platform === 'A') continue;
      const body = { urlParameters: [{ key: 'k', value: 'v' }] };
      const answer = await app.call('PUT', `/v1/ads/${String(foundAd?.['_id'])}`, { key: fixture.key, body });
      expect(answer, platform).toMatchObject({ status: 200, body: { ad: body } });
      await discovered(app, fixture);
      const again = (await list()).find(({ platformAdId }) => platformAdId === ad.platformAdId);
      expect(again, platform).toMatchObject(body);
    }
  });

  it('of one ad on F are changed for all ads of its ad set, with a warning, and those of other ad sets stay', async () => {
    const { fixture, create } = await on('F');
    const { db } = app.app.services;
    const [ad, other] = [(await create({})).body.ad, (await create({ urlParameters: [text] })).body.ad];
    const { order: _order, ...record } = await db.ads.findOne({ _id: ad._id }).lean().orFail();
    const twin = { _id: newId(), orderId: newId(), platformAdId: 'urn:li:sponsoredCreative:7' };
    await db.ads.create({ ...record, ...twin });
    const body = { urlParameters: [{ key: 'a', value: '{adSetId}' }] };
    const answer = await app.call('PUT', `/v1/ads/${ad._id}`, { key: fixture.key, body });
    expect(answer).toMatchObject({
      status: 200,
      body: { ad: body, warnings: [{ param: 'urlParameters', message: 'apply to all ads of the ad set' }] },
    });
    const shown = async (id: string): Promise<unknown> =>
      (await app.call('GET', `/v1/ads/${id}`, { key: fixture.key })).body.ad.urlParameters;
    expect(await shown(twin._id)).toEqual(body.urlParameters);
    expect(await shown(other._id)).toEqual([text]);
  });

  it('of entries of creatives replace those of the request', async () => {
    const { subject, fixture, create } = await on('A');
    const { headline, body, callToAction, linkUrl, imageUrl, ...rest } = goodAdOf(app, subject, fixture);
    const entry = { headline, body, callToAction, linkUrl, imageUrl };
    const own = [{ key: 'utm_term', value: '{adName}' }];
    const input = { ...rest, urlParameters: [text], creatives: [{ ...entry, urlParameters: own }, entry] };
    let made: Answer | undefined;
    const entries = await received(app, subject, async () => {
      made = await app.call('POST', '/v1/ads/create', { key: fixture.key, body: input });
    });
    const tags = entries
      .filter(({ path }) => path.endsWith('/adcreatives'))
      .map(({ body: sent }) => (sent as any).url_tags);
    expect(tags).toEqual(['utm_term={{ad.name}}', encoded]);
    expect(made).toMatchObject({
      status: 201,
      body: {
        ads: [{ urlParameters: own }, { urlParameters: [text] }],
        warnings: [{ param: 'creatives.0.urlParameters.0.value', message: expect.stringContaining('first published') }],
      },
    });
    const inLink = { ...entry, linkUrl: `${link}?utm_source=x` };
    const wrong = { ...input, creatives: [{ ...inLink, urlParameters: own }, entry, inLink] };
    const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body: wrong });
    expect(answer.body.details.fields).toEqual({
      'urlParameters.0.key': ['utm_source is already a parameter of the link'],
    });
    expect(create).toBeTypeOf('function');
  });

  it('of an ad in an existing ad set are its own', async () => {
    const { subject, fixture, create } = await on('A');
    const { ad } = (await create({})).body;
    const { goal: _goal, budgetAmount: _amount, budgetType: _type, ...rest } = goodAdOf(app, subject, fixture);
    const body = { ...rest, adSetId: ad.platformAdSetId, urlParameters: [text] };
    const made = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect(made).toMatchObject({ status: 201, body: { ad: { urlParameters: [text] } } });
    const { body: before } = await app.call('GET', `/v1/ads/${ad._id}`, { key: fixture.key });
    expect(before.ad.urlParameters).toBeNull();
  });

  it('do not make the text of an ad on E heavier', async () => {
    const { create } = await on('E');
    const mark = Math.random().toString(36).slice(2);
    const body = `${mark}${'x'.repeat(280 - 24 - mark.length)}`;
    const urlParameters = [{ key: 'utm_content', value: 'Mr. & Mrs. Smith.'.repeat(11) }];
    expect(await create({ body, urlParameters })).toMatchObject({ status: 201 });
    expect(await create({ body: `${body}x`, urlParameters })).toMatchObject({ status: 400, body: { param: 'body' } });
  });

  it('need a link, and on F an ad that leads to its page', async () => {
    const urlParameters = [text];
    const onE = await on('E');
    expect(await onE.create({ goal: 'awareness', linkUrl: undefined, urlParameters })).toMatchObject({
      status: 400,
      body: { code: 'missing_required_field', param: 'linkUrl' },
    });
    const { subject, fixture, create } = await on('F');
    const form = goodAdOf(app, subject, fixture, 'lead_generation');
    expect(await create({ ...form, urlParameters })).toMatchObject({ status: 400, body: { param: 'urlParameters' } });
    const partly = [{ key: 'a', value: 'from {campaignId}' }];
    expect(await create({ urlParameters: partly })).toMatchObject({
      status: 400,
      body: { details: { fields: { 'urlParameters.0.value': [expect.stringContaining('either text or one name')] } } },
    });
  });

  it('reach F whatever their keys are', async () => {
    const { create } = await on('F');
    const urlParameters = [
      { key: '__proto__', value: 'a' },
      { key: 'constructor', value: '{adId}' },
    ];
    const { requests } = (await create({ urlParameters, validateOnly: true })).body;
    const sent = '"dynamicValueParameters":{"constructor":"CREATIVE_ID"},"customValueParameters":{"__proto__":"a"}';
    expect(JSON.stringify(requests)).toContain(sent);
  });

  it('make no link that is longer than a link may be', async () => {
    const { create } = await on('C');
    const urlParameters = Array.from({ length: 14 }, (_, at) => ({ key: `k${at}`, value: 'ü'.repeat(200) }));
    expect(await create({ urlParameters })).toMatchObject({
      status: 400,
      body: { details: { fields: { urlParameters: [expect.stringContaining('at most 2048')] } } },
    });
  });

  it.each(['reset_after', 'html_502', 'http_500'])(
    'are written again on F after a %s, before anything runs',
    async (name) => {
      const { subject, create } = await on('F');
      const body = { name: `Retried ${name}`, body: `Retried ${newId()}`, urlParameters: [text] };
      const order = { ...goodAdOf(app, subject, fixtures.get('F') as UserFixture), ...body };
      const key = newId();
      await fault(app, subject, { fault: name, match: { method: 'PUT', path: 'adTrackingParameters' } });
      const entries = await received(app, subject, async () => {
        const first = await create(order, key);
        await noFaults(app);
        if (first.status !== 201) expect(await create(order, key)).toMatchObject({ status: 201 });
      });
      const paths = entries.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
      const tracking = paths.filter((path) => path.includes('adTrackingParameters'));
      expect(tracking.length).toBeGreaterThan(1);
      const activation = paths.findIndex((path) => /POST .*adCampaigns\/\d+$/.test(path));
      expect(paths.findLastIndex((path) => path.includes('adTrackingParameters'))).toBeLessThan(activation);
      expect(paths.filter((path) => path.endsWith('/creatives'))).toHaveLength(1);
    },
  );

  it('of a campaign on A and D go with its copy', async () => {
    for (const platform of ['A', 'D'] as const) {
      const { subject, fixture, create } = await on(platform);
      const urlParameters = [text, { key: 'c', value: '{campaignId}' }];
      const { ad } = (await create({ urlParameters })).body;
      const path = `/v1/ads/campaigns/${ad.platformCampaignId}/duplicate`;
      const body = { platform: subject.account };
      const list = async (of: string): Promise<Body[]> =>
        (
          await app.call('GET', `/v1/ads?accountId=${fixture.accountId}&limit=100`, { key: fixture.key })
        ).body.ads.filter(({ platformCampaignId }: Body) => platformCampaignId === of);
      const entries = await received(app, subject, async () => {
        const copy = await app.call('POST', path, { key: fixture.key, body });
        expect(copy, platform).toMatchObject({ status: 200 });
        await expect.poll(() => list(copy.body.copiedCampaignId)).toMatchObject([{ urlParameters }]);
      });
      if (platform === 'D') expect(JSON.stringify(entries)).toContain(`?${encoded}&c=__CAMPAIGN_ID__`);
    }
  });
});
