import { Hono } from 'hono';
import { optionsIn } from '../oauth/token-control.ts';
import type { Received, Reply } from '../platform.ts';
import { isReportColumn } from './columns.ts';
import { isObject } from './checks.ts';
import { invalidRequest, PinError } from './errors.ts';
import {
  granularityIn,
  idColumns,
  idNames,
  rangeIn,
  rowsOf,
  subjectOf,
  wrong,
  type Level,
  type Target,
} from './reports.ts';
import type { AdAccount, Entity, Fields, Kind, Report, SandboxState } from './state.ts';

const levels: Record<string, Level> = {
  ADVERTISER: 'account',
  CAMPAIGN: 'campaigns',
  AD_GROUP: 'ad_groups',
  PIN_PROMOTION: 'ads',
};
const kinds = Object.keys(idNames) as Kind[];
const hourMs = 3_600_000;
const linkMs = 300_000;

/** Starts a report. The sandbox has none with a breakdown, whose format is unpublished. */
export function startReport(sandbox: SandboxState, account: AdAccount, json: unknown): Fields {
  if (!isObject(json)) throw invalidRequest(`the body is not of type 'object'`);
  const { level, columns, report_format: format = 'JSON' } = json;
  if (!Object.hasOwn(levels, String(level)) || !isList(columns)) throw wrong();
  const odd = columns.find((name) => !isReportColumn(name));
  if (odd !== undefined) throw invalidRequest(`'${odd}' is not one of the columns`);
  if (format !== 'JSON') throw invalidRequest('the sandbox writes reports as JSON');
  granularityIn(json);
  rangeIn(sandbox, json, { daysBack: 914, days: 186 });
  for (const kind of kinds) {
    const ids = json[idNames[kind]];
    if (ids !== undefined && (!isList(ids) || ids.length > 500)) throw wrong();
  }
  const { polls, outcome } = sandbox.reportSettings;
  const token = `report${sandbox.newId('777')}`;
  const report = { token, accountId: account.id, request: json, createdAt: sandbox.figures.now(), polls, outcome };
  sandbox.reports.put(token, report);
  return { report_status: 'IN_PROGRESS', token, message: '' };
}

const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');

/** The state of a report: in progress for some calls, then with a link of five minutes, and gone after an hour. */
export function showReport(sandbox: SandboxState, account: AdAccount, request: Received): Fields {
  const { token } = request.query;
  if (token === undefined) throw wrong();
  const report = sandbox.reports.get(token);
  if (report?.accountId !== account.id) return { report_status: 'DOES_NOT_EXIST', url: null, size: null };
  if (sandbox.figures.now() > report.createdAt + hourMs) return { report_status: 'EXPIRED', url: null, size: null };
  if (report.polls > 0) {
    sandbox.reports.put(token, { ...report, polls: report.polls - 1 });
    return { report_status: 'IN_PROGRESS', url: null, size: null };
  }
  if (report.outcome !== 'FINISHED') return { report_status: report.outcome, url: null, size: null };
  const base = request.url.slice(0, request.url.indexOf('/v5/'));
  const until = sandbox.figures.now() + linkMs;
  return { report_status: 'FINISHED', url: `${base}/files/reports/${token}?until=${until}`, size: 1000 };
}

const file = /^\/files\/reports\/(\w+)$/;

/** The file of a report, outside the API and without a token. */
export function downloadReport(sandbox: SandboxState, { path, query }: Received): Reply | undefined {
  const token = file.exec(path)?.[1];
  if (token === undefined) return undefined;
  const report = sandbox.reports.get(token);
  if (!report || !(Number(query['until']) > sandbox.figures.now()))
    return { status: 403, body: '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>' };
  return { status: 200, body: contentOf(sandbox, report) };
}

/** Rows by the id of their object; objects without delivery have none. */
function contentOf(sandbox: SandboxState, { accountId, request }: Report): Record<string, Fields[]> {
  const account = sandbox.accounts.get(accountId);
  if (!account) throw new PinError(404, 2, 'AdAccount not found.');
  const target: Target = { sandbox, account, level: levels[String(request['level'])] ?? 'account' };
  const about = {
    first: String(request['start_date']),
    last: String(request['end_date']),
    granularity: String(request['granularity']),
    columns: request['columns'] as string[],
  };
  const subjects = target.level === 'account' ? [undefined] : entitiesIn(target, request);
  const rows = subjects.flatMap((entity) => rowsOf(target, subjectOf(sandbox, account, target.level, entity), about));
  const byId: Record<string, Fields[]> = {};
  for (const row of rows) (byId[String(row[idColumns[target.level]])] ??= []).push(row);
  return byId;
}

function entitiesIn({ sandbox, account, level }: Target, request: Fields): Entity[] {
  if (level === 'account') return [];
  const shelf = sandbox.entities[level];
  const filters = kinds.flatMap((kind) => (isList(request[idNames[kind]]) ? [request[idNames[kind]] as string[]] : []));
  return shelf
    .under(account.id)
    .flatMap((id) => shelf.get(id) ?? [])
    .filter(({ id, parentIds }) => filters.every((ids) => [id, ...parentIds].some((one) => ids.includes(one))));
}

/** `POST /reports` sets how many calls see reports in progress and how they end; `POST /reports/expire` ends all. */
export function reportControl(sandbox: SandboxState): Hono {
  const app = new Hono();
  app.post('/reports', async (c) => c.json(Object.assign(sandbox.reportSettings, await optionsIn(c))));
  app.post('/reports/expire', (c) => {
    for (const report of sandbox.reports.all()) sandbox.reports.put(report.token, { ...report, createdAt: 0 });
    return c.json({ success: true });
  });
  return app;
}
