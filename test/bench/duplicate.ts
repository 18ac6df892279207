import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuplicateCampaignInput } from '../../src/contract/duplication.ts';
import { startTestApp } from '../support/app.ts';
import { control } from '../services/duplications/fixture.ts';
import { createUserFixture } from '../support/user-fixture.ts';
import { startStoreProcess } from './support/load.ts';

const perSecond = 20;
const tree = { adgroups: 50, ads: 20 };

interface Connection {
  accessToken: string;
  adAccounts: { id: string }[];
}

interface Entry {
  method: string;
  path: string;
  answer: { code?: number };
}

/** What the service makes of ad/create at this rate of the app. */
const adsPerSecond = perSecond / 5;

/** A large campaign of platform D through the whole product, with a platform that takes so many calls a second. */
async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const given = process.env['MONGODB_URI'];
  const store = given ? undefined : await startStoreProcess(folder);
  Object.assign(process.env, { MONGODB_URI: given ?? store?.uri });
  const app = await startTestApp({
    PLATFORM_D_CALLS_PER_SECOND: String(perSecond),
    PLATFORM_D_APP_CALLS_PER_SECOND: String(perSecond),
  });
  try {
    const { sandbox } = app;
    const requested = { name: 'Shop', currencies: ['USD'] };
    const connection = await control<Connection>(sandbox, 'network-c/connections', requested);
    const fixture = await createUserFixture(app, {
      platform: 'network-c',
      connection: { token: connection.accessToken, adsToken: connection.accessToken, adsConnected: true },
    });
    const ads = Array.from({ length: tree.ads }, (_, at) => ({ name: `Ad ${at}` }));
    const adgroups = Array.from({ length: tree.adgroups }, (_, at) => ({ name: `Group ${at}`, ads }));
    const seeded = await control<{ campaigns: { campaignId: string }[] }>(sandbox, 'network-c/campaigns', {
      advertiserId: connection.adAccounts[0]?.id,
      campaigns: [{ name: 'Source', adgroups }],
    });
    await control(sandbox, 'network-c/rate', { perSecond, level: 'advertiser' });
    const body: Partial<DuplicateCampaignInput> = { platform: 'network-c', syncAfter: false };
    const campaignId = seeded.campaigns[0]?.campaignId ?? '';
    const began = performance.now();
    const answer = await app.call('POST', `/v1/ads/campaigns/${campaignId}/duplicate`, { key: fixture.key, body });
    const answeredMs = performance.now() - began;
    const path = `/v1/ads/campaigns/duplications/${answer.body.duplicationId}`;
    let { duplication } = (await app.call('GET', path, { key: fixture.key })).body;
    while (duplication.status === 'running') {
      await new Promise((resolve) => setTimeout(resolve, 100));
      ({ duplication } = (await app.call('GET', path, { key: fixture.key })).body);
    }
    const seconds = (Date.parse(duplication.finishedAt) - (performance.timeOrigin + began)) / 1000;
    const ledger = (await (await fetch(`${sandbox.url}/ledger?platform=network-c`)).json()) as { entries: Entry[] };
    const calls = ledger.entries.length;
    const refused = ledger.entries.filter((entry) => entry.answer?.code === 40_133).length;
    const adCalls = ledger.entries.filter(({ path }) => path.includes('/ad/create/')).length;
    const least = Math.max(calls / perSecond, adCalls / adsPerSecond);
    console.log(
      [
        `${tree.adgroups} ad groups with ${tree.ads} ads each, ${perSecond} calls a second: ${duplication.status}`,
        `answered after ${(answeredMs / 1000).toFixed(2)} s, whole after ${seconds.toFixed(2)} s`,
        `${calls} calls, of which ${refused} came too soon; at least ${least.toFixed(2)} s`,
        `ratio ${(seconds / least).toFixed(3)}`,
        `ad groups ${JSON.stringify(duplication.adSets)}, ads ${JSON.stringify(duplication.ads)}`,
      ].join('\n'),
    );
  } finally {
    await app.stop();
    await store?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
