import { createClient, NetworkError } from 'graphql-sse';
import { bearer, type Settings } from './settings.js';

/** Distinct connections mode, the default of graphql-sse. */
export async function run({ url, key, webhookId, event }: Settings): Promise<Record<string, unknown>> {
  const client = createClient({ url, headers: bearer(key), retryAttempts: 0 });
  const deliveries = client.iterate<{ deliveries: { state: string } }>({
    query: 'subscription ($webhookId: ID!) { deliveries(webhookId: $webhookId) { state } }',
    variables: { webhookId },
  });
  setTimeout(() => void event(), 500);
  const { value } = await deliveries.next();
  await deliveries.return?.();
  const single = createClient({ url, headers: bearer(key), retryAttempts: 0, singleConnection: true, lazy: true });
  const refused = await single
    .iterate({ query: '{ viewer { user { id } } }' })
    .next()
    .then(String, (error: unknown) => (error instanceof NetworkError ? error.response?.status : String(error)));
  single.dispose();
  client.dispose();
  return { subscription: value, singleConnection: refused };
}
