import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DuplicateCampaignInput } from '../../../src/contract/duplication.ts';
import { runDuplication } from '../../../src/services/duplications/run-duplication.ts';
import { duplicateCampaign } from '../../../src/services/duplications/duplicate-campaign.ts';
import {
  control,
  grown,
  makeCopyUser,
  startCopyFixture,
  workOn,
  type CopyPlatform,
  type CopyUser,
  type CopyFixture,
} from './fixture.ts';

let fixture: CopyFixture;
beforeAll(async () => void (fixture = await startCopyFixture()));
afterAll(() => fixture.stop());

const both: CopyPlatform[] = ['network-a', 'network-c'];
const day = 86_400_000;
/** Whole seconds, as platforms keep them. */
const inDays = (days: number): string =>
  new Date(Math.floor((Date.now() + days * day) / 1000) * 1000).toISOString().replace('.000', '');
const short = (time: string): string => time.slice(0, 19).replace('T', ' ');

interface Times {
  start?: string;
  end?: string;
}
type Fields = Record<string, unknown>;

const setFields = {
  'network-a': ({ start, end }: Times): Fields => ({
    ...(start && { start_time: start }),
    ...(end && { end_time: end }),
  }),
  'network-c': ({ start, end }: Times): Fields => ({
    ...(start && { schedule_start_time: short(start) }),
    ...(end && { schedule_type: 'SCHEDULE_START_END', schedule_end_time: short(end) }),
  }),
};

/** A campaign with one ad set for each of these times, and more ads than are copied in one call where it is large. */
async function plantTimes(user: CopyUser, sets: Times[], isLarge: boolean): Promise<string> {
  const ads = Array.from({ length: isLarge ? 4 : 0 }, (_, at) => ({ name: `Ad ${at}` }));
  const named = sets.map((times, at) => ({ name: `Set ${at}`, fields: setFields[user.platform](times), ads }));
  const [isA, name] = [user.platform === 'network-a', 'Timed'];
  const body = isA
    ? { adAccountId: user.adAccountId, campaigns: [{ name, adsets: named }] }
    : { advertiserId: user.adAccountId, campaigns: [{ name, adgroups: named }] };
  const answer = await control<{ campaigns: [{ id?: string; campaignId?: string }] }>(
    fixture.sandbox,
    `${user.platform}/campaigns`,
    body,
  );
  return answer.campaigns[0].id ?? answer.campaigns[0].campaignId ?? '';
}

const input = (user: CopyUser, campaignId: string, times: object): DuplicateCampaignInput =>
  DuplicateCampaignInput.parse({ campaignId, platform: user.platform, syncAfter: false, ...times });

const instant = (time: unknown): string | undefined =>
  typeof time === 'string'
    ? new Date(time.includes('T') ? time : `${time.replace(' ', 'T')}Z`).toISOString().replace('.000', '')
    : undefined;

/** The times of the copied ad sets, by the order of their names. */
async function copiedTimes(user: CopyUser, source: string, times: object): Promise<Times[]> {
  const { copiedCampaignId, duplicationId } = await duplicateCampaign(user.ctx, input(user, source, times));
  await workOn(fixture, duplicationId);
  const doc = await fixture.services.db.duplications.findOne({ _id: duplicationId }).lean();
  expect(doc).toMatchObject({ status: 'completed', error: null });
  const isA = user.platform === 'network-a';
  const path = isA ? 'network-a/objects?type=adset' : 'network-c/objects?type=adgroup';
  const answer = (await (await fetch(`${fixture.sandbox.url}/control/${path}`)).json()) as { objects: Fields[] };
  const all = answer.objects.map((one) => (isA ? (one['fields'] as Fields) : one));
  const nameOf = (one: Fields): string => String(one[isA ? 'name' : 'adgroup_name']);
  return all
    .filter((one) => one['campaign_id'] === copiedCampaignId)
    .toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))
    .map((one) => ({
      start: instant(one[isA ? 'start_time' : 'schedule_start_time']),
      end:
        one['schedule_type'] === 'SCHEDULE_FROM_NOW' ? undefined : instant(one[isA ? 'end_time' : 'schedule_end_time']),
    }));
}

it('an end that passes while a copy on network-c grows does not undo what is made', async () => {
  const user = await makeCopyUser(fixture, 'network-c');
  const source = await plantTimes(user, [{}, {}], true);
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const endTime = new Date(Date.now() + 600_000).toISOString();
  const asked = input(user, source, { endTime, statusOption: 'ACTIVE' });
  const { duplicationId } = await duplicateCampaign(user.ctx, asked);
  const match = { method: 'POST', path: '/campaign/status/update/' };
  await fetch(`${fixture.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ platform: 'network-c', fault: 'rate_limited', match, times: 1, skip: 0 }),
  });
  await runDuplication(fixture.services, duplicationId);
  const doc = () => fixture.services.db.duplications.findOne({ _id: duplicationId }).lean().orFail();
  const { adSets } = (await doc()).tree;
  expect(await doc()).toMatchObject({ status: 'running', copied: { adSets: adSets.length } });
  vi.setSystemTime(Date.parse(endTime) + 1);
  await workOn(fixture, duplicationId);
  expect(await doc()).toMatchObject({ status: 'completed', error: null });
});

const around = (time: string | undefined): number => Math.abs(Date.parse(time ?? '') - Date.now());
const sizes = [
  ['small', false],
  ['larger', true],
] as const;

describe.each(both)('the times of a copy on %s', (platform) => {
  describe.each(sizes)('that is %s', (_size, isLarge) => {
    it('are kept where they lie ahead, so that the ad sets stand apart as they did', async () => {
      const user = await makeCopyUser(fixture, platform);
      const sets = [
        { start: inDays(2), end: inDays(9) },
        { start: inDays(5), end: inDays(12) },
      ];
      const source = await plantTimes(user, sets, isLarge);
      expect(await copiedTimes(user, source, {})).toEqual(sets);
    });

    it('are the asked ones for every ad set', async () => {
      const user = await makeCopyUser(fixture, platform);
      const source = await plantTimes(user, [{ start: inDays(-20), end: inDays(-10) }, { start: inDays(3) }], isLarge);
      const asked = { start: inDays(4), end: inDays(30) };
      const times = await copiedTimes(user, source, { startTime: asked.start, endTime: asked.end });
      expect(times).toEqual([asked, asked]);
    });

    it('move by startTime alone, and the end stays', async () => {
      const user = await makeCopyUser(fixture, platform);
      const end = inDays(20);
      const source = await plantTimes(user, [{ start: inDays(2), end }], isLarge);
      const startTime = inDays(6);
      expect(await copiedTimes(user, source, { startTime })).toEqual([{ start: startTime, end }]);
    });

    it('begin now where startTime is past', async () => {
      const user = await makeCopyUser(fixture, platform);
      const source = await plantTimes(user, [{ start: inDays(2) }], isLarge);
      const [set] = await copiedTimes(user, source, { startTime: inDays(-3) });
      expect(around(set?.start)).toBeLessThan(60_000);
    });

    it.each([
      ['an end before the ad set begins', { start: inDays(8) }, { endTime: inDays(4) }],
      ['a start after the ad set has ended', { start: inDays(1), end: inDays(3) }, { startTime: inDays(9) }],
    ])('are refused before anything is made: %s', async (what, set, times) => {
      const user = await makeCopyUser(fixture, platform);
      const source = await plantTimes(user, [{}, set], isLarge);
      const asked = duplicateCampaign(user.ctx, input(user, source, times));
      // There an end that would be past is dropped where the budget does not need one.
      if (platform === 'network-c' && what.startsWith('a start')) {
        await asked;
        return;
      }
      await expect(asked).rejects.toMatchObject({
        status: 400,
        extras: { details: { fields: { endTime: [expect.any(String)] } } },
      });
      expect(await grown(fixture, user)).toHaveLength(1);
    });
  });

  it.each([
    { endTime: inDays(-1) },
    { startTime: inDays(5), endTime: inDays(4) },
    { startTime: inDays(5), endTime: inDays(5) },
    { startTime: inDays(-5), endTime: inDays(-4) },
  ])('are refused without a call when they cannot be: %j', async (times) => {
    const user = await makeCopyUser(fixture, platform);
    await fetch(`${fixture.sandbox.url}/ledger`, { method: 'DELETE' });
    await expect(duplicateCampaign(user.ctx, input(user, '1', times))).rejects.toMatchObject({
      code: 'invalid_field_value',
      extras: { param: 'endTime' },
    });
    const { entries } = (await (await fetch(`${fixture.sandbox.url}/ledger`)).json()) as { entries: object[] };
    expect(entries).toEqual([]);
  });
});
