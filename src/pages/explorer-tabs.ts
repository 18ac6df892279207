import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../services/context.ts';

/** What the examples of the explorer refer to; placeholders stand for what is not known. */
export interface Demo {
  apiKey: string;
  accountId?: string;
  adAccountId?: string;
  webhookId?: string;
}

interface DemoFile {
  apiKey: string;
  userId?: string;
  accounts?: Record<string, Pick<Demo, 'accountId' | 'adAccountId'>>;
}

/** The demo data that `npm start` has written, with a webhook of the demo user if there is one. */
export async function demoOf(dataDir: string, webhooks: Services['db']['webhooks']): Promise<Demo | undefined> {
  try {
    const { apiKey, userId, accounts } = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as DemoFile;
    const webhook = userId
      ? await webhooks.findOne({ userId, deletedAt: null }, { _id: 1 }).sort({ _id: 1 }).lean()
      : null;
    const withAds = Object.values(accounts ?? {}).find(({ adAccountId }) => adAccountId);
    return { apiKey, ...withAds, webhookId: webhook?._id };
  } catch {
    return undefined;
  }
}

interface Tab {
  query: string;
  variables?: string;
  headers: string;
}

const whoAmI = `# Who am I, and what can I reach?
query WhoAmI {
  viewer {
    user { name plan hasAdsAccess }
    key { name permission scope }
  }
  accounts(first: 5) {
    nodes { id platform displayName isActive }
  }
}
`;

const dryRun = `# Every check of an ad, and the requests that would be sent. Nothing is created.
mutation DryRun($input: CreateAdInput!) {
  createAd(input: $input) {
    valid
    requests { method url body }
  }
}
`;

const tree = `# Campaigns with their ad sets and ads. Discovered and created ones appear here.
query Tree {
  adTree(first: 5) {
    totalCount
    nodes {
      name
      platform
      status
      adSets(first: 3) {
        nodes {
          name
          ads(first: 3) {
            nodes { name status }
          }
        }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}
`;

const report = `# What each campaign cost and brought. While figures are loading, isComplete is false: run it again.
query AdReport($input: AdReportInput!) {
  adReport(input: $input) {
    fromDate
    toDate
    currency
    isComplete
    totals { spend impressions clicks conversions }
    rows {
      name
      status
      metrics { spend impressions clicks ctr conversions costPerConversion }
    }
    unavailable { metric reason }
  }
}
`;

const createWebhook = `# A webhook for the next tab: copy its id into the variables there.
mutation CreateWebhook($input: CreateWebhookInput!) {
  createWebhook(input: $input) {
    webhook { id url events }
  }
}
`;

const deliveries = `# Each change of the delivery log as it happens. It waits until an event occurs, such as a new ad.
subscription LiveDeliveries($webhookId: ID!) {
  deliveries(webhookId: $webhookId) {
    event
    state
    attempts { status durationMs }
  }
}
`;

/** The tabs that the explorer opens with, each a request that works with the demo data. */
export function explorerTabs(demo: Demo): Tab[] {
  const headers = JSON.stringify({ Authorization: `Bearer ${demo.apiKey}` }, undefined, 2);
  const tab = (query: string, variables?: object): Tab => ({
    query,
    ...(variables && { variables: JSON.stringify(variables, undefined, 2) }),
    headers,
  });
  const ad = {
    accountId: demo.accountId ?? 'id of an account',
    adAccountId: demo.adAccountId ?? 'id of its ad account',
    name: 'Spring sale',
    goal: 'TRAFFIC',
    budgetAmount: 20,
    budgetType: 'DAILY',
    headline: 'Spring is here',
    body: 'Everything for the garden.',
    callToAction: 'SHOP_NOW',
    linkUrl: 'https://shop.example/spring',
    imageUrl: 'https://shop.example/spring.jpg',
    validateOnly: true,
  };
  const figures = {
    accountId: ad.accountId,
    adAccountId: ad.adAccountId,
    level: 'CAMPAIGN',
    datePreset: 'LAST_30_DAYS',
  };
  return [
    tab(whoAmI),
    tab(dryRun, { input: ad }),
    tab(tree),
    tab(report, { input: figures }),
    tab(createWebhook, { input: { name: 'Explorer', url: 'https://example.com/webhooks', events: ['*'] } }),
    tab(deliveries, { webhookId: demo.webhookId ?? 'id of a webhook' }),
  ];
}
