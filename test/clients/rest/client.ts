// Compiled by test/rest/generated-client.test.ts beside the types that openapi-typescript generates from the service.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

export interface Settings {
  baseUrl: string;
  key: string;
  ad: components['schemas']['CreateAdInput'];
  receiver: string;
}

/** The data of an answer, or an error that shows what the service said. */
function dataOf<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data === undefined) throw new Error(`${response.status} ${JSON.stringify(error)}`);
  return data;
}

export async function run({ baseUrl, key, ad, receiver }: Settings): Promise<Record<string, unknown>> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

  const dryRun = await client.POST('/v1/ads/create', { body: { ...ad, validateOnly: true } });
  const created = dataOf(
    await client.POST('/v1/ads/create', { body: ad, params: { header: { 'Idempotency-Key': 'generated-client' } } }),
  );
  if (!('ad' in created)) throw new Error('one ad was created, so the answer holds one');
  const campaignId = created.ad.platformCampaignId ?? '';

  const duplicated = dataOf(
    await client.POST('/v1/ads/campaigns/{campaignId}/duplicate', {
      params: { path: { campaignId } },
      body: { platform: 'network-a', deepCopy: true, statusOption: 'PAUSED' },
    }),
  );

  const settings = '/v1/webhooks/settings';
  const made = dataOf(
    await client.POST(settings, { body: { name: 'Generated', url: receiver, events: ['ad.created'] } }),
  );
  const updated = dataOf(await client.PUT(settings, { body: { _id: made.webhook._id, events: ['*'] } }));
  const listed = dataOf(await client.GET(settings));
  const deleted = dataOf(await client.DELETE(settings, { params: { query: { id: made.webhook._id } } }));

  const tree = dataOf(
    await client.GET('/v1/ads/tree', { params: { query: { platform: 'network-a', source: 'all', limit: 50 } } }),
  );

  const refused = await client.GET('/v1/ads/{adId}', { params: { path: { adId: 'f'.repeat(24) } } });
  const code: components['schemas']['ErrorCode'] | undefined = refused.error?.code;

  // @ts-expect-error the body of createAd needs an account
  const misuse: components['schemas']['CreateAdInput'] = { adAccountId: '1', name: 'No account' };

  return {
    dryRun: { status: dryRun.response.status, valid: dryRun.data && 'valid' in dryRun.data && dryRun.data.valid },
    ad: created.ad.name,
    discovery: duplicated.discovery,
    webhook: made.webhook.events,
    updated: updated.webhook.events,
    listed: listed.webhooks.map(({ name }) => name),
    deleted: deleted.success,
    campaigns: tree.campaigns.map(({ platformCampaignId }) => platformCampaignId).includes(campaignId),
    code,
    misuse: misuse.name,
  };
}
