import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { parseParam, parseQuery } from '../../../src/dev/sandbox/professional/restli.ts';
import {
  caller,
  atOnce,
  campaignOf,
  connect,
  control,
  creativeOf,
  groupOf,
  patch,
  postOf,
  refused,
  type Answer,
  type Call,
  type Fields,
  type Person,
} from './restli.ts';

let sandbox: Sandbox;
let person: Person;
let account: string;
let call: Call;

beforeAll(async () => {
  sandbox = await startSandbox();
  await use(sandbox.url);
});
afterAll(() => sandbox.stop());

async function use(url: string): Promise<void> {
  person = await connect(url);
  account = person.adAccounts[0]?.id ?? '';
  call = caller(url, person.accessToken);
}

const own = (collection: string): string => `adAccounts/${account}/${collection}`;
const newGroup = async (extra: Fields = {}): Promise<string> =>
  (await call('POST', own('adCampaignGroups'), { json: groupOf(account, extra) })).id;
const newCampaign = async (group: string, extra: Fields = {}): Promise<string> => {
  const json = campaignOf(account, group, { associatedEntity: person.organizations[0]?.urn, ...extra });
  return (await call('POST', own('adCampaigns'), { json })).id;
};
let posts = 0;
const newCreative = async (campaign: string, extra: Fields = {}): Promise<string> => {
  posts += 1;
  const json = postOf(person.organizations[0]?.urn, account, { commentary: `Number ${posts}` });
  const { id } = await call('POST', 'posts', { json });
  return (await call('POST', own('creatives'), { json: creativeOf(campaign, id, extra) })).id;
};
const namesOf = ({ body }: Answer): string[] => body.elements.map(({ name }: { name: string }) => name);
const urns = (...values: string[]): string => `List(${values.map(encodeURIComponent).join(',')})`;

describe('the punctuation of addresses', () => {
  it('is structure where it is raw, and data where it is encoded', () => {
    expect(
      parseQuery('q=search&search=(status:(values:List(ACTIVE,PAUSED)),name:(values:List(A%2CB%20%28c%29)))'),
    ).toEqual({
      q: 'search',
      search: { status: { values: ['ACTIVE', 'PAUSED'] }, name: { values: ['A,B (c)'] } },
    });
    expect(parseParam('List()')).toEqual([]);
    expect(parseQuery('pageToken=&fields=id,name')).toEqual({ pageToken: '', fields: ['id', 'name'] });
    for (const odd of ['urn:li:x', 'List(a', '(a:b', 'List(a,)x', '(a)', 'a)', '%E0%A4%A'])
      expect(() => parseParam(odd)).toThrow('Syntax exception');
  });

  it('is refused when a URN comes raw', async () => {
    expect((await call('GET', 'adTargetingEntities?q=urns&urns=List(urn:li:geo:1)')).status).toBe(400);
    expect((await call('GET', `adAccounts?q=search&colour=red`)).status).toBe(400);
  });
});

describe('searches', () => {
  it('go through pages with a token, each entity once', async () => {
    for (let made = 0; made < 5; made += 1) await newGroup({ name: `Page ${made}` });
    const seen: string[] = [];
    let token = '';
    do {
      const answer = await call('GET', `${own('adCampaignGroups')}?q=search&pageSize=2&pageToken=${token}`);
      seen.push(...namesOf(answer));
      token = answer.body.metadata.nextPageToken ?? '';
    } while (token);
    expect(seen).toEqual([0, 1, 2, 3, 4].map((made) => `Page ${made}`));
    const newest = await call('GET', `${own('adCampaignGroups')}?q=search&pageSize=1&sortOrder=DESCENDING&fields=name`);
    expect(newest.body.elements).toEqual([{ name: 'Page 4' }]);
    expect((await call('GET', `${own('adCampaignGroups')}?q=search&pageSize=1001`)).status).toBe(400);
    expect((await call('GET', `${own('adCampaignGroups')}?q=search&pageToken=x`)).status).toBe(400);
  });

  it('find by exact name, status and group', async () => {
    const group = await newGroup({ name: 'A, (b): c' });
    await newCampaign(group, { name: 'Draft' });
    const paused = await newCampaign(group, { name: 'Paused', status: 'PAUSED' });
    const find = (search: string, collection = 'adCampaigns'): Promise<Answer> =>
      call('GET', `${own(collection)}?q=search&search=(${search})`);
    const name = encodeURIComponent('A, (b): c').replaceAll('(', '%28').replaceAll(')', '%29');
    expect(namesOf(await find(`name:(values:List(${name}))`, 'adCampaignGroups'))).toEqual(['A, (b): c']);
    const ofGroup = `campaignGroup:(values:${urns(`urn:li:sponsoredCampaignGroup:${group}`)})`;
    expect(namesOf(await find(ofGroup))).toEqual(['Draft', 'Paused']);
    expect(namesOf(await find(`${ofGroup},status:(values:List(PAUSED,ACTIVE))`))).toEqual(['Paused']);
    expect(namesOf(await find(`id:(values:List(${paused})),test:false`))).toEqual(['Paused']);
    await patch(call, `${own('adCampaigns')}/${paused}`, { name: 'Renamed' });
    expect(namesOf(await find('name:(values:List(Paused))'))).toEqual([]);
    expect(namesOf(await find('name:(values:List(Renamed))'))).toEqual(['Renamed']);
    expect((await find('colour:(values:List(red))')).status).toBe(400);
  });

  it('refuse a status that the kind of object does not have', async () => {
    const having = (collection: string, status: string) =>
      call('GET', `${own(collection)}?q=search&search=(status:(values:List(${status})))`);
    expect((await having('adCampaigns', 'COMPLETED')).status).toBe(200);
    expect((await having('adCampaignGroups', 'PAUSED,COMPLETED')).status).toBe(400);
  });

  it('find creatives by campaign, at most a hundred a page', async () => {
    const campaign = await newCampaign(await newGroup());
    const creative = await newCreative(campaign);
    const path = `${own('creatives')}?q=criteria&campaigns=${urns(`urn:li:sponsoredCampaign:${campaign}`)}`;
    const find = (more = '') => call('GET', path + more, { headers: { 'X-RestLi-Method': 'FINDER' } });
    expect((await find()).body.elements).toMatchObject([{ id: creative }]);
    expect((await find('&intendedStatuses=List(PAUSED)')).body.elements).toEqual([]);
    expect((await find('&pageSize=101')).status).toBe(400);
    expect(await call('GET', path)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('FINDER') },
    });
    const { body } = await call('GET', `${own('creatives')}?ids=${urns(creative, 'urn:li:sponsoredCreative:1')}`);
    expect(body).toMatchObject({
      results: { [creative]: { id: creative } },
      statuses: { [creative]: 200, 'urn:li:sponsoredCreative:1': 404 },
      errors: { 'urn:li:sponsoredCreative:1': { status: 404 } },
    });
  });

  it('are refused without a condition where there is too much to return', async () => {
    await use(sandbox.url);
    const elements = Array.from({ length: 1001 }, (_, made) => groupOf(account, { name: `Many ${made}` }));
    const headers = { 'X-RestLi-Method': 'BATCH_CREATE' };
    await call('POST', own('adCampaignGroups'), { json: { elements }, headers });
    expect(await call('GET', `${own('adCampaignGroups')}?q=search`)).toMatchObject(
      refused(400, /^Request would return too many entities\.$/),
    );
    const some = await call(
      'GET',
      `${own('adCampaignGroups')}?q=search&search=(status:(values:List(ACTIVE)))&pageSize=1000`,
    );
    expect(some.body.elements).toHaveLength(1000);
  });
});

describe('figures', () => {
  const range = 'dateRange=(start:(year:2026,month:1,day:1))&timeGranularity=ALL';
  const fields = 'fields=impressions,clicks,costInLocalCurrency,pivotValues';
  const ask = (rest: string): Promise<Answer> => call('GET', `adAnalytics?q=analytics&${rest}`);

  it('come per creative once its campaign ran, the same each time, and for nothing else', async () => {
    const [idle, ran] = [await newCampaign(await newGroup()), await newCampaign(await newGroup(atOnce()), atOnce())];
    const [quiet, shown] = [await newCreative(idle), await newCreative(ran)];
    await patch(call, `${own('adCampaigns')}/${ran}`, { status: 'ACTIVE' });
    const path = `pivot=CREATIVE&${range}&creatives=${urns(quiet, shown)}&${fields}`;
    const { body } = await ask(path);
    expect(body.elements).toEqual([
      {
        impressions: expect.any(Number),
        clicks: expect.any(Number),
        costInLocalCurrency: expect.stringMatching(/^\d+\.\d\d$/),
        pivotValues: [shown],
      },
    ]);
    expect((await ask(path)).body).toEqual(body);
    const ofAccount = `pivot=CREATIVE&${range}&accounts=${urns(`urn:li:sponsoredAccount:${account}`)}&${fields}`;
    expect((await ask(ofAccount)).body.elements).toEqual(body.elements);
    const ofCampaign = `pivot=CAMPAIGN&${range}&campaigns=${urns(`urn:li:sponsoredCampaign:${ran}`)}&${fields}`;
    expect((await ask(ofCampaign)).body.elements).toMatchObject([{ pivotValues: [`urn:li:sponsoredCampaign:${ran}`] }]);
  });

  it('are refused where the query is too long for an address', async () => {
    const many = Array.from({ length: 100 }, (_, at) => `urn:li:sponsoredCreative:${1_000_000_000 + at}`);
    expect((await ask(`pivot=CREATIVE&${range}&creatives=${urns(...many)}&${fields}`)).status).toBe(414);
  });

  it('are refused without facet, range or pivot, and with unknown fields', async () => {
    const accounts = `accounts=${urns(`urn:li:sponsoredAccount:${account}`)}`;
    expect((await ask(`pivot=CREATIVE&${range}`)).status).toBe(400);
    expect((await ask(`pivot=CREATIVE&timeGranularity=ALL&${accounts}`)).status).toBe(400);
    expect((await ask(`${range}&${accounts}`)).status).toBe(400);
    expect((await ask(`pivot=CREATIVE&${range}&${accounts}&fields=spend`)).status).toBe(400);
  });

  it('have impressions and clicks where no fields are named, and both currencies where they are', async () => {
    const path = `pivot=ACCOUNT&dateRange=(start:(year:2026,month:1,day:1))&timeGranularity=ALL&accounts=${urns(`urn:li:sponsoredAccount:${account}`)}`;
    expect((await ask(path)).body.elements).toEqual([{ impressions: expect.any(Number), clicks: expect.any(Number) }]);
    const { elements } = (await ask(`${path}&fields=costInLocalCurrency,costInUsd`)).body;
    expect(elements).toEqual([{ costInLocalCurrency: elements[0].costInUsd, costInUsd: expect.any(String) }]);
  });

  it('take several pivots in the finder for statistics, but none of members, and at most 20 fields', async () => {
    const rest = `${range}&accounts=${urns(`urn:li:sponsoredAccount:${account}`)}`;
    const both = (query: string): Promise<Answer> => call('GET', `adAnalytics?${query}&${rest}`);
    const { body } = await both(
      'q=statistics&pivots=List(CAMPAIGN,IMPRESSION_DEVICE_TYPE)&fields=impressions,pivotValues',
    );
    expect(body.elements[0].pivotValues).toEqual([expect.stringContaining('sponsoredCampaign'), expect.any(String)]);
    for (const [query, status] of [
      ['q=statistics&pivots=List(CAMPAIGN,MEMBER_COUNTRY_V2)', 400],
      ['q=statistics&pivots=List(ACCOUNT,CAMPAIGN_GROUP,CAMPAIGN,CREATIVE)', 400],
      ['q=statistics&pivot=CAMPAIGN', 400],
      ['q=analytics&pivots=List(CAMPAIGN)', 400],
      ['q=analytics&pivot=MEMBER_COUNTRY_V2', 200],
      ['q=analytics&pivot=MEMBER_COUNTRY_V2&fields=conversionValueInLocalCurrency', 400],
      ['q=analytics&pivot=MEMBER_COUNTRY_V2&fields=approximateMemberReach', 400],
      [`q=analytics&pivot=ACCOUNT&fields=${Array.from({ length: 21 }, () => 'clicks').join(',')}`, 400],
    ] as const)
      expect({ query, status: (await both(query)).status }).toEqual({ query, status });
  });

  it('are throttled by the number of their values', async () => {
    const rest = `${range}&accounts=${urns(`urn:li:sponsoredAccount:${account}`)}`;
    await control(sandbox.url, 'quirks', { mostValues: 0 });
    const throttled = await ask(`pivot=ACCOUNT&${rest}`);
    await control(sandbox.url, 'quirks', {});
    expect(throttled).toMatchObject(refused(429, /metric values in 5 minutes/));
    expect((await ask(`pivot=ACCOUNT&${rest}`)).status).toBe(200);
  });

  it('are refused without the scope for reports, and empty without a role on the ad account', async () => {
    const path = `adAnalytics?q=analytics&pivot=CREATIVE&${range}&accounts=${urns(`urn:li:sponsoredAccount:${account}`)}`;
    const { accessToken: token } = await connect(sandbox.url, { scopes: ['r_ads', 'rw_ads'] });
    expect(await call('GET', path, { token })).toMatchObject(refused(403, /r_ads_reporting/));
    const { accessToken: other } = await connect(sandbox.url);
    const { status, body } = await call('GET', path, { token: other });
    expect({ status, elements: body.elements }).toEqual({ status: 200, elements: [] });
  });
});

describe('targeting', () => {
  const typed = async (facet: string, query: string): Promise<Fields[]> => {
    const name = encodeURIComponent(`urn:li:adTargetingFacet:${facet}`);
    const path = `adTargetingEntities?q=typeahead&facet=${name}&query=${encodeURIComponent(query)}&queryVersion=QUERY_USES_URNS`;
    return (await call('GET', path)).body.elements;
  };

  it.each([
    ['United States', 'urn:li:geo:103644278'],
    ['United Kingdom', 'urn:li:geo:101165590'],
    ['Germany', 'urn:li:geo:101282230'],
    ['France', 'urn:li:geo:105015875'],
    ['Japan', 'urn:li:geo:101355337'],
    ['Canada', 'urn:li:geo:101174742'],
  ])('names %s first, then the places in it', async (name, urn) => {
    const [first, ...rest] = await typed('locations', name);
    expect(first).toEqual({ urn, facetUrn: 'urn:li:adTargetingFacet:locations', name });
    expect(rest.length).toBeGreaterThan(0);
  });

  it('finds cities, regions and interests by what is typed', async () => {
    expect(await typed('locations', 'berl')).toMatchObject([{ name: 'Berlin, Berlin, Germany' }]);
    expect(await typed('locations', 'calif')).toMatchObject([{ name: 'California, United States' }, {}]);
    expect(await typed('interests', 'garden')).toMatchObject([{ urn: expect.stringMatching(/^urn:li:interest:\d+$/) }]);
    expect(await typed('locations', 'nowhere')).toEqual([]);
  });

  it('counts the audience of criteria in the address', async () => {
    const or = `(urn%3Ali%3AadTargetingFacet%3Alocations:${urns('urn:li:geo:103644278')})`;
    const criteria = `(include:(and:List((or:${or}))))`;
    const { body } = await call('GET', `audienceCounts?q=targetingCriteriaV2&targetingCriteria=${criteria}`);
    expect(body.elements).toEqual([{ active: 0, total: expect.any(Number) }]);
    const ofAccount = `account=${encodeURIComponent(`urn:li:sponsoredAccount:${account}`)}`;
    const bounds = await call(
      'GET',
      `adBudgetPricing?q=criteriaV2&bidType=CPC&campaignType=SPONSORED_UPDATES&${ofAccount}&targetingCriteria=${criteria}`,
    );
    expect(bounds.body.elements).toMatchObject([{ dailyBudgetLimits: { min: { amount: '10', currencyCode: 'USD' } } }]);
  });
});

it('finds what it held after a restart', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
  const first = await startSandbox({ dataDir });
  await use(first.url);
  const group = await newGroup({ name: 'Kept' });
  await newCampaign(group, { name: 'Below' });
  await first.stop();
  const second = await startSandbox({ dataDir });
  call = caller(second.url, person.accessToken);
  const search = `search=(campaignGroup:(values:${urns(`urn:li:sponsoredCampaignGroup:${group}`)}))`;
  expect(namesOf(await call('GET', `${own('adCampaigns')}?q=search&${search}`))).toEqual(['Below']);
  expect(await newGroup()).not.toBe(group);
  await second.stop();
  rmSync(dataDir, { recursive: true });
});
