import { AppError } from '../../contract/error.ts';
import { adPlatformOf } from '../../contract/platforms.ts';
import { isConnectionError } from '../../models/db.ts';
import type { AccountDoc } from '../../models/account.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { AdAccount, AdsAdapter, ReadProblem } from '../../platforms/platform.ts';
import { closedBecause, renewedAdAccounts } from '../accounts/list-ad-accounts.ts';
import { requireScopes } from '../accounts/scopes.ts';
import type { Services } from '../context.ts';
import { LeaseLostError, ShutdownError, withRenewal, type RequireHeld } from '../durable/lease.ts';
import { deferSeconds, isDeferred } from '../encryption/deferring-encrypter.ts';
import { discoverAdAccount, emptyReadCounts, type ReadCounts } from './discover-ad-account.ts';
import {
  claimRun,
  completeRun,
  deferRun,
  failRun,
  emptyProgress,
  releaseRun,
  renewRun,
  type Progress,
  type Run,
} from './run-store.ts';

export interface RunOptions {
  /** Ends the run after its page; another worker can resume it at once. */
  signal?: AbortSignal;
  /** Lease duration. */
  leaseMs?: number;
}

/** Runs the requested discovery of an account; returns false if none was requested or another process runs it. */
export async function runDiscovery(
  services: Services,
  accountId: string,
  { signal, leaseMs = 60_000 }: RunOptions = {},
): Promise<boolean> {
  const run = await claimRun(services, accountId, leaseMs);
  if (!run) return false;
  const progress = emptyProgress();
  const renew = (): Promise<boolean> => renewRun(services, run, progress);
  try {
    await withRenewal({ leaseMs, renew, log: services.log, signal }, (requireHeld) =>
      discoverAccount(services, run, { progress, requireHeld, signal }),
    );
    await completeRun(services, run, progress);
  } catch (error) {
    if (error instanceof LeaseLostError) return true;
    if (signal?.aborted) await releaseRun(services, run);
    else if (isDeferred(error) || isConnectionError(error)) await deferRun(services, run, deferSeconds);
    else await failRun(services, run, { ...progress, error: errorMessage(services, error) });
  }
  return true;
}

/** Minimum interval between progress updates. */
const showEveryMs = 250;

interface Work {
  progress: Progress;
  requireHeld: RequireHeld;
  signal?: AbortSignal;
}

async function discoverAccount(services: Services, run: Run, { progress, requireHeld, signal }: Work): Promise<void> {
  const { account, adapter } = await targetOf(services, run.accountId);
  requireScopes(services, account, 'readAds');
  const { log } = services;
  let shownAt = Date.now();
  const showProgress = (): Promise<void> => {
    shownAt = Date.now();
    return requireHeld();
  };
  const note = (adAccountId: string | null, problem: ReadProblem): void => progress.problems.add(adAccountId, problem);
  const fail = (adAccountId: string, message: string): void => {
    progress.failures.push({ adAccountId, message });
    log.warn({ accountId: run.accountId, adAccountId, err: message }, 'an ad account could not be read');
  };
  const listed = await renewedAdAccounts(services, { account, adapter, note: (problem) => note(null, problem) });
  for (const { id, ...state } of await newsOfClosed(services, account, listed)) fail(id, closedBecause(state));
  const adAccounts = listed.filter(({ isActive }) => isActive);
  const before = progress.failures.length;
  for (const adAccount of adAccounts) {
    const start = { ...progress, counts: { ...progress.counts } };
    const add = (tally: ReadCounts): void => addTo(progress, start, tally);
    const onPage = (tally: ReadCounts): Promise<void> => {
      add(tally);
      return signal?.aborted || Date.now() - shownAt >= showEveryMs ? showProgress() : Promise.resolve();
    };
    try {
      // Read again: its token may have been renewed, or the account disconnected.
      const scope = { ...(await targetOf(services, run.accountId)), adAccount, startedAt: run.startedAt };
      add(
        await discoverAdAccount(services, scope, {
          onPage,
          requireHeld: showProgress,
          onProblem: (problem) => note(adAccount.id, problem),
        }),
      );
      progress.counts.adAccounts += 1;
    } catch (error) {
      if (isFatal(error)) throw error;
      fail(adAccount.id, errorMessage(services, error));
    }
  }
  if (progress.problems.count > 0) {
    const { shown, count } = progress.problems;
    const details = { accountId: run.accountId, problemCount: count, problems: shown.slice(0, maxLogged) };
    log.warn(details, 'a discovery could not read some objects');
  }
  const failures = progress.failures.slice(before);
  progress.unread = failures.length;
  if (failures.length === 0) return;
  // The list may contain the reason by now; a failure to read it does not fail the run.
  await renewedAdAccounts(services, await targetOf(services, run.accountId)).catch((error: unknown) => {
    if (isFatal(error)) throw error;
    log.warn({ accountId: run.accountId, err: error }, 'could not refresh the list of ad accounts');
  });
  if (failures.length === adAccounts.length)
    throw new AppError('platform_api_error', `No ad account could be read: ${failures[0]?.message ?? ''}`);
}

const maxLogged = 10;

/** Inactive ad accounts that were active before, or that have stored campaigns. */
async function newsOfClosed({ db }: Services, account: AccountDoc, listed: AdAccount[]): Promise<AdAccount[]> {
  const closed = listed.filter(({ isActive }) => !isActive);
  if (closed.length === 0) return [];
  const wasActive = new Set(account.adAccounts.filter(({ isActive }) => isActive).map(({ id }) => id));
  const platformAdAccountId = { $in: closed.map(({ id }) => id) };
  const holding = await db.campaigns.distinct('platformAdAccountId', {
    accountId: account._id,
    platformAdAccountId,
    platformStatus: { $ne: 'cancelled' },
  });
  return closed.filter(({ id }) => wasActive.has(id) || holding.includes(id));
}

/** A tally counts from the beginning of its ad account, so it replaces what was added before. */
function addTo(progress: Progress, before: Progress, tally: ReadCounts = emptyReadCounts()): void {
  const { counts } = progress;
  counts.campaigns = before.counts.campaigns + tally.campaigns;
  counts.adSets = before.counts.adSets + tally.adSets;
  counts.ads = before.counts.ads + tally.ads;
  progress.changed = before.changed + tally.changed;
  progress.cancelled = before.cancelled + tally.cancelled;
}

async function targetOf(
  { db, platforms }: Services,
  accountId: string,
): Promise<{ account: AccountDoc; adapter: AdsAdapter }> {
  const account = await db.accounts.findOne({ _id: accountId }).lean();
  const adPlatform = account && adPlatformOf(account.platform);
  const adapter = adPlatform && platforms[adPlatform];
  if (!account || !adapter) throw new AppError('account_not_found', 'The account is no longer there, or has no ads');
  return { account, adapter };
}

/** A token that no longer works, and a run that is no longer ours, end more than one ad account. */
const isFatal = (error: unknown): boolean =>
  error instanceof LeaseLostError ||
  error instanceof ShutdownError ||
  isDeferred(error) ||
  isConnectionError(error) ||
  (error instanceof PlatformError && error.fault === 'auth_expired') ||
  (error instanceof AppError && ['platform_token_expired', 'account_not_found'].includes(error.code));

function errorMessage({ log }: Services, error: unknown): string {
  if (error instanceof PlatformError || error instanceof AppError) return error.message;
  log.error({ err: error }, 'discovery failed with an unexpected error');
  return 'Internal error';
}
