import { fromAccountTime } from '../../src/lib/account-time.ts';
import { callPlatform } from '../../src/services/accounts/platform-access.ts';
import type { Access, AdsAdapter, BudgetLevel } from '../../src/platforms/platform.ts';
import type { Answer, TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import * as graph from '../dev/sandbox/graph.ts';
import * as restli from '../dev/sandbox/restli.ts';
import { control } from '../dev/sandbox/short-video.ts';
import type { Entry, Subject } from './platforms.ts';

type Body = Record<string, unknown>;

/** One object as the sandbox stores it, in the terms of our records. */
export interface AtPlatform {
  name: string;
  isOn: boolean;
  budget?: { amount: number; type: 'daily' | 'lifetime' };
  /** In milliseconds. */
  end?: number;
}

export interface PairAtPlatform {
  level: BudgetLevel;
  campaign: AtPlatform;
  adSet: AtPlatform;
}

type Amount = number | string | null | undefined;
const budgetOf = (daily: Amount, lifetime: Amount, factor = 1): AtPlatform['budget'] => {
  if (Number(lifetime ?? 0) > 0) return { amount: Number(lifetime) / factor, type: 'lifetime' };
  return Number(daily ?? 0) > 0 ? { amount: Number(daily) / factor, type: 'daily' } : undefined;
};
const millis = (text: unknown): number | undefined => (typeof text === 'string' ? Date.parse(text) : undefined);
const secondsOf = (value: unknown): number | undefined => (typeof value === 'number' ? value * 1000 : undefined);
const amountOf = (money: unknown): string | undefined => (money as { amount?: string } | undefined)?.amount;

interface Reader {
  idOf: (object: Body) => string;
  /** The terms of a campaign or an ad set; `budgets` are the budget objects of B. */
  read: (object: Body, budgets: Body[]) => AtPlatform;
  /** Whether the campaign carries the budget. */
  isOfCampaign: (campaign: Body) => boolean;
}

const named = ({ name, campaign_name: ofCampaign, adgroup_name: ofGroup }: Body): string =>
  String(ofGroup ?? ofCampaign ?? name);
const plainId = ({ id }: Body): string => String(id);

/** How each sandbox stores budgets, switches and ends: read without an adapter. */
const readers: Record<string, Reader> = {
  A: {
    idOf: plainId,
    read: ({ fields }) => {
      const { name, status, daily_budget: daily, lifetime_budget: lifetime, end_time: end } = fields as Body;
      const budget = budgetOf(daily as Amount, lifetime as Amount, 100);
      return { name: String(name), isOn: status === 'ACTIVE', budget, end: millis(end) };
    },
    isOfCampaign: ({ fields }) => {
      const { daily_budget: daily, lifetime_budget: lifetime } = fields as Body;
      return Number(daily ?? 0) + Number(lifetime ?? 0) > 0;
    },
  },
  B: {
    idOf: plainId,
    read: (object, budgets) => {
      const own = budgets.find(({ resourceName }) => resourceName === object['campaignBudget']) ?? {};
      const { amountMicros: daily, totalAmountMicros: total } = own as Record<string, Amount>;
      const end = object['endDateTime'];
      return {
        name: named(object),
        isOn: object['status'] === 'ENABLED',
        budget: budgetOf(daily, total, 1e6),
        end: typeof end === 'string' ? fromAccountTime(end, 'America/New_York')?.getTime() : undefined,
      };
    },
    isOfCampaign: () => true,
  },
  C: {
    idOf: plainId,
    read: (object) => {
      const caps = [object['daily_spend_cap'], object['lifetime_spend_cap']] as const;
      const isGroup = 'budget_type' in object;
      const own = object['budget_in_micro_currency'] as Amount;
      const [daily, lifetime] = !isGroup ? caps : object['budget_type'] === 'LIFETIME' ? [0, own] : [own, 0];
      const budget = budgetOf(daily as Amount, lifetime as Amount, 1e6);
      return { name: named(object), isOn: object['status'] === 'ACTIVE', budget, end: secondsOf(object['end_time']) };
    },
    isOfCampaign: (campaign) => campaign['is_campaign_budget_optimization'] === true,
  },
  D: {
    idOf: ({ adgroup_id: group, campaign_id: campaign }) => String(group ?? campaign),
    read: (object) => {
      const amount = object['budget'] as Amount;
      const isTotal = object['budget_mode'] === 'BUDGET_MODE_TOTAL';
      const end = object['schedule_type'] === 'SCHEDULE_START_END' ? object['schedule_end_time'] : undefined;
      return {
        name: named(object),
        isOn: object['operation_status'] === 'ENABLE',
        budget: isTotal ? budgetOf(0, amount) : budgetOf(amount, 0),
        end: end === undefined ? undefined : millis(`${String(end).replace(' ', 'T')}Z`),
      };
    },
    isOfCampaign: (campaign) => campaign['budget_optimize_on'] === true,
  },
  E: {
    idOf: plainId,
    read: (object) => {
      const [daily, total] = [
        object['daily_budget_amount_local_micro'],
        object['total_budget_amount_local_micro'],
      ] as Amount[];
      return {
        name: named(object),
        isOn: object['entity_status'] === 'ACTIVE',
        budget: budgetOf(daily, total, 1e6),
        end: millis(object['end_time']),
      };
    },
    isOfCampaign: () => false,
  },
  F: {
    idOf: plainId,
    read: (object) => ({
      name: named(object),
      isOn: object['status'] === 'ACTIVE',
      budget: budgetOf(amountOf(object['dailyBudget']), amountOf(object['totalBudget'])),
      end: (object['runSchedule'] as { end?: number } | undefined)?.end,
    }),
    isOfCampaign: ({ budgetOptimization }) => budgetOptimization !== undefined,
  },
};

/** The id that a sandbox gave an object. */
export const idAt =
  ({ platform }: Subject) =>
  (object: Body): string =>
    readers[platform]?.idOf(object) ?? '';

/** A campaign and its ad set, wherever they stand. */
export interface Pair {
  campaignId: string;
  adSetId: string;
}

export async function objectsAt({ sandbox }: TestApp, { simulated }: Subject, kind: string): Promise<Body[]> {
  const response = await fetch(`${sandbox.url}/control/${simulated}/objects?type=${kind}`);
  return ((await response.json()) as { objects: Body[] }).objects;
}

/** Reads all campaigns and ad sets of a sandbox at once; the result finds those of a pair. */
export async function pairReader(app: TestApp, subject: Subject): Promise<(pair: Pair) => PairAtPlatform> {
  const { idOf, read, isOfCampaign } = readers[subject.platform] as Reader;
  const byId = async (kind: string): Promise<Map<string, Body>> =>
    new Map((await objectsAt(app, subject, kind)).map((object) => [idOf(object), object]));
  const budgets = subject.platform === 'B' ? await objectsAt(app, subject, 'budgets') : [];
  const [campaigns, adSets] = [await byId(subject.kinds.campaign), await byId(subject.kinds.adSet)];
  return ({ campaignId, adSetId }) => {
    const [campaign, adSet] = [campaigns.get(campaignId), adSets.get(adSetId)];
    if (!campaign || !adSet) throw new Error(`The sandbox has no campaign ${campaignId} with ad set ${adSetId}`);
    const level = isOfCampaign(campaign) ? 'campaign' : 'ad_set';
    return { level, campaign: read(campaign, budgets), adSet: read(adSet, budgets) };
  };
}

export const pairAt = async (app: TestApp, subject: Subject, pair: Pair): Promise<PairAtPlatform> =>
  (await pairReader(app, subject))(pair);

/** When the ad set ends: at its own end or at that of its campaign, whichever comes first. */
export const endOf = ({ campaign, adSet }: PairAtPlatform): number | undefined => {
  const ends = [campaign.end, adSet.end].filter((end) => end !== undefined);
  return ends.length > 0 ? Math.min(...ends) : undefined;
};

const ofCampaigns: Record<string, RegExp> = { D: /campaign\/update/, F: /adCampaignGroups\// };
const ofAdSets: Record<string, RegExp> = { D: /adgroup\/update/, E: /line_items\//, F: /adCampaigns\// };
const money: Record<string, RegExp> = {
  A: /(daily|lifetime)_budget/,
  B: /campaignBudgetOperation/,
  C: /spend_cap|budget_in_micro/,
  D: /"budget"/,
  E: /budget_amount/,
  F: /(daily|total)Budget/,
};

/** A write as the ledger of a sandbox or a listener has it. */
export type BudgetWrite = Pick<Entry, 'method' | 'path' | 'body'>;

/** At which level each write set a budget. Limits of campaigns on E are no budgets. */
export function budgetWrites(
  { platform }: Subject,
  { campaignId, adSetId }: Pair,
  entries: BudgetWrite[],
): BudgetLevel[] {
  const text = ({ body }: BudgetWrite): string => (typeof body === 'string' ? body : JSON.stringify(body));
  const writes = entries.filter((entry) => entry.method !== 'GET' && money[platform]?.test(text(entry)));
  return writes.flatMap((entry): BudgetLevel[] => {
    if (platform === 'B') return ['campaign'];
    if (platform === 'C') return [text(entry).includes('spend_cap') ? 'campaign' : 'ad_set'];
    if (entry.path.endsWith(campaignId) && platform === 'A') return ['campaign'];
    if (entry.path.endsWith(adSetId) && platform === 'A') return ['ad_set'];
    if (ofCampaigns[platform]?.test(entry.path)) return ['campaign'];
    return ofAdSets[platform]?.test(entry.path) ? ['ad_set'] : [];
  });
}

export const isWrite = ({ method, path }: Entry): boolean => method !== 'GET' && !/:search|token/.test(path);

/** Acts at the platform past the service: nothing of it is recorded. */
export async function atPlatform(
  { app }: TestApp,
  { platform }: Subject,
  { fixture, run }: { fixture: UserFixture; run: (adapter: AdsAdapter, access: Access) => Promise<unknown> },
): Promise<void> {
  const account = await app.services.db.accounts.findOne({ _id: fixture.accountId }).lean().orFail();
  const adapter = app.services.platforms[platform];
  if (!adapter) throw new Error(`No adapter of ${platform}`);
  await callPlatform(app.services, account, (access) => run(adapter, access));
}

interface Moved extends Pick<Pair, 'campaignId'> {
  /** Undefined while the campaign has none. */
  adSetId?: string;
  to: BudgetLevel;
  amount: number;
}
type Switch = (app: TestApp, fixture: UserFixture, moved: Moved) => Promise<unknown>;

/** Moves a daily budget to the other level at the platform, where the platform can. */
export const levelSwitches: Record<string, Switch> = {
  A({ sandbox }, fixture, { campaignId, adSetId, to, amount }) {
    const daily = String(amount * 100);
    const fields =
      to === 'campaign' ? { daily_budget: daily } : { adset_budgets: [{ adset_id: adSetId, daily_budget: daily }] };
    return ok(graph.caller(sandbox.url, fixture.token)('POST', campaignId, { fields }));
  },
  async D({ sandbox }, _fixture, { campaignId, adSetId, to, amount }) {
    const isShared = to === 'campaign';
    await control(sandbox.url, `campaigns/${campaignId}`, {
      budget_optimize_on: isShared,
      budget_mode: isShared ? 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET' : 'BUDGET_MODE_INFINITE',
      budget: isShared ? amount : 0,
    });
    if (adSetId === undefined) return;
    await control(sandbox.url, `adgroups/${adSetId}`, {
      budget_mode: isShared ? 'BUDGET_MODE_INFINITE' : 'BUDGET_MODE_DAY',
      budget: isShared ? 0 : amount,
    });
  },
  async F({ sandbox }, fixture, { campaignId, adSetId, to, amount }) {
    const call = restli.caller(sandbox.url, fixture.connection.accessToken);
    const account = `adAccounts/${fixture.adAccountIds.usd}`;
    const dailyBudget = { amount: String(amount), currencyCode: 'USD' };
    const budgetOptimization = { budgetOptimizationStrategy: 'DYNAMIC', bidStrategy: 'MAXIMUM_DELIVERY' };
    const headers = { 'X-RestLi-Method': 'PARTIAL_UPDATE' };
    const patch = (path: string, json: object) =>
      ok(call('POST', `${account}/${path}`, { json: { patch: json }, headers }));
    if (to === 'campaign') {
      const $set = { objectiveType: 'WEBSITE_VISIT', budgetOptimization, dailyBudget };
      await patch(`adCampaignGroups/${campaignId}`, { $set });
      if (adSetId) await patch(`adCampaigns/${adSetId}`, { $delete: ['dailyBudget'] });
    } else {
      await patch(`adCampaignGroups/${campaignId}`, { $delete: ['budgetOptimization', 'dailyBudget'] });
      if (adSetId) await patch(`adCampaigns/${adSetId}`, { $set: { dailyBudget } });
    }
  },
};

async function ok(calling: Promise<Pick<Answer, 'status' | 'body'>>): Promise<void> {
  const { status, body } = await calling;
  if (status >= 300) throw new Error(`The sandbox answers ${status}: ${JSON.stringify(body)}`);
}

export type Field = 'name' | 'budget' | 'end' | 'campaign' | 'ad_set';

interface Node {
  name: string;
  budget: { amount: number; type: string } | null;
  budgetLevel: BudgetLevel | null;
  platformStatus: string | null;
}

/** A campaign, its ad set and the ad in it, as callers see them. */
export interface Recorded {
  campaign: Node;
  adSet: Node & { endDate: string | null };
  ad: Pick<Node, 'budget' | 'budgetLevel'> & { status: string; schedule: { endDate: string | null } | null };
}

/** Where the records differ from the platform, except in what may be stale. */
export function differencesOf(there: PairAtPlatform, { campaign, adSet, ad }: Recorded, stale: Set<Field>): string[] {
  const own = there.level === 'campaign' ? there.campaign.budget : there.adSet.budget;
  const isOn = there.campaign.isOn && there.adSet.isOn;
  // Null until it is read: under a paused campaign, no platform reports whether the ad set itself is on.
  const isKnown = adSet.platformStatus !== null && there.campaign.isOn && !stale.has('campaign');
  const expectations: [Field, string, unknown, unknown][] = [
    ['budget', 'levels', [campaign, adSet, ad].map((one) => one.budgetLevel), Array(3).fill(there.level)],
    ['budget', 'campaign budget', moneyOf(campaign.budget), there.level === 'campaign' ? moneyOf(own) : null],
    ['budget', 'ad set budget', moneyOf(adSet.budget), there.level === 'ad_set' ? moneyOf(own) : null],
    ['budget', 'ad budget', moneyOf(ad.budget), moneyOf(own)],
    ['end', 'ends', [adSet.endDate, ad.schedule?.endDate].map(timeOf), Array(2).fill(timeOf(endOf(there)))],
    ['campaign', 'campaign status', campaign.platformStatus, there.campaign.isOn ? 'active' : 'paused'],
    ['ad_set', 'ad set status', isKnown && adSet.platformStatus, isKnown && (there.adSet.isOn ? 'active' : 'paused')],
    ['ad_set', 'ad is paused', stale.has('campaign') || ad.status === 'paused', stale.has('campaign') || !isOn],
    ['name', 'campaign name', there.campaign.name.startsWith(`${campaign.name} `), true],
    ['name', 'ad set name', there.adSet.name.startsWith(`${adSet.name} `), true],
  ];
  return expectations
    .filter(([field, , recorded, actual]) => !stale.has(field) && JSON.stringify(recorded) !== JSON.stringify(actual))
    .map(
      ([, what, ...both]) => `${what}: recorded ${both.map((one) => JSON.stringify(one)).join(', at the platform ')}`,
    );
}

const moneyOf = (budget: { amount: number; type: string } | null | undefined) =>
  budget ? { amount: budget.amount, type: budget.type } : null;
const timeOf = (end: unknown): number | null =>
  end == null ? null : Math.floor(new Date(end as string).getTime() / 1000);
