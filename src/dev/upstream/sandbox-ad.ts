import { budgetLevelOf } from '../../contract/platforms.ts';
import { CreateAdInput } from '../../contract/ad-input.ts';
import type { AdPlatform } from '../../contract/platforms.ts';
import type { Journal } from '../../platforms/platform.ts';
import type { Side } from './check.ts';

const image = (name: string) => (media: string) => ({ imageUrl: `${media}/${name}.png` });

/** The media that an ad for traffic needs. */
const mediaOf: Record<AdPlatform, (media: string) => object> = {
  A: image('square'),
  B: (media) => ({ images: { landscape: `${media}/landscape.png`, square: `${media}/square.png` } }),
  C: image('square'),
  D: (media) => ({
    video: { url: `${media}/video.mp4` },
    brandIdentity: { displayName: 'Verify', imageUrl: `${media}/square.png` },
  }),
  E: () => ({}),
  F: image('landscape'),
};

const journal: Journal = { dryRun: false, run: ({ send }) => send() };

/** Creates a paused ad in a sandbox through the adapter. */
export async function createAd({ platform, adapter, access, adAccount }: Side, media: string): Promise<void> {
  const name = 'verify';
  const input = CreateAdInput.parse({
    accountId: '0123456789abcdef01234567',
    adAccountId: adAccount.id,
    name,
    goal: 'traffic',
    budgetAmount: 25,
    budgetType: 'daily',
    status: 'PAUSED',
    linkUrl: 'https://shop.example/spring',
    body: 'Everything for the garden.',
    ...(platform !== 'D' && platform !== 'E' && { headline: 'Spring is here' }),
    ...(/[ADF]/.test(platform) && { callToAction: 'LEARN_MORE' }),
    ...mediaOf[platform](media),
  });
  const names = { campaign: name, adSet: name, ads: [name] };
  const budgetLevel = budgetLevelOf(platform);
  const order = { input, goal: 'traffic' as const, budgetLevel, adAccount, names, placedAt: new Date() };
  await adapter.createAds(access, order, journal);
}
