import { AppError } from '../../contract/error.ts';
import type { AdPlatform } from '../../contract/platforms.ts';
import type { ReportAdapter, ReportQuery, ReportRow } from '../../platforms/platform.ts';
import type { AccountDoc } from '../../models/account.ts';
import { withAccess } from '../accounts/platform-access.ts';
import type { Services } from '../context.ts';

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

/** Reads a query to its end at the platform. Failures are PlatformErrors. */
export const readLive = (
  services: Services,
  { account, reports }: FigureSource,
  query: ReportQuery,
): Promise<ReportRow[]> =>
  withAccess(services, account, async (access) => {
    const rows: ReportRow[] = [];
    for await (const page of reports.read(access, query)) rows.push(...page);
    return rows;
  });
