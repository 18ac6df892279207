import { AppError } from '../../contract/error.ts';
import { parseInput } from '../../contract/parse.ts';
import { AdReportInput, InsightsInput } from '../../contract/report-input.ts';
import type { AdReport } from '../../contract/report.ts';
import { addDays, dayCount } from '../../lib/calendar-days.ts';
import type { TextFile } from '../../lib/send-file.ts';
import { within } from '../../lib/timeout.ts';
import type { Ctx } from '../../services/context.ts';
import { adReport, adReportCsv } from '../../services/reports/ad-report.ts';
import { insightsKey, insightsOf, insightsWeight } from '../../services/reports/insights.ts';
import { recordsOf } from '../../services/reports/records.ts';
import { reportableAccounts, type ReportableAccount } from '../../services/reports/reportable-accounts.ts';
import { daysIn } from './days.ts';
import type { AdsPage, Figures } from './page.ts';
import type { Table } from './table.ts';
import { daysRequest, rowsPerPage, tableRequest, type ReportRequest, type View } from './view.ts';

/** How long a request for the page waits; the read continues after that, and the page reloads. */
const maxWaitMs = 2000;
/** How long a report waits for the platform before it returns what is stored. */
const platformWaitMs = 1500;
/** The days, the table, and the preceding range. */
const reportsPerPage = 3;
/** The highest number of days in a sparkline. */
const maxPoints = 90;

const report = (ctx: Ctx, request: ReportRequest): Promise<AdReport> =>
  adReport(ctx, parseInput(AdReportInput, request));

/** Loads what the page shows for a URL. */
export async function loadPage(ctx: Ctx, given: View): Promise<AdsPage> {
  const accounts = await reportableAccounts(ctx);
  const view = withDefaults(given, accounts);
  const page = { view, accounts };
  if (!view.account) return page;
  try {
    await ctx.charge?.(reportsPerPage * insightsWeight - 1);
    const reading = readFigures(ctx, view);
    // If it fails after the timeout, no one awaits it.
    reading.catch(() => undefined);
    const figures = await within(reading, maxWaitMs);
    if (!figures) await ctx.db.requireAvailable();
    return figures ? { ...page, figures, path: await namesOf(ctx, view) } : page;
  } catch (error) {
    if (error instanceof AppError) return { ...page, problem: error };
    throw error;
  }
}

/** The rows of all pages of the table as CSV; undefined while the report is incomplete. */
export async function loadCsv(ctx: Ctx, given: View): Promise<TextFile | undefined> {
  const view = withDefaults(given, await reportableAccounts(ctx));
  await ctx.charge?.(insightsWeight - 1);
  const found = await adReportCsv(ctx, parseInput(AdReportInput, tableRequest(view)));
  return 'content' in found ? found : undefined;
}

/** Selects the first ad account unless the URL names one. */
function withDefaults(view: View, accounts: ReportableAccount[]): View {
  const account =
    accounts.find(({ _id }) => _id === view.account) ??
    (view.account ? undefined : (accounts.find(({ adAccounts }) => adAccounts.length > 0) ?? accounts[0]));
  const level = view.adSet ? 'ad' : view.campaign ? 'ad_set' : 'campaign';
  return {
    ...view,
    account: view.account ?? account?._id,
    adAccount: view.adAccount ?? account?.adAccounts[0]?.id,
    level: view.level ?? level,
  };
}

async function readFigures(ctx: Ctx, view: View): Promise<Figures> {
  const began = ctx.clock.now().getTime();
  const soon = { ...ctx, platformWaitMs };
  const [days, rows] = await Promise.all([
    report(soon, daysRequest(view)),
    report(soon, { ...tableRequest(view), page: view.page, limit: rowsPerPage }),
  ]);
  const rest = { ...ctx, platformWaitMs: Math.max(0, platformWaitMs - (ctx.clock.now().getTime() - began)) };
  const [spend, before] = await Promise.all([spendOf(rest, rows), rangeBefore(rest, view, days)]);
  return { days, table: { view, report: rows, days: spend }, before };
}

/** The spend of each row on the last days, with one read for all rows. */
async function spendOf(
  ctx: Ctx,
  { accountId, adAccountId, level, rows, fromDate, toDate }: AdReport,
): Promise<Table['days']> {
  const keys = new Map(rows.map(({ platformId }) => [platformId, insightsKey(accountId, adAccountId, platformId)]));
  const first = addDays(toDate, 1 - maxPoints);
  const range = { fromDate: first > fromDate ? first : fromDate, toDate };
  const input = parseInput(InsightsInput, { ...range, granularity: 'day', metrics: ['spend'] });
  const found = await insightsOf(ctx, [...keys.values()], { level, input });
  return new Map(
    [...keys].flatMap(([platformId, key]) => {
      const own = found.get(key);
      return own === undefined || own instanceof Error ? [] : [[platformId, daysIn(own, 'spend')]];
    }),
  );
}

/** The totals of the preceding range of the same length; undefined if they cannot be read. */
async function rangeBefore(ctx: Ctx, view: View, { fromDate, toDate }: AdReport): Promise<AdReport | undefined> {
  const length = dayCount({ fromDate, toDate });
  const range = { fromDate: addDays(fromDate, -length), toDate: addDays(fromDate, -1) };
  const { datePreset: _, sort: _by, ...request } = daysRequest(view);
  return report(ctx, { ...request, ...range, granularity: 'total' }).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
}

/** The names of the campaign and the ad set whose children are shown, if they are recorded. */
async function namesOf(ctx: Ctx, { account = '', campaign, adSet }: View): Promise<AdsPage['path']> {
  const [campaigns, adSets] = await Promise.all([
    recordsOf(ctx, account, 'campaign', campaign ? [campaign] : []),
    recordsOf(ctx, account, 'ad_set', adSet ? [adSet] : []),
  ]);
  return { campaign: campaigns.get(campaign ?? '')?.name, adSet: adSets.get(adSet ?? '')?.name };
}
