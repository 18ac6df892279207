import { afterEach, beforeEach, expect, it } from 'vitest';
import { createXAds } from '../../src/platforms/x-ads/index.ts';
import { access, inputs, memoryJournal, orderOf, refusalOf } from './fixtures.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await startUpstream();
  upstream.respond = ({ path }) => {
    const page = (data: object[]) => ({ json: { data, next_cursor: null } });
    if (path.endsWith('/accounts')) return page([{ id: '77', name: 'Main' }]);
    if (path.endsWith('/promotable_users')) return page([{ user_id: '10', promotable_user_type: 'FULL' }]);
    if (path.endsWith('/locations')) return page([{ targeting_value: 'us', name: 'US', country_code: 'US' }]);
    return path.endsWith('/funding_instruments')
      ? page([
          { id: 'paused', currency: 'JPY', able_to_fund: true, entity_status: 'PAUSED' },
          { id: 'dollars', currency: 'USD', able_to_fund: true, entity_status: 'ACTIVE' },
          { id: 'euros', currency: 'EUR', able_to_fund: true, entity_status: 'ACTIVE' },
        ])
      : undefined;
  };
});
afterEach(() => upstream.stop());

const xAds = () => createXAds({ baseUrl: upstream.url, version: '12', clientId: 'id', clientSecret: 'secret' });
const order = (currency: string) =>
  orderOf(inputs.legacy({ headline: undefined }), { id: '77', name: 'Main', currency, isActive: true });

it('gives an ad account the currency of the means of payment that its ads will use', async () => {
  expect(await xAds().listAdAccounts(access)).toMatchObject([{ id: '77', currency: 'USD', isActive: true }]);
});

it('pays with a means of the currency in which the budget was given', async () => {
  const journal = memoryJournal(true);
  await xAds().createAds(access, order('EUR'), journal);
  expect(journal.requests['campaign']?.body).toMatchObject({ funding_instrument_id: 'euros' });
});

it('takes no budget for another currency', async () => {
  const refusal = await refusalOf(xAds().createAds(access, order('JPY'), memoryJournal(true)));
  expect(refusal).toMatchObject({ fault: 'rejected', upstream: { fields: { adAccountId: [expect.any(String)] } } });
});

it('says no currency of an ad account whose means of payment it may not read', async () => {
  const { respond } = upstream;
  upstream.respond = (request) =>
    request.path.endsWith('/funding_instruments')
      ? { status: 403, json: { errors: [{ code: 'UNAUTHORIZED_CLIENT_APPLICATION', message: 'Suspended' }] } }
      : respond(request);
  expect(await xAds().listAdAccounts(access)).toMatchObject([{ id: '77', currency: '', isActive: false }]);
});
