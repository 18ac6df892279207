import { today } from '../figures/days.ts';
import type { Body } from './checks.ts';
import { GraphError } from './errors.ts';
import { queryIn } from './insight-query.ts';
import { insights, zoneOf } from './insights.ts';
import { pick } from './lists.ts';
import type { Listing } from './read.ts';
import type { AdAccount, SandboxState } from './state.ts';

export interface ReportRun {
  id: string;
  accountId: string;
  query: Record<string, string>;
  polls: number;
  startedAt: number;
}

/** What a test does to report runs. */
export interface RunSetting {
  /** Runs stay at this percentage. */
  heldAt?: number;
  /** So many of the next runs fail. */
  failing?: number;
  /** Runs are no longer known. */
  areExpired?: boolean;
}

/** Starts an asynchronous report; its query is validated at once. */
export function startRun(sandbox: SandboxState, account: AdAccount, body: Body): Body {
  const query = Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  const now = sandbox.figures.now();
  queryIn(query, 'account', { now, timeZone: zoneOf(account) });
  const id = sandbox.newId('126');
  sandbox.reportRuns.put(id, { id, accountId: account.id, query, polls: 0, startedAt: now });
  return { report_run_id: id };
}

/** A run needs two polls: it is complete only if the status says so and the percentage is 100. */
export function showRun(sandbox: SandboxState, run: ReportRun, query: Record<string, string>): Body {
  const polls = run.polls + 1;
  sandbox.reportRuns.put(run.id, { ...run, polls });
  const state = stateOf(sandbox, { ...run, polls });
  const day = today(run.startedAt);
  const all = {
    id: run.id,
    account_id: run.accountId,
    time_ref: Math.floor(run.startedAt / 1000),
    is_running: state.status === 'Job Running',
    async_status: state.status,
    async_percent_completion: state.percent,
    date_start: day,
    date_stop: day,
  };
  return pick(all, query, 'id,account_id,async_status,async_percent_completion');
}

function stateOf(sandbox: SandboxState, run: ReportRun): { status: string; percent: number } {
  const { heldAt, failing = 0 } = sandbox.runSetting.get('all') ?? {};
  if (failing > 0) {
    sandbox.runSetting.put('all', { ...sandbox.runSetting.get('all'), failing: failing - 1 });
    return { status: 'Job Failed', percent: 0 };
  }
  if (heldAt !== undefined) return { status: heldAt === 100 ? 'Job Running' : 'Job Started', percent: heldAt };
  return run.polls > 1 ? { status: 'Job Completed', percent: 100 } : { status: 'Job Running', percent: 100 };
}

export function runOf(sandbox: SandboxState, id: string): ReportRun | undefined {
  return sandbox.runSetting.get('all')?.areExpired === true ? undefined : sandbox.reportRuns.get(id);
}

/** The rows of a completed run. */
export function resultOf(sandbox: SandboxState, run: ReportRun, query: Record<string, string>): Listing {
  const account = sandbox.accounts.get(run.accountId);
  if (run.polls < 2 || !account)
    throw new GraphError({ code: 100, message: 'The report is not complete: its async_status must be Job Completed' });
  const { limit, after } = query;
  return insights(sandbox, account, { ...run.query, ...(limit && { limit }), ...(after && { after }) });
}
