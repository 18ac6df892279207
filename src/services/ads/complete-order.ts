import type { AccountDoc } from '../../models/account.ts';
import type { AdDoc, AdStep } from '../../models/ad.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { AdsAdapter, CreatedAds, UpstreamAdStatus } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { appErrorFromPlatform } from '../platform-error.ts';
import { ensurePaused } from './ensure-paused.ts';
import { leaseLost, type OrderRun } from './order-lease.ts';
import { recordCreated, type CompletedOrder } from './record-outcome.ts';
import { withCampaignLock } from './campaign-lock.ts';

export interface CreatedOrder {
  account: AccountDoc;
  adapter: AdsAdapter;
  created: CreatedAds;
  steps: AdStep[];
}

/** Records what an order made. A status change made by the owner in the meantime wins over the order. */
export function completeOrder(services: Services, run: OrderRun, made: CreatedOrder): Promise<AdDoc[]> {
  const { account, adapter, created } = made;
  const where = { platform: adapter.platform, campaignId: created.platformCampaignId, account };
  const record = async (stored: AdDoc[], options?: { ifUnchanged: boolean }): Promise<AdDoc[] | undefined> =>
    recordCreated(services, run, { ...(await applyDesiredStatus(services, run, { ...made, stored })), ...options });
  return withCampaignLock(services, where, async () => {
    // A single ad that has not changed since it was read is written at once; otherwise the ads are read again.
    const first = run.ads.length === 1 ? await record(run.ads, { ifUnchanged: true }) : undefined;
    if (first) return first;
    const stored = await services.db.ads.find({ orderId: run.firstAd.orderId }).sort({ creativeIndex: 1 }).lean();
    const recorded = await record(stored);
    if (!recorded) throw leaseLost();
    return recorded;
  });
}

async function applyDesiredStatus(
  services: Services,
  { firstAd }: OrderRun,
  { account, adapter, created, steps, stored }: CreatedOrder & { stored: AdDoc[] },
): Promise<CompletedOrder> {
  const { order } = stored[0] ?? {};
  const requested = order?.input.status ?? 'ACTIVE';
  const isOn = order?.isActivated || steps.some(({ name, state }) => name === 'activate' && state !== 'refused');
  if (order && requested === 'PAUSED' && isOn) {
    const campaign = { adAccount: order.adAccount, campaignId: created.platformCampaignId };
    await ensurePaused(services, { account, adapter }, campaign).catch(throwAsUnknown);
  }
  // The platform reports the campaign or the ad; the owner may have paused one or activated the other since it was sent.
  const isOnSince = requested === 'ACTIVE' && firstAd.order?.input.status === 'PAUSED';
  const statusOf = (status: UpstreamAdStatus, isPaused: boolean): UpstreamAdStatus => {
    if (status === 'active' && (isPaused || requested === 'PAUSED')) return 'paused';
    return status === 'paused' && isOnSince && !isPaused ? 'active' : status;
  };
  const ads = created.ads.map((ad, at) => ({ ...ad, status: statusOf(ad.status, stored[at]?.isPaused === true) }));
  return { ...created, ads, requested, steps };
}

/** The caller must not take the rejected pause for a rejection of what the order made. */
function throwAsUnknown(error: unknown): never {
  if (!(error instanceof PlatformError)) throw error;
  const { platform, fault, upstream } = error;
  if (fault !== 'rejected') throw appErrorFromPlatform(error);
  const message = `The campaign could not be paused and may still be active: ${error.message}`;
  throw appErrorFromPlatform(new PlatformError(platform, 'unknown_outcome', message, upstream));
}
