import { afterEach, beforeEach, expect, it } from 'vitest';
import { localPlatformLimits } from '../../src/lib/platform-limits.ts';
import { createUpstream } from '../../src/platforms/http.ts';
import { createClient } from '../../src/platforms/x-ads/client.ts';
import { createQuota } from '../../src/platforms/x-ads/quota.ts';
import { criteriaOf } from '../../src/platforms/x-ads/targeting.ts';
import { access, inputs, placedAt, refusalOf } from './fixtures.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

const day = 86_400_000;
const listed = ['US', 'DE', 'FR'].map((code) => ({ targeting_value: `key-${code}`, name: code, country_code: code }));
let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await startUpstream();
  upstream.respond = ({ query }) => {
    const code = query['country_code'];
    if (code === undefined) return { json: { data: listed, next_cursor: null } };
    return { json: { data: code === 'JP' ? [{ targeting_value: 'key-JP', name: 'Japan' }] : [] } };
  };
});
afterEach(() => upstream.stop());

// xdevplatform/docs 2871328, rate-limiting.mdx: 400 look-ups of targeting in 15 minutes; reference.mdx, POST
// targeting_criteria: values can change and are to be read again every week.
it('places of all orders of a week need one look-up', async () => {
  const api = createUpstream({ platform: 'E', baseUrl: upstream.url });
  const config = { baseUrl: upstream.url, version: '12', clientId: 'id', clientSecret: 'secret' };
  const client = createClient({ api, files: api }, config, createQuota(localPlatformLimits()));
  const placesOf = async (countries: string[], days: number): Promise<string[]> => {
    const at = new Date(placedAt.getTime() + days * day);
    const input = inputs.legacy({ countries });
    const criteria = await criteriaOf(client, { ...access, clock: { now: () => at } }, input);
    return criteria.map(({ targeting_value: value }) => value);
  };
  const lookUps = () => upstream.requests.map(({ query }) => query['country_code'] ?? 'all');
  expect(await placesOf(['US', 'DE'], 0)).toEqual(['key-US', 'key-DE']);
  expect(await placesOf(['FR', 'DE'], 6)).toEqual(['key-FR', 'key-DE']);
  expect(lookUps()).toEqual(['all']);
  await placesOf(['US'], 8);
  expect(lookUps()).toEqual(['all', 'all']);
  // A country that the list does not name by its code is looked up by it.
  expect(await placesOf(['JP'], 8)).toEqual(['key-JP']);
  expect(lookUps()).toEqual(['all', 'all', 'JP']);
  const unknown = await refusalOf(placesOf(['AQ'], 8));
  expect(unknown.upstream.fields).toEqual({ countries: ['The platform does not target AQ'] });
});

it('an empty list of languages is read again for the next order', async () => {
  const api = createUpstream({ platform: 'E', baseUrl: upstream.url });
  const config = { baseUrl: upstream.url, version: '12', clientId: 'id', clientSecret: 'secret' };
  const client = createClient({ api, files: api }, config, createQuota(localPlatformLimits()));
  let languages: object[] = [];
  upstream.respond = ({ path }) => ({
    json: { data: path.endsWith('/languages') ? languages : listed, next_cursor: null },
  });
  const input = inputs.legacy({ countries: ['US'], languages: ['de'] });
  await refusalOf(criteriaOf(client, access, input));
  languages = [{ targeting_value: 'de', name: 'German' }];
  const criteria = await criteriaOf(client, access, input);
  expect(criteria.map(({ targeting_value: value }) => value)).toEqual(['key-US', 'de']);
});
