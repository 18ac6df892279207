import type { Limits, Usage } from '../../lib/platform-limits.ts';
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
  /** How much is used of the calls for figures, once it is most of them. */
  usageOf: (adAccountId: string) => Promise<Usage | undefined>;
}

const fewOf = 5;
const maxUsedPercent = 70;

/** All reads of figures count together. */
const figures = /^stats\/accounts\/([^/]+)/;
const usageKey = (adAccountId: string): string => `E:figures:${adAccountId}`;

/** Other endpoints count separately. Limits belong to the user or, if the response says so, to the ad account. */
function keysOf({ platformAccountId }: Access, { method, path }: Call): { user: string; account?: string } {
  const general = path.replaceAll(/(accounts|campaigns|line_items)\/[^/]+/g, '$1/:id');
  const endpoint = `${method} ${figures.test(path) ? 'stats' : general}`;
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
    if (!window || window.ms <= 0) return;
    const [, adAccountId] = figures.exec(call.path) ?? [];
    const percent = Math.round((1 - window.calls / window.most) * 100);
    if (adAccountId && percent >= maxUsedPercent)
      await limits.noteUsage(usageKey(adAccountId), { percent, seconds: Math.ceil(window.ms / 1000) });
    if (window.calls * fewOf > window.most) return;
    await limits.noteCallsLeft(ofAccount && account ? account : user, window);
  },
  usageOf: (adAccountId) => limits.usageOf(usageKey(adAccountId)),
});

/** The current window of a limit; its end is a Unix timestamp. */
function windowIn(headers: Answer['headers'], prefix: string): { calls: number; most: number; ms: number } | undefined {
  const numberOf = (name: string): number => Number(headers[`${prefix}-${name}`] ?? Number.NaN);
  const [calls, most, reset] = [numberOf('remaining'), numberOf('limit'), numberOf('reset')];
  if (!Number.isFinite(calls + most + reset)) return undefined;
  return { calls, most, ms: reset * 1000 - Date.now() };
}
