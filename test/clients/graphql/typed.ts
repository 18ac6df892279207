// Compiled beside the code that the client preset of GraphQL Code Generator generates from the service.
import { ClientError, GraphQLClient } from 'graphql-request';
import { graphql } from './gql/index.js';
import type { CreateAdInput } from './gql/graphql.js';
import { bearer, unknownKey, type Settings } from './settings.js';

const createAd = graphql(`
  mutation CreateAd($input: CreateAdInput!) {
    createAd(input: $input) {
      valid
      ad {
        id
        name
        status
        platformCampaignId
        creative {
          headline
        }
      }
    }
  }
`);
const duplicate = graphql(`
  mutation Duplicate($campaignId: String!, $input: DuplicateCampaignInput!) {
    duplicateCampaign(campaignId: $campaignId, input: $input) {
      copiedCampaignId
      discovery
    }
  }
`);
const createWebhook = graphql(`
  mutation CreateWebhook($input: CreateWebhookInput!) {
    createWebhook(input: $input) {
      webhook {
        id
        events
      }
    }
  }
`);
const webhooks = graphql(`
  query Webhooks {
    webhooks {
      id
      name
    }
  }
`);
const deleteWebhook = graphql(`
  mutation DeleteWebhook($id: ID!) {
    deleteWebhook(id: $id) {
      success
    }
  }
`);

export interface TypedSettings extends Settings {
  ad: CreateAdInput;
  receiver: string;
}

export async function run({ url, key, ad, receiver }: TypedSettings): Promise<Record<string, unknown>> {
  const client = new GraphQLClient(url, { headers: bearer(key) });
  const dryRun = await client.request(createAd, { input: { ...ad, validateOnly: true } });
  const created = await client.request(createAd, { input: ad }, { 'Idempotency-Key': 'typed-client' });
  const campaignId = created.createAd?.ad?.platformCampaignId ?? '';
  const copied = await client.request(duplicate, { campaignId, input: { platform: 'NETWORK_A', deepCopy: true } });
  const made = await client.request(createWebhook, {
    input: { name: 'Typed', url: receiver, events: ['ad.created'] },
  });
  const id = made.createWebhook?.webhook.id ?? '';
  const listed = await client.request(webhooks);
  const deleted = await client.request(deleteWebhook, { id });
  const refused = await new GraphQLClient(url, { headers: bearer(unknownKey) })
    .request(webhooks)
    .catch((error: unknown) => error);

  // @ts-expect-error the input needs an account
  const misuse: CreateAdInput = { adAccountId: '1', name: 'No account' };

  return {
    dryRun: dryRun.createAd?.valid,
    ad: created.createAd?.ad?.creative?.headline,
    copied: typeof copied.duplicateCampaign?.copiedCampaignId,
    events: made.createWebhook?.webhook.events,
    listed: listed.webhooks.map(({ name }) => name),
    deleted: deleted.deleteWebhook?.success,
    refused: refused instanceof ClientError && refused.response.errors?.[0]?.extensions['code'],
    misuse: misuse.name,
  };
}
