import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { caller, connect, refused, type Call, type Fields, type Person } from './graph.ts';

interface Tree {
  id: string;
  adsets: { id: string; ads: { id: string }[] }[];
}

let sandbox: Sandbox;
let person: Person;
const call: Call = (...args) => caller(sandbox.url, person.accessToken)(...args);
const control = async (path: string, body: object) =>
  (
    await fetch(`${sandbox.url}/control/network-a/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json();
const copy = (id: string, fields: Fields = {}) => call('POST', `${id}/copies`, { fields });

async function grown(adsPerSet: number[], more: { campaign?: Fields; adset?: Fields } = {}): Promise<Tree> {
  const adsets = adsPerSet.map((count, at) => ({
    name: `Set ${at}`,
    fields: more.adset,
    ads: Array.from({ length: count }, (_, no) => ({ name: `Ad ${no}`, status: 'ACTIVE' })),
  }));
  const campaigns = [{ name: 'Sale', status: 'ACTIVE', fields: more.campaign, adsets }];
  const answer = (await control('campaigns', { adAccountId: person.adAccounts[0]?.id, campaigns })) as {
    campaigns: [Tree];
  };
  return answer.campaigns[0];
}

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
});
afterAll(() => sandbox.stop());

describe('a deep copy', () => {
  it('makes the whole tree, paused, and says what came of what', async () => {
    const tree = await grown([2, 1]);
    const { body } = await copy(tree.id, { deep_copy: true });
    expect(body.ad_object_ids.map((entry: Fields) => entry['ad_object_type'])).toEqual([
      'campaign',
      'ad_set',
      'ad',
      'ad',
      'ad_set',
      'ad',
    ]);
    expect(body.ad_object_ids[0]).toMatchObject({ source_id: tree.id, copied_id: body.copied_campaign_id });
    const fields = 'name,status,source_campaign_id,adsets{name,status,source_adset_id,ads{name,status,source_ad_id}}';
    const copied = (await call('GET', `${body.copied_campaign_id}?fields=${fields}`)).body;
    expect(copied).toMatchObject({ name: 'Sale - Copy', status: 'PAUSED', source_campaign_id: tree.id });
    expect(copied.adsets.data).toMatchObject([
      { name: 'Set 0', source_adset_id: tree.adsets[0]?.id, ads: { data: [{ name: 'Ad 0' }, { name: 'Ad 1' }] } },
      { name: 'Set 1', status: 'PAUSED', ads: { data: [{ source_ad_id: tree.adsets[1]?.ads[0]?.id }] } },
    ]);
    const listed = (await call('GET', `${tree.id}/copies`)).body.data;
    expect(listed).toEqual([{ id: body.copied_campaign_id }]);
  });

  it('takes three ads at most, or three children where those count', async () => {
    expect(await copy((await grown([2, 2])).id, { deep_copy: true })).toMatchObject(refused(100, 1885194));
    const tree = await grown([1, 1]);
    await control('copy-limit', { most: 3, counts: 'objects' });
    expect(await copy(tree.id, { deep_copy: true })).toMatchObject(refused(100, 1885194));
    await control('copy-limit', {});
    expect((await copy(tree.id, { deep_copy: true })).status).toBe(200);
  });

  it('leaves out what is deleted, and refuses what is deleted itself', async () => {
    const tree = await grown([3, 1]);
    await call('DELETE', tree.adsets[1]?.id ?? '');
    expect((await copy(tree.id, { deep_copy: true })).body.ad_object_ids).toHaveLength(5);
    await call('DELETE', tree.id);
    expect(await copy(tree.id)).toMatchObject(refused(100, 1487056));
  });

  it('makes nothing when a part of it cannot be made', async () => {
    const tree = await grown([1], { adset: { targeting: { geo_locations: { countries: ['DE'] } } } });
    expect(await copy(tree.id, { deep_copy: true })).toMatchObject(refused(100, 3858079));
    expect((await call('GET', `${tree.id}/copies`)).body.data).toEqual([]);
  });
});

describe('names and statuses of copies', () => {
  it.each([
    [{}, 'Sale - Copy', 'Set 0'],
    [{ rename_strategy: 'NO_RENAME' }, 'Sale', 'Set 0'],
    [{ rename_strategy: 'ONLY_TOP_LEVEL_RENAME', rename_prefix: 'P ', rename_suffix: ' S' }, 'P Sale S', 'Set 0'],
    [{ rename_strategy: 'DEEP_RENAME', rename_prefix: 'P ', rename_suffix: '' }, 'P Sale', 'P Set 0'],
  ])('follow %j', async (options, top, below) => {
    const { body } = await copy((await grown([1])).id, { deep_copy: true, rename_options: options });
    const copied = (await call('GET', `${body.copied_campaign_id}?fields=name,adsets{name}`)).body;
    expect([copied.name, copied.adsets.data[0].name]).toEqual([top, below]);
  });

  it.each([
    ['ACTIVE', 'ACTIVE'],
    ['PAUSED', 'PAUSED'],
    ['INHERITED_FROM_SOURCE', 'ACTIVE'],
  ])('with %s are %s', async (option, status) => {
    const { body } = await copy((await grown([])).id, { status_option: option });
    expect((await call('GET', `${body.copied_campaign_id}?fields=status`)).body.status).toBe(status);
  });

  it.each([
    ['a status', { status_option: 'RUNNING' }],
    ['a strategy', { rename_options: { rename_strategy: 'SOME' } }],
    ['a parameter', { colour: 'red' }],
    ['an end in the past', { deep_copy: true, end_time: '2020-01-01T00:00:00+0000' }, 1487033],
  ])('refuse %s beyond the known', async (_what, fields, subcode?: number) => {
    expect(await copy((await grown([1])).id, fields)).toMatchObject(refused(100, subcode));
  });
});

describe('a copy step by step', () => {
  it('puts ad sets into another campaign and ads into another ad set', async () => {
    const tree = await grown([1, 1]);
    const [set] = tree.adsets;
    const top = (await copy(tree.id, { deep_copy: false })).body;
    expect(top.ad_object_ids).toBeUndefined();
    const rename = { rename_options: { rename_strategy: 'NO_RENAME' } };
    const times = { start_time: '2037-01-01T00:00:00+0000', end_time: '2037-02-01T00:00:00+0000' };
    const below = (await copy(set?.id ?? '', { campaign_id: top.copied_campaign_id, ...rename, ...times })).body;
    const last = (await copy(set?.ads[0]?.id ?? '', { adset_id: below.copied_adset_id, ...rename })).body;
    const fields = 'name,adset{start_time,end_time},campaign{id}';
    expect((await call('GET', `${last.copied_ad_id}?fields=${fields}`)).body).toMatchObject({
      name: 'Ad 0',
      adset: { id: below.copied_adset_id, ...times },
      campaign: { id: top.copied_campaign_id },
    });
  });

  it('stays beside its source by default, and finds only what is there', async () => {
    const tree = await grown([1]);
    const { body } = await copy(tree.adsets[0]?.id ?? '', { deep_copy: true });
    expect((await call('GET', `${tree.id}/adsets`)).body.data).toHaveLength(2);
    expect(body.ad_object_ids).toHaveLength(2);
    expect(await copy('999')).toMatchObject(refused(100, 33));
    expect(await copy(tree.adsets[0]?.ads[0]?.id ?? '', { adset_id: '999' })).toMatchObject(refused(100, 33));
    const other = await connect(sandbox.url);
    const foreign = await call('POST', `${tree.id}/copies`, { fields: {}, token: other.accessToken });
    expect(foreign).toMatchObject(refused(100, 33));
  });

  it('of what has ended runs as long again, from now', async () => {
    const ended = { start_time: '2020-01-01T00:00:00+0000', end_time: '2020-01-11T00:00:00+0000' };
    const tree = await grown([1], { adset: ended });
    const { body } = await copy(tree.adsets[0]?.id ?? '');
    const { start_time: start, end_time: end } = (
      await call('GET', `${body.copied_adset_id}?fields=start_time,end_time`)
    ).body;
    expect(Date.parse(end) - Date.parse(start)).toBe(10 * 86_400_000);
    expect(Date.parse(end)).toBeGreaterThan(Date.now());
  });

  it('gets the fault in the name of its source, once', async () => {
    const { campaigns } = (await control('campaigns', {
      adAccountId: person.adAccounts[0]?.id,
      campaigns: [{ name: 'Sale [fault:http_500@copies]' }],
    })) as { campaigns: [Tree] };
    const [{ id }] = campaigns;
    expect([(await copy(id)).status, (await copy(id)).status]).toEqual([500, 200]);
  });
});
