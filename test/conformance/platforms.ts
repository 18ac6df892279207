import { expect } from 'vitest';
import type { Goal } from '../../src/contract/ad-enums.ts';
import { platforms, type AccountPlatform, type AdPlatform } from '../../src/contract/platforms.ts';
import type { SandboxConnection } from '../../src/dev/connect-sandbox.ts';
import type { Answer, TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture, type FixtureOptions } from '../support/user-fixture.ts';

type Body = Record<string, unknown>;

/** One platform as the suite sees it: what a good ad is, and how its objects are distinguished at the platform. */
export interface Subject {
  platform: AdPlatform;
  account: AccountPlatform;
  /** Folder of the sandbox. */
  simulated: string;
  /** Fields of a good ad for a goal, beside those that all platforms take. */
  fields: (goal: Goal, media: string, connection: SandboxConnection) => Body;
  /** Kinds of objects at the platform, as its control names them. */
  kinds: { campaign: string; adSet: string; ad: string };
  /** What paths of writes look like that make these, for faults. */
  paths: { campaign: string; adSet: string; ad: string };
  /** The write that lets a campaign run, for faults. */
  activation: FaultOrder['match'] & { skip?: number };
  /** The name of an object, wherever the platform keeps it. */
  nameOf: (object: Body) => string;
  /** The budget that a daily budget of 25 becomes, in the body that makes the ad set. */
  budgetOf25: (text: string) => boolean;
  /** The same of 5000 yen. */
  budgetOf5000Yen: (text: string) => boolean;
  /** The ad set that an ad names as its own, as the end of whatever says so. */
  adSetOf: (ad: Body) => string;
  /** Seconds that the platform's own signal of a limit names. */
  waits: (seconds: number) => boolean;
  /** What the ad account in yen needs besides; on F it belongs to no company page. */
  inYen?: (connection: SandboxConnection) => Body;
  /** Whether the platform's token is renewed with a refresh token. */
  refreshes: boolean;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const withForm = (goal: Goal, pixelId: string, leadFormId: string): Body | undefined => {
  if (goal === 'lead_generation') return { promotedObject: { leadFormId } };
  return goal === 'conversions' ? { promotedObject: { pixelId, customEventType: 'PURCHASE' } } : undefined;
};
const app = {
  promotedObject: { applicationId: '7', objectStoreUrl: 'https://play.google.com/store/apps/details?id=7' },
};
const link = 'https://shop.example/spring';
const extra = (connection: SandboxConnection, name: string): string => {
  const [first = {}] = connection.adAccounts ?? [];
  const members = { ...first, ...connection } as Record<string, unknown>;
  return text(members[name]) || '1';
};

export const subjects: Subject[] = [
  {
    platform: 'A',
    account: 'network-a',
    simulated: 'network-a',
    fields: (goal) => ({
      headline: 'Spring is here',
      body: 'Everything for the garden.',
      callToAction: 'SHOP_NOW',
      linkUrl: link,
      ...(goal === 'video_views'
        ? { video: { url: 'https://shop.example/film.mp4', thumbnailUrl: 'https://shop.example/film.png' } }
        : { imageUrl: 'https://shop.example/spring.jpg' }),
      ...(goal === 'app_promotion' ? app : withForm(goal, '9', '5')),
    }),
    kinds: { campaign: 'campaign', adSet: 'adset', ad: 'ad' },
    paths: { campaign: '/campaigns$', adSet: '/adsets$', ad: '/ads$' },
    activation: { method: 'POST', path: '/#$' },
    nameOf: (object) => text((object['fields'] as Body | undefined)?.['name']),
    budgetOf25: (body) => body.includes('"2500"'),
    budgetOf5000Yen: (body) => body.includes('"daily_budget":"5000"'),
    adSetOf: (ad) => text((ad['fields'] as Body | undefined)?.['adset_id']),
    // The usage header says two minutes.
    waits: (seconds) => seconds === 120,
    refreshes: false,
  },
  {
    platform: 'B',
    account: 'search-display',
    simulated: 'search-display',
    fields: (goal, media) => ({
      ...(goal === 'awareness' && { bidStrategy: 'LOWEST_COST_WITH_BID_CAP', bidAmount: 2 }),
      headline: 'Spring is here',
      body: 'Everything for the garden.',
      linkUrl: link,
      images: { landscape: `${media}/landscape.png`, square: `${media}/square.png` },
    }),
    kinds: { campaign: 'campaigns', adSet: 'adsets', ad: 'ads' },
    paths: { campaign: 'googleAds:mutate$', adSet: 'googleAds:mutate$', ad: 'googleAds:mutate$' },
    activation: { method: 'POST', path: 'googleAds:mutate$', skip: 1 },
    nameOf: (object) => text(object['name']),
    budgetOf25: (body) => body.includes('"25000000"'),
    budgetOf5000Yen: (body) => body.includes('"5000000000"'),
    adSetOf: (ad) => text(ad['adGroup']),
    // The retryDelay in the details.
    waits: (seconds) => seconds === 2,
    refreshes: true,
  },
  {
    platform: 'C',
    account: 'pin-board',
    simulated: 'pin-board',
    fields: (goal, media, connection) => ({
      headline: 'Spring is here',
      body: 'Everything for the garden.',
      linkUrl: link,
      imageUrl: `${media}/square.png`,
      ...(['conversions', 'lead_generation'].includes(goal) && {
        promotedObject: { pixelId: extra(connection, 'conversionTagId') },
      }),
    }),
    kinds: { campaign: 'campaigns', adSet: 'ad_groups', ad: 'ads' },
    paths: { campaign: '/campaigns$', adSet: '/ad_groups$', ad: '/ads$' },
    activation: { method: 'PATCH', path: '/campaigns$' },
    nameOf: (object) => text(object['name']),
    budgetOf25: (body) => body.includes('"daily_spend_cap":25000000'),
    budgetOf5000Yen: (body) => body.includes('"daily_spend_cap":5000000000'),
    adSetOf: (ad) => text(ad['ad_group_id']),
    // The header X-RateLimit-Reset.
    waits: (seconds) => seconds === 1,
    refreshes: true,
  },
  {
    platform: 'D',
    account: 'network-c',
    simulated: 'network-c',
    fields: (goal, media, connection) => ({
      body: 'Everything for the garden.',
      callToAction: 'SHOP_NOW',
      linkUrl: link,
      video: { url: `${media}/video.mp4` },
      ...(goal === 'app_promotion'
        ? { promotedObject: { ...app.promotedObject, applicationId: extra(connection, 'appId') } }
        : withForm(goal, extra(connection, 'pixelId'), extra(connection, 'pageId'))),
    }),
    kinds: { campaign: 'campaign', adSet: 'adgroup', ad: 'ad' },
    paths: { campaign: 'campaign/create/$', adSet: 'adgroup/create/$', ad: 'ad/create/$' },
    activation: { method: 'POST', path: 'campaign/status/update/$' },
    nameOf: (object) => text(object['ad_name'] ?? object['adgroup_name'] ?? object['campaign_name']),
    budgetOf25: (body) => body.includes('"budget":25'),
    budgetOf5000Yen: (body) => body.includes('"budget":5000,'),
    adSetOf: (ad) => text(ad['adgroup_id']),
    // It names none; the limits of an app last five minutes.
    waits: (seconds) => seconds === 300,
    refreshes: false,
  },
  {
    platform: 'E',
    account: 'microblog',
    simulated: 'microblog',
    fields: (goal, _media, connection) => ({
      body: `Everything for the garden. ${Math.random().toString(36).slice(2)}`,
      linkUrl: link,
      ...(goal === 'conversions' && { promotedObject: { pixelId: extra(connection, 'webEventTagId') } }),
    }),
    kinds: { campaign: 'campaign', adSet: 'line_item', ad: 'promoted_tweet' },
    paths: { campaign: '/campaigns$', adSet: '/line_items$', ad: '/promoted_tweets$' },
    activation: { method: 'PUT', path: '/campaigns/*$' },
    nameOf: (object) => text(object['name']),
    budgetOf25: (body) => body.includes('25000000'),
    budgetOf5000Yen: (body) => body.includes('5000000000'),
    adSetOf: (ad) => text(ad['line_item_id']),
    // The header x-rate-limit-reset says when the minute ends.
    waits: (seconds) => seconds > 0 && seconds <= 60,
    refreshes: false,
  },
  {
    platform: 'F',
    account: 'professional',
    simulated: 'professional',
    fields: (goal, media, connection) => ({
      headline: 'Spring is here',
      body: `Everything for the garden. ${Math.random().toString(36).slice(2)}`,
      linkUrl: link,
      ...(goal === 'video_views' ? { video: { url: `${media}/video.mp4` } } : { imageUrl: `${media}/landscape.png` }),
      ...(goal === 'lead_generation' && { promotedObject: { leadFormId: extra(connection, 'formId') } }),
      ...(goal === 'conversions' && { promotedObject: { customConversionId: extra(connection, 'conversionId') } }),
    }),
    kinds: { campaign: 'adCampaignGroups', adSet: 'adCampaigns', ad: 'creatives' },
    paths: { campaign: '/adCampaignGroups$', adSet: '/adCampaigns$', ad: '/creatives$' },
    activation: { method: 'POST', path: '/adCampaignGroups/#$' },
    nameOf: (object) => text(object['name']),
    budgetOf25: (body) => body.includes('"dailyBudget":{"amount":"25"'),
    budgetOf5000Yen: (body) => body.includes('"dailyBudget":{"amount":"5000","currencyCode":"JPY"}'),
    adSetOf: (ad) => text(ad['campaign']),
    // Quotas are reset at midnight UTC.
    waits: (seconds) => {
      const off = (Math.floor(Date.now() / 1000) + seconds) % 86_400;
      return seconds > 0 && seconds <= 86_400 && Math.min(off, 86_400 - off) < 10;
    },
    inYen: (connection) => {
      const [organization] = (connection as unknown as { organizations: { id: string }[] }).organizations;
      return { organizationId: organization?.id };
    },
    refreshes: true,
  },
];

export const goalsOf = ({ platform }: Subject): readonly Goal[] => platforms[platform].goals;

/** A user with an account on the subject's platform. */
export const fixtureOf = (app: TestApp, { account }: Subject, options: FixtureOptions = {}): Promise<UserFixture> =>
  createUserFixture(app, { platform: account, ...options });

let orders = 0;

/** A good ad of a goal, under a name of its own. */
export function goodAdOf(app: TestApp, subject: Subject, fixture: UserFixture, goal: Goal = 'traffic'): Body {
  orders += 1;
  return {
    accountId: fixture.accountId,
    adAccountId: fixture.adAccountIds.usd,
    name: `Sale ${orders}`,
    goal,
    budgetAmount: 25,
    budgetType: 'daily',
    ...subject.fields(goal, `${app.sandbox.url}/media`, fixture.connection),
  };
}

/** Names of the objects of a kind that stand at the platform. */
export async function namesAt(app: TestApp, { simulated, nameOf }: Subject, kind: string): Promise<string[]> {
  const response = await fetch(`${app.sandbox.url}/control/${simulated}/objects?type=${kind}`);
  const { objects } = (await response.json()) as { objects: Body[] };
  return objects.map(nameOf);
}

/** How many ads stand in an ad set at the platform. */
export async function adsIn(app: TestApp, { simulated, kinds, adSetOf }: Subject, adSetId: string): Promise<number> {
  const response = await fetch(`${app.sandbox.url}/control/${simulated}/objects?type=${kinds.ad}`);
  const { objects } = (await response.json()) as { objects: Body[] };
  return objects.filter((ad) => adSetOf(ad).split(/[/:]/).at(-1) === adSetId).length;
}

/** How a campaign is switched at the platform, by whatever member says so there. */
/** The name of an ad's campaign at its platform: ours and the mark that lost writes are found by. */
export const campaignNameAt = ({ campaignName, _id }: Body): string =>
  `${String(campaignName)} ${String(_id).slice(-8)}`;

export async function campaignSwitch(app: TestApp, subject: Subject, name: string): Promise<string | undefined> {
  const response = await fetch(
    `${app.sandbox.url}/control/${subject.simulated}/objects?type=${subject.kinds.campaign}`,
  );
  const { objects } = (await response.json()) as { objects: Body[] };
  const found = objects.find((object) => subject.nameOf(object) === name);
  const fields = { ...(found?.['fields'] as Body | undefined), ...found };
  return ['status', 'entity_status', 'operation_status'].map((member) => text(fields[member])).find(Boolean);
}

/** Runs a discovery of the account to its end. */
export async function discovered(app: TestApp, { accountId, key }: UserFixture): Promise<Answer['body']> {
  const path = `/v1/accounts/${accountId}/ads/sync`;
  const state = async (): Promise<Answer['body']> => (await app.call('GET', path, { key })).body.discovery;
  const before = (await state())?.finishedAt ?? null;
  expect((await app.call('POST', path, { key })).status).toBe(202);
  const isOver = async (): Promise<boolean> => {
    const { status, finishedAt } = await state();
    return finishedAt !== before && (status === 'completed' || status === 'failed');
  };
  // Chaos runs wait here too, outside the test runner, and for the lease of a worker that was killed.
  const until = Date.now() + 300_000;
  // Reading the state takes CPU time from what is waited for.
  for (let waitMs = 25; !(await isOver()); waitMs = Math.min(1.5 * waitMs, 200)) {
    if (Date.now() > until) throw new Error(`The discovery of account ${accountId} does not end within 300 seconds`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  return state();
}

export interface Entry {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
  status: number;
  answer: unknown;
}

/** What the platform received while something ran. */
export async function received(app: TestApp, { simulated }: Subject, run: () => Promise<unknown>): Promise<Entry[]> {
  await fetch(`${app.sandbox.url}/ledger`, { method: 'DELETE' });
  await run();
  const response = await fetch(`${app.sandbox.url}/ledger?platform=${simulated}`);
  return ((await response.json()) as { entries: Entry[] }).entries;
}

export interface FaultOrder {
  fault: string;
  match?: { method?: string; path?: string };
  times?: number;
  skip?: number;
  token?: string;
}

export async function fault(app: TestApp, { simulated }: Subject, order: FaultOrder): Promise<void> {
  const response = await fetch(`${app.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform: simulated, ...order }),
  });
  if (!response.ok) throw new Error(await response.text());
}

export const noFaults = async (app: TestApp): Promise<void> => {
  await fetch(`${app.sandbox.url}/control/faults`, { method: 'DELETE' });
};
