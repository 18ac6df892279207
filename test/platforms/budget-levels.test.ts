import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLinkedIn } from '../../src/platforms/linkedin/index.ts';
import { createPinterest } from '../../src/platforms/pinterest/index.ts';
import type { Access, AdsAdapter, LevelChange } from '../../src/platforms/platform.ts';
import { createTikTok } from '../../src/platforms/tiktok/index.ts';
import { createXAds } from '../../src/platforms/x-ads/index.ts';
import { access, dollars as adAccount, refusalOf } from './fixtures.ts';
import { noMedia } from './media.ts';
import { startUpstream, type FakeUpstream, type Recorded, type Reply } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => void (upstream = await startUpstream()));
afterEach(() => upstream.stop());

type Fields = Record<string, unknown>;
interface State {
  campaign: Fields;
  adSets: Fields[];
}

/** One platform: how it answers what it holds, and how its writes look. */
interface Subject {
  adapter: (baseUrl: string) => AdsAdapter;
  answer: (request: Recorded, state: State) => Reply | undefined;
  /** Path and fields of a write. */
  written: (request: Recorded) => [string, unknown];
  campaignOf: { campaign?: Fields; ad_set: Fields };
  adSet: Fields;
  changed: {
    campaign: Fields;
    adSet: Fields;
    paused: [string, unknown];
  };
}

const tail = (path: string): string => path.split('/').slice(-2).join('/');
const listed = (list: Fields[]): Reply => ({
  json: { code: 0, message: 'OK', data: { list, page_info: { total_page: 1, total_number: list.length } } },
});
const money = (amount: string): Fields => ({ amount, currencyCode: 'USD' });
const daily = 'daily_budget_amount_local_micro';
const end = '2999-01-01T00:00:00Z';
const start = Date.parse('2026-01-01T00:00:00Z');

const subjects: Record<string, Subject> = {
  C: {
    adapter: (baseUrl) => createPinterest({ baseUrl, version: 'v5', conversionObjective: 'SALES' }, noMedia),
    answer({ method, path, json }, { campaign, adSets }) {
      if (method === 'PATCH') return { json: { items: [{ data: { id: (json as Fields[])[0]?.['id'] } }] } };
      if (path.endsWith('/ad_groups')) return { json: { items: adSets } };
      return { json: path.includes('/ad_groups/') ? adSets[0] : campaign };
    },
    written: ({ path, json }) => [tail(path), (json as Fields[])[0]],
    campaignOf: {
      campaign: { id: '1', status: 'ACTIVE', is_campaign_budget_optimization: true, daily_spend_cap: 50_000_000 },
      ad_set: { id: '1', status: 'ACTIVE', is_campaign_budget_optimization: false, daily_spend_cap: 90_000_000 },
    },
    adSet: { id: '2', campaign_id: '1', status: 'ACTIVE', budget_type: 'DAILY', budget_in_micro_currency: 25_000_000 },
    changed: {
      campaign: { ad_account_id: '77', id: '1', daily_spend_cap: 40_000_000, end_time: Date.parse(end) / 1000 },
      adSet: { id: '2', budget_in_micro_currency: 40_000_000, end_time: Date.parse(end) / 1000 },
      paused: ['77/ad_groups', { id: '2', status: 'PAUSED' }],
    },
  },
  D: {
    adapter: (baseUrl) => createTikTok({ baseUrl, version: 'v1.3', callsPerSecond: 1000 }, noMedia),
    answer({ method, path }, { campaign, adSets }) {
      if (method === 'POST') return { json: { code: 0, message: 'OK', data: {} } };
      return listed(path.includes('/campaign/') ? [campaign] : adSets);
    },
    written: ({ path, json }) => [path.replace('/v1.3/', ''), json],
    campaignOf: {
      campaign: {
        campaign_id: '1',
        budget_optimize_on: true,
        budget_mode: 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET',
        budget: 50,
      },
      ad_set: { campaign_id: '1', budget_optimize_on: false, budget_mode: 'BUDGET_MODE_DAY', budget: 90 },
    },
    adSet: { adgroup_id: '2', campaign_id: '1', budget_mode: 'BUDGET_MODE_DAY', budget: 25 },
    changed: {
      campaign: { advertiser_id: '77', campaign_id: '1', budget: 40 },
      adSet: {
        advertiser_id: '77',
        adgroup_id: '2',
        budget: 40,
        schedule_type: 'SCHEDULE_START_END',
        schedule_end_time: '2999-01-01 00:00:00',
      },
      paused: ['adgroup/status/update/', { advertiser_id: '77', adgroup_ids: ['2'], operation_status: 'DISABLE' }],
    },
  },
  E: {
    adapter: (baseUrl) => createXAds({ baseUrl, version: '12', clientId: 'id', clientSecret: 'secret' }),
    answer({ method, path }, { campaign, adSets }) {
      if (method === 'PUT') return { json: { data: { id: path.split('/').at(-1) } } };
      if (path.endsWith('/line_items')) return { json: { data: adSets } };
      return { json: { data: path.includes('/line_items/') ? adSets[0] : campaign } };
    },
    written: ({ path, form }) => [tail(path), form],
    campaignOf: { ad_set: { id: '1', entity_status: 'ACTIVE', [daily]: 90_000_000 } },
    adSet: { id: '2', campaign_id: '1', entity_status: 'ACTIVE', [daily]: 25_000_000 },
    changed: {
      campaign: {},
      adSet: { [daily]: '40000000', end_time: end },
      paused: ['line_items/2', { entity_status: 'PAUSED' }],
    },
  },
  F: {
    adapter: (baseUrl) => createLinkedIn({ baseUrl, version: '202608', tokenUrl: '' }, noMedia),
    answer({ method, path, query }, { campaign, adSets }) {
      if (method === 'POST') return { status: 204, text: '' };
      if (query['q'] === 'search') return { json: { elements: adSets } };
      return { json: path.includes('/adCampaigns/') ? adSets[0] : campaign };
    },
    written: ({ path, json }) => [tail(path), (json as { patch: { $set: Fields } }).patch.$set],
    campaignOf: {
      campaign: {
        id: 1,
        status: 'ACTIVE',
        runSchedule: { start },
        budgetOptimization: { budgetOptimizationStrategy: 'DYNAMIC' },
        dailyBudget: money('50'),
      },
      ad_set: { id: 1, status: 'ACTIVE', runSchedule: { start, end: Date.parse(end) }, totalBudget: money('90') },
    },
    adSet: {
      id: 2,
      status: 'ACTIVE',
      campaignGroup: 'urn:li:sponsoredCampaignGroup:1',
      dailyBudget: money('25'),
      runSchedule: { start },
    },
    changed: {
      campaign: { dailyBudget: money('40'), runSchedule: { start, end: Date.parse(end) } },
      adSet: { dailyBudget: money('40'), runSchedule: { start, end: Date.parse(end) } },
      paused: ['adCampaigns/2', { status: 'PAUSED' }],
    },
  },
};

const campaign = { adAccount, campaignId: '1' };
const adSet = { ...campaign, adSetId: '2' };
const asAd: Access = { ...access, tokenSecret: 'secret' };
const budget = { amount: 40, type: 'daily' } as const;
const change: LevelChange = { budget, endDate: end };

describe.each(Object.entries(subjects))('platform %s', (platform, subject) => {
  const holds = (level: 'campaign' | 'ad_set', adSets = [subject.adSet]): void => {
    const state = { campaign: subject.campaignOf[level] ?? {}, adSets };
    upstream.respond = (request) => subject.answer(request, state);
  };
  const adapter = (): AdsAdapter => subject.adapter(upstream.url);
  const writes = (): [string, unknown][] =>
    upstream.requests.filter(({ method }) => method !== 'GET').map((request) => subject.written(request));
  const other = { ...subject.adSet, id: '3', adgroup_id: '3' };

  // On E only line items carry budgets.
  if (subject.campaignOf.campaign) {
    it('reads a budget that the campaign carries', async () => {
      holds('campaign', [subject.adSet, other]);
      const found = { level: 'campaign', hasOtherAdSets: true, budget: { amount: 50, type: 'daily' } };
      expect(await adapter().readBudget(asAd, adSet)).toMatchObject(found);
      expect(await adapter().readBudget(asAd, campaign)).toMatchObject(found);
      holds('campaign');
      expect(await adapter().readBudget(asAd, campaign)).toMatchObject({ level: 'campaign', hasOtherAdSets: false });
    });

    it('writes a budget to the campaign and to nothing else', async () => {
      holds('campaign');
      await adapter().updateCampaign(asAd, campaign, platform === 'D' ? { budget } : change);
      expect(writes().map(([, fields]) => fields)).toEqual([subject.changed.campaign]);
    });
  }

  it('reads a budget that the ad set carries, and none for its campaign', async () => {
    holds('ad_set');
    expect(await adapter().readBudget(asAd, adSet)).toEqual({
      level: 'ad_set',
      endLevel: 'ad_set',
      hasOtherAdSets: false,
      budget: { amount: 25, type: 'daily' },
      // No ad set runs longer than its campaign.
      ...(platform === 'F' && { ends: { campaign: new Date(end) } }),
    });
    const ofCampaign = await adapter().readBudget(asAd, campaign);
    expect(ofCampaign).toMatchObject({ level: 'ad_set', hasOtherAdSets: false });
    expect(ofCampaign).not.toHaveProperty('budget');
    const endsItself = platform === 'C' || platform === 'F';
    expect(ofCampaign).toMatchObject(endsItself ? { endLevel: 'campaign' } : { endLevel: 'ad_set', onlyAdSetId: '2' });
    holds('ad_set', [subject.adSet, other]);
    const several = await adapter().readBudget(asAd, campaign);
    expect(several.hasOtherAdSets).toBe(true);
    expect(several).not.toHaveProperty('onlyAdSetId');
  });

  it('writes budget and end to the ad set', async () => {
    holds('ad_set', [subject.adSet, other]);
    await adapter().updateAdSet(asAd, adSet, change);
    expect(writes().map(([, fields]) => fields)).toEqual([subject.changed.adSet]);
  });

  it('renames campaign and ad set without any other field', async () => {
    holds('ad_set');
    await adapter().updateCampaign(asAd, campaign, { name: 'Spring' });
    await adapter().updateAdSet(asAd, adSet, { name: 'Spring' });
    for (const [path, fields] of writes()) {
      expect({ path, names: Object.keys(fields as Fields).filter((name) => /name/.test(name)) }).toMatchObject({
        names: [expect.any(String)],
      });
      expect(JSON.stringify(fields)).toContain('Spring');
      expect(JSON.stringify(fields)).not.toMatch(/budget|cap|optimi|end|schedule/i);
    }
    expect(writes()).toHaveLength(2);
  });

  it('pauses the ad set', async () => {
    holds('ad_set');
    await adapter().setAdSetStatus(asAd, adSet, 'PAUSED');
    expect(writes()).toEqual([subject.changed.paused]);
  });

  it('finds a campaign and an ad set in whichever ad account contains them', async () => {
    holds('ad_set');
    const known = upstream.respond;
    const isElsewhere = ({ path, query }: Recorded): boolean =>
      path.includes('/78/') || query['advertiser_id'] === '78';
    upstream.respond = (request) => {
      if (!isElsewhere(request)) return known(request);
      if (platform === 'D') return listed([]);
      const code = platform === 'C' ? 404 : 'NOT_FOUND';
      const body = { status: 404, code, message: 'Not found', errors: [{ code, message: 'Not found' }] };
      return { status: 404, json: body };
    };
    const accounts = [{ ...adAccount, id: '78' }, adAccount];
    expect(await adapter().findCampaign(asAd, accounts, '1')).toMatchObject({
      adAccount: { id: '77' },
      campaign: { id: '1', budgetLevel: 'ad_set', spendLimit: { amount: 90 } },
    });
    expect(await adapter().findAdSet(asAd, accounts, '2')).toMatchObject({
      adAccount: { id: '77' },
      campaign: { id: '1' },
      adSet: { id: '2', campaignId: '1', budget: { amount: 25, type: 'daily' } },
    });
    expect(await adapter().findCampaign(asAd, [{ ...adAccount, id: '78' }], '1')).toBeUndefined();
    expect(await adapter().findAdSet(asAd, [{ ...adAccount, id: '78' }], '2')).toBeUndefined();
  });

  it('finds nothing for an id of another format and sends no request', async () => {
    expect(await adapter().findCampaign(asAd, [adAccount], '../1')).toBeUndefined();
    expect(await adapter().findAdSet(asAd, [adAccount], '')).toBeUndefined();
    expect(upstream.requests).toEqual([]);
  });

  it('reports the failure of an ad account if no other one contains the campaign', async () => {
    upstream.respond = () => ({ status: 503, json: {} });
    const found = adapter().findCampaign(asAd, [adAccount], '1');
    expect((await refusalOf(found)).fault).toBe('unavailable');
  });
});

describe('platform D', () => {
  it.each([{ is_smart_performance_campaign: true }, { campaign_automation_type: 'UPGRADED_SMART_PLUS' }])(
    'changes no automatic campaign: %j',
    async (kind) => {
      const { adapter, campaignOf, answer, adSet: group } = subjects['D'] as Subject;
      upstream.respond = (request) => answer(request, { campaign: { ...campaignOf.ad_set, ...kind }, adSets: [group] });
      expect((await refusalOf(adapter(upstream.url).readBudget(asAd, adSet))).fault).toBe('unsupported');
    },
  );
});

describe('platform F', () => {
  const { adapter, campaignOf, answer, adSet: own } = subjects['F'] as Subject;

  it('reads the end of a total budget at its group', async () => {
    const { dailyBudget: _, ...group } = campaignOf.campaign as Fields;
    const total = { ...group, totalBudget: money('500'), runSchedule: { start, end: Date.parse(end) } };
    upstream.respond = (request) => answer(request, { campaign: total, adSets: [own] });
    expect(await adapter(upstream.url).readBudget(asAd, adSet)).toMatchObject({
      level: 'campaign',
      endLevel: 'campaign',
    });
    expect(await adapter(upstream.url).findAdSet(asAd, [adAccount], '2')).toMatchObject({
      campaign: { budgetLevel: 'campaign', budget: { amount: 500, type: 'lifetime' }, endDate: new Date(end) },
      adSet: { endDate: new Date(end) },
    });
  });

  it.each([
    ['CANNOT_UPDATE_BACKFILLED_CAMPAIGN_GROUPS', /default group/, undefined],
    ['INSUFFICIENT_CAMPAIGN_GROUP_BUDGET', /larger budgets/, ['budgetAmount']],
    ['BILLING_NOT_EDITABLE_FOR_LMS_ENTERPRISE', /contract/, ['budgetAmount']],
  ])('explains the refusal %s', async (code, text, fields) => {
    upstream.respond = () => ({ status: 400, json: { status: 400, code, message: 'Refused' } });
    const { message, upstream: said } = await refusalOf(
      adapter(upstream.url).updateCampaign(asAd, campaign, { budget }),
    );
    expect(message).toMatch(text);
    expect(said.fields && Object.keys(said.fields)).toEqual(fields);
  });
});
