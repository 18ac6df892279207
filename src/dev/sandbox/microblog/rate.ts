import type { Received } from '../platform.ts';

const minuteMs = 60_000;

interface Limit {
  name: string;
  most: number;
  windowMs: number;
  /** Counted per account instead of per caller; its headers take precedence. */
  isOfAccount: boolean;
}

function limitOf({ method, path }: Received): Limit {
  if (method !== 'GET') return { name: 'writes', most: 450, windowMs: minuteMs, isOfAccount: false };
  if (/\/targeting_criteria\/\w+$/.test(path) && !/\/accounts\//.test(path))
    return { name: 'targeting', most: 400, windowMs: 15 * minuteMs, isOfAccount: false };
  if (!/\/accounts(\/|$)/.test(path)) return { name: path, most: 5, windowMs: 15 * minuteMs, isOfAccount: false };
  if (/\/stats\/accounts\//.test(path))
    return { name: 'analytics', most: 250, windowMs: 15 * minuteMs, isOfAccount: false };
  const isTargeting = path.endsWith('/targeting_criteria');
  return {
    name: isTargeting ? 'targeting' : 'reads',
    most: isTargeting ? 400 : 10_000,
    windowMs: 15 * minuteMs,
    isOfAccount: true,
  };
}

export interface Rate {
  /** Counts a call; returns the response headers and whether the limit is exceeded. */
  count: (request: Received) => { headers: Record<string, string>; isOver: boolean };
}

/** The upstream's limits. Always reported, enforced only if enabled. */
export function createRate(isEnforced: () => boolean): Rate {
  let used = new Map<string, number>();
  let minute = 0;
  return {
    count(request) {
      const { name, most, windowMs, isOfAccount } = limitOf(request);
      const now = Date.now();
      const window = Math.floor(now / windowMs);
      if (Math.floor(now / minuteMs) - minute >= 15) [used, minute] = [new Map(), Math.floor(now / minuteMs)];
      const owner = isOfAccount ? request.path.split('/')[3] : request.token;
      const key = `${name} ${owner} ${window}`;
      const spent = isEnforced() ? (used.get(key) ?? 0) + 1 : 1;
      used.set(key, spent);
      const prefix = isOfAccount ? 'x-account-rate-limit' : 'x-rate-limit';
      const headers = {
        [`${prefix}-limit`]: String(most),
        [`${prefix}-remaining`]: String(Math.max(0, most - spent)),
        [`${prefix}-reset`]: String(Math.ceil(((window + 1) * windowMs) / 1000)),
      };
      return { headers, isOver: spent > most };
    },
  };
}
