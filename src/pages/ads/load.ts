import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../contract/error.ts';
import { parseInput } from '../../contract/parse.ts';
import { AdReportInput, InsightsInput } from '../../contract/report-input.ts';
import type { AdReport } from '../../contract/report.ts';
import type { Ctx } from '../../services/context.ts';
import { adReport, adReportCsv, type TextFile } from '../../services/reports/ad-report.ts';
import { addDays, daysFrom } from '../../lib/calendar-days.ts';
import { insightsKey, insightsOf, insightsWeight } from '../../services/reports/insights.ts';
import { recordsOf } from '../../services/reports/records.ts';
import { reportableAccounts, type ReportableAccount } from '../../services/reports/reportable-accounts.ts';
import { daysIn } from './days.ts';
import type { AdsPage, Figures } from './page.ts';
import type { Table } from './table.ts';
import { daysRequest, rowsPerPage, tableRequest, type ReportRequest, type View } from './view.ts';

/** People do not wait longer for a page: reading goes on, and the page looks again. */
const mostWaitMs = 2000;
/** Reports return what is stored if the platform takes longer. */
const patienceMs = 1500;
/** Days, table, and the range before. */
const reportsPerPage = 3;
/** The most days of a sparkline. */
const mostPoints = 90;

const report = (ctx: Ctx, request: ReportRequest): Promise<AdReport> =>
  adReport(ctx, parseInput(AdReportInput, request));

/** What the page shows for an address. */
export async function loadPage(ctx: Ctx, given: View): Promise<AdsPage> {
  const accounts = await reportableAccounts(ctx);
  const view = withDefaults(given, accounts);
  const page = { view, accounts };
  if (!view.account) return page;
  try {
    await ctx.charge?.(reportsPerPage * insightsWeight - 1);
    const figures = await within(mostWaitMs, readFigures(ctx, view));
    return figures ? { ...page, figures, path: await namesOf(ctx, view) } : page;
  } catch (error) {
    if (error instanceof AppError) return { ...page, problem: error };
    throw error;
  }
}

/** The rows of the table on all its pages; undefined while the report is incomplete. */
export async function loadCsv(ctx: Ctx, given: View): Promise<TextFile | undefined> {
  const view = withDefaults(given, await reportableAccounts(ctx));
  await ctx.charge?.(insightsWeight - 1);
  const found = await adReportCsv(ctx, parseInput(AdReportInput, tableRequest(view)));
  return 'text' in found ? found : undefined;
}

/** The first ad account, unless the address names one. */
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

/** Undefined if it takes too long; it then goes on without anyone waiting. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const ended = new AbortController();
  const late = delay(ms, undefined, { signal: ended.signal }).catch(() => undefined);
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => ended.abort());
}

async function readFigures(ctx: Ctx, view: View): Promise<Figures> {
  const began = ctx.clock.now().getTime();
  const soon = { ...ctx, patienceMs };
  const [days, rows] = await Promise.all([
    report(soon, daysRequest(view)),
    report(soon, { ...tableRequest(view), page: view.page, limit: rowsPerPage }),
  ]);
  const rest = { ...ctx, patienceMs: Math.max(0, patienceMs - (ctx.clock.now().getTime() - began)) };
  const [spend, before] = await Promise.all([spendOf(rest, rows), rangeBefore(rest, view, days)]);
  return { days, table: { view, report: rows, days: spend }, before };
}

/** The last days of each row, with one read for all rows. */
async function spendOf(
  ctx: Ctx,
  { accountId, adAccountId, level, rows, fromDate, toDate }: AdReport,
): Promise<Table['days']> {
  const keys = new Map(rows.map(({ platformId }) => [platformId, insightsKey(accountId, adAccountId, platformId)]));
  const first = addDays(toDate, 1 - mostPoints);
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

/** The totals of the range of the same length before. Without them there is nothing to compare with. */
async function rangeBefore(ctx: Ctx, view: View, { fromDate, toDate }: AdReport): Promise<AdReport | undefined> {
  const length = daysFrom(fromDate, toDate) + 1;
  const range = { fromDate: addDays(fromDate, -length), toDate: addDays(fromDate, -1) };
  const { datePreset: _, sort: _by, ...request } = daysRequest(view);
  return report(ctx, { ...request, ...range, granularity: 'total' }).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
}

/** The names of the campaign and the ad set whose parts are shown, if they are recorded. */
async function namesOf(ctx: Ctx, { account = '', campaign, adSet }: View): Promise<AdsPage['path']> {
  const [campaigns, adSets] = await Promise.all([
    recordsOf(ctx, account, 'campaign', campaign ? [campaign] : []),
    recordsOf(ctx, account, 'ad_set', adSet ? [adSet] : []),
  ]);
  return { campaign: campaigns.get(campaign ?? '')?.name, adSet: adSets.get(adSet ?? '')?.name };
}
