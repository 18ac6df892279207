import { join, relative } from 'node:path';
import type { Demo } from './demo-data.ts';

/** The text after the first start: URLs, and two calls to copy. */
export function howTo({ url, apiKey, accounts, sandboxUrl }: Demo, dataDir: string): string {
  const account = accounts['network-a'];
  const ad = {
    accountId: account?.accountId,
    adAccountId: account?.adAccountId,
    name: 'Spring sale',
    goal: 'traffic',
    budgetAmount: 20,
    budgetType: 'daily',
    headline: 'Spring is here',
    body: 'Everything for the garden.',
    callToAction: 'SHOP_NOW',
    linkUrl: 'https://shop.example/spring',
    imageUrl: `${sandboxUrl}/media/landscape.png`,
  };
  const mutation = {
    query: 'mutation ($input: CreateAdInput!) { createAd(input: $input) { message ad { id status campaignName } } }',
    variables: { input: { ...ad, goal: 'TRAFFIC', budgetType: 'DAILY' } },
  };
  const curl = (path: string, body: object): string =>
    `curl -s ${url}${path} -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' \\\n    -d '${JSON.stringify(body)}'`;
  return `
Ready.

  Explorer   ${url}/graphql   (opens with a query that works)
  REST docs  ${url}/docs
  Ads        ${url}/ads   (sign in with the demo key)
  Sandbox    ${sandboxUrl}/   (what the platforms received)
  Demo key   ${apiKey}
  Demo data  ${relative(process.cwd(), join(dataDir, 'demo.json')) || 'demo.json'}

  An ad through REST:

  ${curl('/v1/ads/create', ad)}

  The same through GraphQL:

  ${curl('/graphql', mutation)}

Ctrl-C stops everything.
`;
}

export const serviceOnly = (url: string): string => `
Ready.

  GraphQL    ${url}/graphql
  REST docs  ${url}/docs
  Keys       npm run cli -- --help

Ctrl-C stops everything.
`;
