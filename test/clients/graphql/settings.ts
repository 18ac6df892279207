/** What test/api/graphql-clients.test.ts hands to each program. */
export interface Settings {
  url: string;
  key: string;
  readKey: string;
  /** Calls with the key of a user who has no units left, again if a minute ends meanwhile. */
  whileExhausted: <T>(call: (key: string) => Promise<T>) => Promise<T>;
  webhookId: string;
  /** Makes an event, so that the webhook has a delivery. */
  event: () => Promise<unknown>;
}

export const unknownKey = `sk_${'0'.repeat(64)}`;
export const bearer = (key: string): Record<string, string> => ({ Authorization: `Bearer ${key}` });

/** Counts the requests of a client by method, and whether they carried the text of the query. */
export function countingFetch(): { fetch: typeof fetch; requests: string[] } {
  const requests: string[] = [];
  return {
    requests,
    fetch: (input, init) => {
      const { searchParams } = new URL(String(input));
      const hasText = searchParams.has('query') || (typeof init?.body === 'string' && 'query' in JSON.parse(init.body));
      requests.push(`${init?.method ?? 'GET'} ${hasText ? 'text' : 'hash'}`);
      return fetch(input, init);
    },
  };
}
