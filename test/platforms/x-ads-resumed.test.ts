import { afterEach, beforeEach, expect, it } from 'vitest';
import { createXAds } from '../../src/platforms/x-ads/index.ts';
import { access, dollars, inputs, memoryJournal, orderOf, refusalOf } from './fixtures.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await startUpstream();
  // The means of payment is used up, and no identity may be used any more.
  upstream.respond = ({ method, path }) => {
    if (method === 'PUT') return { json: { data: { id: path.split('/').at(-1) } } };
    if (path.endsWith('/locations'))
      return { json: { data: [{ targeting_value: 'us', name: 'US', country_code: 'US' }] } };
    return { json: { data: [], next_cursor: null } };
  };
});
afterEach(() => upstream.stop());

const xAds = () => createXAds({ baseUrl: upstream.url, version: '12', clientId: 'id', clientSecret: 'secret' });
const order = orderOf(inputs.legacy({ headline: undefined }), dollars);

it('is refused before anything is sent where nothing pays', async () => {
  expect(await refusalOf(xAds().createAds(access, order, memoryJournal()))).toMatchObject({ fault: 'rejected' });
});

it('learns what an earlier run made although nothing pays any more', async () => {
  const journal = { ...memoryJournal(), isBegun: true };
  const made = { 'creative.0': '9', campaign: 'c1', adSet: 'l1', 'targeting.0': 't1', 'ad.0': 'p1', activateSet: 'l1' };
  Object.assign(journal.ids, made);
  journal.open.add('activate');
  expect(await xAds().createAds(access, order, journal)).toMatchObject({
    platformCampaignId: 'c1',
    ads: [{ platformAdId: 'p1', status: 'active' }],
  });
});
