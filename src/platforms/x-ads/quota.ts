import type { Limits } from '../../lib/platform-limits.ts';
import type { Answer } from '../http.ts';
import { awaitLimits } from '../pacing.ts';
import type { Access } from '../platform.ts';

interface Call {
  method: string;
  path: string;
}

/** Keeps all processes within the calls that the platform reports as left. */
export interface Quota {
  take: (access: Access, call: Call) => Promise<void>;
  /** Records the calls left if they are few: a window that is far from its end needs no shared count. */
  note: (access: Access, call: Call, answer: Answer) => Promise<void>;
}

const fewOf = 5;

/** Endpoints count separately, and their limit belongs to the user or, if the response says so, to the ad account. */
function keysOf({ platformAccountId }: Access, { method, path }: Call): { user: string; account?: string } {
  const endpoint = `${method} ${path.replaceAll(/(accounts|campaigns|line_items)\/[^/]+/g, '$1/:id')}`;
  const [, account] = /accounts\/([^/]+)/.exec(path) ?? [];
  const key = `E:${endpoint}`;
  return { user: `${key}:user:${platformAccountId}`, ...(account && { account: `${key}:account:${account}` }) };
}

export const createQuota = (limits: Limits): Quota => ({
  async take(access, call) {
    const { user, account } = keysOf(access, call);
    await awaitLimits({ limits, platform: 'E', keys: [user, ...(account ? [account] : [])] });
  },
  async note(access, call, { headers }) {
    const { user, account } = keysOf(access, call);
    const ofAccount = windowIn(headers, 'x-account-rate-limit');
    const window = ofAccount ?? windowIn(headers, 'x-rate-limit');
    if (!window || window.ms <= 0 || window.calls * fewOf > window.most) return;
    await limits.noteCallsLeft(ofAccount && account ? account : user, window);
  },
});

/** The current window of a limit; its end is a Unix timestamp. */
function windowIn(headers: Answer['headers'], prefix: string): { calls: number; most: number; ms: number } | undefined {
  const numberOf = (name: string): number => Number(headers[`${prefix}-${name}`] ?? Number.NaN);
  const [calls, most, reset] = [numberOf('remaining'), numberOf('limit'), numberOf('reset')];
  if (!Number.isFinite(calls + most + reset)) return undefined;
  return { calls, most, ms: reset * 1000 - Date.now() };
}
