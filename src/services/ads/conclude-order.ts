import type { AccountDoc } from '../../models/account.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { AdsAdapter, CreatedAds } from '../../platforms/platform.ts';
import { askPlatform } from '../accounts/ask-platform.ts';
import type { Services } from '../context.ts';
import type { OrderRun } from './order-store.ts';
import { recordCreated } from './outcome.ts';
import { switching } from './switching.ts';

export interface Made {
  account: AccountDoc;
  adapter: AdsAdapter;
  created: CreatedAds;
}

/** Records what an order made. Whoever paused its campaign meanwhile has the last word: the order may have switched it on after. */
export function concludeOrder(services: Services, run: OrderRun, made: Made): Promise<AdDoc[]> {
  const { adapter, created } = made;
  const where = { platform: adapter.platform, campaignId: created.platformCampaignId };
  return switching(services, where, async () => recordCreated(services, run, await paused(services, run, made)));
}

async function paused(
  services: Services,
  { head }: OrderRun,
  { account, adapter, created }: Made,
): Promise<CreatedAds> {
  const stored = await services.db.ads.findOne({ _id: head._id }, { order: 1, steps: 1 }).lean();
  const { order, steps = [] } = stored ?? {};
  const isOn = steps.some(({ name, state }) => name === 'activate' && state !== 'refused');
  if (order?.input.status !== 'PAUSED' || !isOn) return created;
  const campaign = { adAccount: order.adAccount, campaignId: created.platformCampaignId };
  await askPlatform(services, account, (access) => adapter.setCampaignStatus(access, campaign, 'PAUSED'));
  return { ...created, ads: created.ads.map((ad) => (ad.status === 'active' ? { ...ad, status: 'paused' } : ad)) };
}
