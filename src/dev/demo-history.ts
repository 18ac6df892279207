import { adPlatformOf, type AccountPlatform } from '../contract/platforms.ts';
import { simulatedPlatform } from './connect-sandbox.ts';

const dayMs = 86_400_000;
/** How long ago the first ad began; every further one began some days later. */
const firstDays = 60;
const nextDays = 11;

interface Place {
  sandboxUrl: string;
  platform: AccountPlatform;
  adAccountId: string;
  now: Date;
}

/** Lets campaigns run at the simulated platform that have delivered for weeks, so that reports have figures. */
export async function seedHistory({ sandboxUrl, platform, adAccountId, now }: Place): Promise<void> {
  if (!adPlatformOf(platform)) return;
  const control = (name: string, body: object): Promise<Response> =>
    fetch(`${sandboxUrl}/control/${simulatedPlatform(platform)}/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const response = await control('found-campaigns', { adAccountId });
  if (!response.ok) throw new Error(`The sandbox added no campaigns on ${platform}: ${await response.text()}`);
  const { campaigns } = (await response.json()) as { campaigns: { adIds: string[] }[] };
  for (const [at, adId] of campaigns.flatMap(({ adIds }) => adIds).entries()) {
    const until = now.getTime();
    const earlier = [{ from: until - (firstDays - at * nextDays) * dayMs, until }];
    const set = await control('figures', { adId, earlier });
    if (!set.ok) throw new Error(`The sandbox accepted no figures on ${platform}: ${await set.text()}`);
  }
}
