import type { AccountDoc } from '../../models/account.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { AdsAdapter, CreatedAds, UpstreamAdStatus } from '../../platforms/platform.ts';
import { askPlatform } from '../accounts/call-platform.ts';
import type { Services } from '../context.ts';
import { unlessGone } from './abandon-order.ts';
import type { OrderRun } from './order-store.ts';
import { recordCreated, type Concluded } from './record-outcome.ts';
import { switching } from './campaign-lock.ts';

export interface Made {
  account: AccountDoc;
  adapter: AdsAdapter;
  created: CreatedAds;
}

/** Records what an order made. A status change made by the owner in the meantime wins over the order. */
export function concludeOrder(services: Services, run: OrderRun, made: Made): Promise<AdDoc[]> {
  const { adapter, created } = made;
  const where = { platform: adapter.platform, campaignId: created.platformCampaignId };
  return switching(services, where, async () => recordCreated(services, run, await asWanted(services, run, made)));
}

async function asWanted(services: Services, { head }: OrderRun, made: Made): Promise<Concluded> {
  const { account, adapter, created } = made;
  const stored = await services.db.ads.find({ batchId: head.batchId }).sort({ creativeIndex: 1 }).lean();
  const { order, steps = [] } = stored[0] ?? {};
  const wanted = order?.input.status ?? 'ACTIVE';
  const isOn = order?.isOn || steps.some(({ name, state }) => name === 'activate' && state !== 'refused');
  if (order && wanted === 'PAUSED' && isOn) {
    const campaign = { adAccount: order.adAccount, campaignId: created.platformCampaignId };
    await askPlatform(services, account, (access) =>
      adapter.setCampaignStatus(access, campaign, 'PAUSED').catch(unlessGone),
    );
  }
  const isOnSince = wanted === 'ACTIVE' && head.order?.input.status === 'PAUSED';
  const statusOf = (status: UpstreamAdStatus, isOff: boolean): UpstreamAdStatus => {
    if (status === 'active' && (isOff || wanted === 'PAUSED')) return 'paused';
    return status === 'paused' && isOnSince && !isOff ? 'active' : status;
  };
  const ads = created.ads.map((ad, at) => ({ ...ad, status: statusOf(ad.status, stored[at]?.isOff === true) }));
  return { ...created, ads, wanted };
}
