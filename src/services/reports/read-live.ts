import { AppError } from '../../contract/error.ts';
import type { AdPlatform } from '../../contract/platforms.ts';
import type { Access, ReportAdapter, ReportQuery, ReportRow } from '../../platforms/platform.ts';
import type { AccountDoc } from '../../models/account.ts';
import { withAccess } from '../accounts/platform-access.ts';
import type { Services } from '../context.ts';
import type { VersionedTarget } from './coverage.ts';
import type { DayRange } from '../../lib/calendar-days.ts';
import { storeFigures } from './write-figures.ts';

/** Where figures are read. */
export interface FigureSource {
  account: AccountDoc;
  reports: ReportAdapter;
}

export const reportsOf = ({ platforms }: Pick<Services, 'platforms'>, platform: AdPlatform): ReportAdapter => {
  const reports = platforms[platform]?.reports;
  if (reports) return reports;
  const message = `Reports on platform ${platform} are not enabled on this server`;
  throw new AppError('unsupported_platform_operation', message, { platform });
};

export async function figureSource(
  services: Services,
  { accountId, platform }: { accountId: string; platform: AdPlatform },
): Promise<FigureSource> {
  const account = await services.db.accounts.findOne({ _id: accountId, disconnectedAt: null }).lean();
  if (account) return { account, reports: reportsOf(services, platform) };
  throw new AppError('account_not_found', `Connected account ${accountId} not found`, { param: 'accountId' });
}

/** What a read is made of: how its pages come, and the number of each attempt. */
export interface Reading {
  source: FigureSource;
  pages: (access: Access) => AsyncIterable<ReportRow[]>;
  nextRead: () => Promise<number>;
}

/** The daily figures of all objects of a level. */
export const queryOfDays = ({ adAccount, level }: VersionedTarget, range: DayRange): ReportQuery => ({
  adAccount,
  level,
  ...range,
  granularity: 'day',
  breakdowns: [],
  withReach: false,
});

export const pagesOf =
  ({ reports }: FigureSource, query: ReportQuery): Reading['pages'] =>
  (access) =>
    reports.read(access, query);

/** Reads days of a level at the platform and stores them. With a renewed token it begins again. Failures are PlatformErrors. */
export function readDays(
  services: Services,
  target: VersionedTarget,
  { range, at, reading }: { range: DayRange; at: Date; reading: Reading },
): Promise<number> {
  const { source, pages, nextRead } = reading;
  return withAccess(services, source.account, async (access) =>
    storeFigures(services, target, { range, read: await nextRead(), at }, pages(access)),
  );
}
