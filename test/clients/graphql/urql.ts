import { Client, fetchExchange, gql } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { bearer, countingFetch, type Settings } from './settings.js';

const viewer = gql<{ viewer: { key: { permission: string } } }>`
  query Viewer {
    viewer {
      key {
        permission
      }
    }
  }
`;

/** The persisted exchange with its defaults, and a subscription over server-sent events. */
export async function run({ url, key, webhookId, event }: Settings): Promise<Record<string, unknown>> {
  const { fetch, requests } = countingFetch();
  const client = new Client({
    url,
    fetch,
    fetchOptions: { headers: bearer(key) },
    exchanges: [persistedExchange(), fetchExchange],
    preferGetMethod: 'within-url-limit',
  });
  const { data, error } = await client.query(viewer, {}).toPromise();
  const subscribing = new Client({
    url,
    // urql leaves the rejection of a stream that it aborts unhandled, which Node reports as a crash.
    fetch: (input, init) => globalThis.fetch(input, { ...init, signal: null }),
    fetchOptions: { headers: bearer(key) },
    fetchSubscriptions: true,
    exchanges: [fetchExchange],
    preferGetMethod: false,
  });
  const document = gql`
    subscription Deliveries($webhookId: ID!) {
      deliveries(webhookId: $webhookId) {
        state
      }
    }
  `;
  const subscription = await new Promise((resolve) => {
    const { unsubscribe } = subscribing.subscription(document, { webhookId }).subscribe((result) => {
      unsubscribe();
      resolve(result.error?.message ?? result.data);
    });
    setTimeout(() => void event(), 500);
  });
  return { permission: error?.message ?? data?.viewer.key.permission, requests, subscription };
}
