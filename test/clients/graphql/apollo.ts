import { createHash } from 'node:crypto';
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache, type ApolloLink } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { bearer, countingFetch, unknownKey, type Settings } from './settings.js';

const viewer = gql`
  query Viewer {
    viewer {
      key {
        permission
      }
    }
  }
`;
const rename = gql`
  mutation CreateProfile($name: String!) {
    createProfile(input: { name: $name }) {
      profile {
        name
      }
    }
  }
`;
const deliveries = gql`
  subscription Deliveries($webhookId: ID!) {
    deliveries(webhookId: $webhookId) {
      state
    }
  }
`;

const clientOf = (link: ApolloLink): ApolloClient => new ApolloClient({ link, cache: new InMemoryCache() });
const linkOf = ({ url }: Settings, key: string, more: HttpLink.Options = {}): HttpLink =>
  new HttpLink({ uri: url, headers: bearer(key), ...more });

/** The code and the request id that Apollo Client shows of a refusal. */
async function refusalOf(calling: Promise<unknown>): Promise<unknown> {
  try {
    return await calling;
  } catch (error) {
    if (!CombinedGraphQLErrors.is(error)) return String(error);
    const { code, requestId } = error.errors[0]?.extensions ?? {};
    return { code, hasRequestId: typeof requestId === 'string' };
  }
}

async function persisted(settings: Settings, useGETForHashedQueries: boolean): Promise<unknown> {
  const { fetch, requests } = countingFetch();
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
  const link = new PersistedQueryLink({ sha256, useGETForHashedQueries });
  const client = clientOf(link.concat(linkOf(settings, settings.key, { fetch })));
  const { data } = await client.query({ query: viewer });
  return { data, requests };
}

const firstDelivery = (client: ApolloClient, { webhookId, event }: Settings): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const subscription = client.subscribe({ query: deliveries, variables: { webhookId } }).subscribe({
      next: ({ data, error }) => {
        subscription.unsubscribe();
        if (error) reject(error);
        else resolve(data);
      },
      error: reject,
    });
    setTimeout(() => void event(), 500);
  });

export async function run(settings: Settings): Promise<Record<string, unknown>> {
  const client = clientOf(linkOf(settings, settings.key));
  const refused = (key: string, document = viewer): Promise<unknown> => {
    const other = clientOf(linkOf(settings, key));
    return refusalOf(
      document === viewer
        ? other.query({ query: viewer })
        : other.mutate({ mutation: document, variables: { name: 'Refused' } }),
    );
  };
  return {
    query: (await client.query({ query: viewer })).data,
    mutation: (await client.mutate({ mutation: rename, variables: { name: 'Apollo' } })).data,
    byGet: await persisted(settings, true),
    byPost: await persisted(settings, false),
    subscription: await firstDelivery(client, settings),
    unknownKey: await refused(unknownKey),
    readOnly: await refused(settings.readKey, rename),
    exhausted: await settings.whileExhausted((key) => refused(key)),
  };
}
