import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/dev/sandbox/index.ts';
import { localPlatformLimits } from '../../src/lib/platform-limits.ts';
import type { AdAccount, FoundPage, ReadProblem } from '../../src/platforms/platform.ts';
import { createTikTok } from '../../src/platforms/tiktok/index.ts';
import type { CallRates } from '../../src/platforms/tiktok/limits.ts';
import { connect, control, type Fields, type Person } from '../dev/sandbox/short-video.ts';
import { asAccess, inputs, memoryJournal, orderOf, refusalOf } from './fixtures.ts';
import { noMedia } from './media.ts';

let sandbox: Sandbox;
beforeAll(async () => void (sandbox = await startSandbox()));
afterAll(() => sandbox.stop());

const quick: CallRates = { callsPerSecond: 1_000_000, appCallsPerSecond: 1_000_000 };
const app = { clientId: 'sandbox-app', clientSecret: 'sandbox-app-secret' };
const adapterOf = (rates: CallRates = quick, limits = localPlatformLimits()) =>
  createTikTok({ baseUrl: `${sandbox.url}/network-c/open_api`, version: 'v1.3', ...app, ...rates }, noMedia, limits);
const accessOf = ({ accessToken: token }: Person) => asAccess({ accountPlatform: 'network-c', token });
const adAccountOf = (id: string): AdAccount => ({ id, name: 'Shop', currency: 'USD', isActive: true });
const set = (path: string, body: Fields): Promise<unknown> => control(sandbox.url, path, body);

interface Entry {
  path: string;
  answer: { code?: number };
}
async function callsDuring(run: () => Promise<unknown>): Promise<Entry[]> {
  await fetch(`${sandbox.url}/ledger`, { method: 'DELETE' });
  await run();
  const response = await fetch(`${sandbox.url}/ledger?platform=network-c`);
  return ((await response.json()) as { entries: Entry[] }).entries;
}

describe('the list of ad accounts', () => {
  const currencies = Array.from({ length: 9 }, () => 'USD');

  it('leaves out an advertiser that left its business, and reports it', async () => {
    const person = await connect(sandbox.url, currencies);
    const [lost = ''] = person.adAccounts.map(({ id }) => id).slice(4);
    await set('advertisers', { advertiserId: lost, status: 'REMOVED_FROM_BUSINESS' });
    const problems: ReadProblem[] = [];
    const listed = await adapterOf().listAdAccounts(accessOf(person), (problem) => void problems.push(problem));
    expect(listed.map(({ id }) => id)).toEqual(person.adAccounts.map(({ id }) => id).filter((id) => id !== lost));
    expect(problems).toMatchObject([{ objectType: 'ad_account', platformId: lost, isSkipped: true }]);
  });

  it('fails if no advertiser can be read: then the connection is the cause', async () => {
    const person = await connect(sandbox.url, ['USD', 'EUR']);
    for (const { id } of person.adAccounts)
      await set('advertisers', { advertiserId: id, status: 'REMOVED_FROM_BUSINESS' });
    expect(await refusalOf(adapterOf().listAdAccounts(accessOf(person)))).toMatchObject({
      fault: 'rejected',
      upstream: { code: 40_001 },
    });
  });
});

describe('an upgraded Smart+ campaign', () => {
  const automation = { campaign_automation_type: 'UPGRADED_SMART_PLUS' };
  const seeded = async (): Promise<{ person: Person; advertiserId: string; tree: any }> => {
    const person = await connect(sandbox.url, ['USD']);
    const [{ id: advertiserId } = { id: '' }] = person.adAccounts;
    const adgroups = [{ name: 'Group', ads: [{ name: 'Ad' }] }];
    const campaigns = [{ name: 'Automatic', fields: automation, adgroups }];
    const answer = (await set('campaigns', { advertiserId, campaigns })) as { campaigns: [any] };
    return { person, advertiserId, tree: answer.campaigns[0] };
  };

  it('has its ads discovered, although they do not name their campaign', async () => {
    const { person, advertiserId, tree } = await seeded();
    const pages: FoundPage[] = [];
    for await (const page of adapterOf().discover(accessOf(person), adAccountOf(advertiserId))) pages.push(page);
    const ids = { id: tree.adgroups[0].adIds[0], adSetId: tree.adgroups[0].adgroupId, campaignId: tree.campaignId };
    expect(pages.flatMap(({ ads = [] }) => ads)).toMatchObject([ids]);
    expect(pages.flatMap(({ problems = [] }) => problems)).toEqual([]);
  });

  it('is not copied as a manual one', async () => {
    const { person, advertiserId, tree } = await seeded();
    const order = {
      operationId: '1',
      adAccount: adAccountOf(advertiserId),
      campaignId: tree.campaignId,
      options: { deepCopy: true, statusOption: 'PAUSED', renameStrategy: 'NO_RENAME' } as const,
      placedAt: new Date(),
    };
    const read = adapterOf().copies?.readTree(accessOf(person), order);
    expect((await refusalOf(read as Promise<unknown>)).message).toContain('can only be created on the platform');
  });
});

it.each([
  [undefined, { ageMin: 13, ageMax: 24 }, { ageMin: [expect.stringContaining('below 18 in US')] }],
  [['JP', 'BR'], { ageMax: 17 }, { ageMax: [expect.stringContaining('below 18 in BR')] }],
  [['JP'], { ageMin: 13, ageMax: 24 }, { 'video.url': expect.anything() }],
])('minors in %j are refused where the platform does not show them ads: %j', async (countries, ages, fields) => {
  const person = await connect(sandbox.url, ['USD']);
  const video = { url: 'https://media.example/missing.mp4' };
  const order = orderOf(inputs.legacy({ ...ages, countries, video, imageUrl: undefined }), {
    ...adAccountOf(person.adAccounts[0]?.id ?? ''),
  });
  const made = adapterOf().createAds(accessOf(person), order, memoryJournal());
  expect((await refusalOf(made)).upstream.fields).toEqual(fields);
});

describe('the limits of the developer app', () => {
  it('are kept by its advertisers and processes together', async () => {
    const people = await Promise.all([0, 1, 2, 3].map(() => connect(sandbox.url, ['USD'])));
    const limits = localPlatformLimits();
    await set('rate', { perSecond: 10, level: 'app' });
    const entries = await callsDuring(() =>
      Promise.all(
        people.map(async (person) => {
          const [{ id } = { id: '' }] = person.adAccounts;
          const adapter = adapterOf({ callsPerSecond: 5, appCallsPerSecond: 8 }, limits);
          for await (const _page of adapter.discover(accessOf(person), adAccountOf(id)));
        }),
      ),
    );
    await set('rate', { perSecond: 0 });
    expect(entries).toHaveLength(12);
    expect(entries.map(({ answer }) => answer.code)).toEqual(Array.from({ length: 12 }, () => 0));
  });

  it('suspend every call of the app for five minutes once they are exceeded', async () => {
    const [one, other] = [await connect(sandbox.url, ['USD']), await connect(sandbox.url, ['USD'])];
    const limits = localPlatformLimits();
    const order = { platform: 'network-c', fault: 'rate_limited', match: { path: 'advertiser/get' } };
    await fetch(`${sandbox.url}/control/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(order),
    });
    const list = (person: Person): Promise<unknown> => adapterOf(quick, limits).listAdAccounts(accessOf(person));
    expect(await refusalOf(list(one))).toMatchObject({ fault: 'rate_limited', upstream: { retryAfterSeconds: 300 } });
    const entries = await callsDuring(async () => {
      const refusal = await refusalOf(list(other));
      expect(refusal.fault).toBe('rate_limited');
      expect(refusal.upstream.retryAfterSeconds).toBeGreaterThan(290);
    });
    expect(entries).toEqual([]);
    expect(await adapterOf(quick, localPlatformLimits()).listAdAccounts(accessOf(other))).toHaveLength(1);
  });
});
