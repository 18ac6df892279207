import { gzipSync } from 'node:zlib';
import { inlineHashes, policy } from './policy.ts';

export interface GraphiqlPage {
  body: Buffer | string;
  headers: Record<string, string>;
}

const starter = `# Who am I, and what can I reach?
query WhoAmI {
  viewer {
    user { name plan hasAdsAccess }
    key { name permission scope }
  }
  accounts(first: 5) {
    nodes { id platform displayName isActive }
  }
  ads(first: 5) {
    nodes { id name status platformCampaignId }
  }
}
`;

const explorerPolicy = (html: string): string =>
  policy({
    'script-src': inlineHashes(html, 'script'),
    'style-src': "'unsafe-inline'",
    'img-src': 'data:',
    'font-src': 'data:',
    'connect-src': "'self'",
    'worker-src': 'blob:',
  });

/** The explorer as one page without any outside request; loaded on the first visit, because it weighs some 9 MB. */
export async function graphiqlPage(apiKey: string | undefined, acceptsGzip: boolean): Promise<GraphiqlPage> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const authorization = `Bearer ${apiKey ?? 'sk_your_key'}`;
  const html = renderGraphiQL({
    title: 'API explorer',
    defaultQuery: starter,
    headers: JSON.stringify({ Authorization: authorization }, undefined, 2),
    shouldPersistHeaders: false,
  });
  return {
    body: acceptsGzip ? gzipSync(html) : html,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      ...(acceptsGzip && { 'Content-Encoding': 'gzip' }),
      Vary: 'Accept-Encoding',
      'Content-Security-Policy': explorerPolicy(html),
      // The page may hold a key, so it stays in this browser and is asked for anew.
      'Cache-Control': 'private, no-cache',
    },
  };
}
