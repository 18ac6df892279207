import { addDays } from '../../src/lib/calendar-days.ts';
import { dayOf } from '../../src/lib/account-time.ts';
import type { AdAccount, Figures, ReportRow } from '../../src/platforms/platform.ts';
import type { Services } from '../../src/services/context.ts';
import { storeFigures } from '../../src/services/reports/write-figures.ts';

const timeZone = 'Europe/Oslo';
export const adAccount: AdAccount = { id: 'act_1', name: 'Main', currency: 'EUR', timezone: timeZone, isActive: true };

/** What a campaign has on a day this long ago. */
export const figuresOf = (campaign: number, age: number): Figures => {
  const n = BigInt(campaign * 97 + age * 31 + 1000);
  return {
    spend: n * 12_345n,
    impressions: n * 21n,
    clicks: n,
    linkClicks: n / 2n,
    purchases: (n % 9n) * 1_000_000n,
    purchaseValue: (n % 9n) * 49_990_000n,
    leads: 0n,
    engagement: n * 2n,
    videoViews: n * 3n,
    videoPlays: n * 4n,
    events: { purchase: { count: (n % 9n) * 1_000_000n, value: (n % 9n) * 49_990_000n } },
  };
};

export interface StoredCampaigns {
  accountId: string;
  campaigns: number;
  days: number;
  /** Whether there is delivery on the day so many days ago; every day by default. */
  delivers?: (age: number) => boolean;
}

/** Stores figures of campaigns on platform A, as if they had just been read; returns the range, which ends yesterday. */
export async function storeCampaigns(
  services: Services,
  { accountId, campaigns, days, delivers = () => true }: StoredCampaigns,
): Promise<{ fromDate: string; toDate: string }> {
  const at = services.clock.now();
  await services.db.accounts.updateOne({ _id: accountId }, { $set: { adAccounts: [adAccount], adAccountsAt: at } });
  const day = (age: number): string => addDays(dayOf(at, timeZone), -age);
  const range = { fromDate: day(days), toDate: day(1) };
  const version = services.platforms.A?.reports?.version ?? 1;
  const target = { accountId, platform: 'A', adAccount, level: 'campaign', timeZone, version } as const;
  async function* pages(): AsyncGenerator<ReportRow[]> {
    for (let age = days; age >= 1; age--)
      if (delivers(age))
        yield Array.from({ length: campaigns }, (_, campaign) => ({
          platformId: `${120_000_000_000_000 + campaign}`,
          date: day(age),
          figures: figuresOf(campaign, age),
        }));
  }
  await storeFigures(services, target, { range, read: 1, at }, pages());
  return range;
}
