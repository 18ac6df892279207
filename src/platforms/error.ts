import { shortened } from '../contract/error.ts';

/** Platform-independent classification of errors. */
export type PlatformFault =
  /** The platform no longer accepts the token. */
  | 'auth_expired'
  /** The platform validated and rejected the request. */
  | 'rejected'
  | 'rate_limited'
  /** Certainly not executed: no connection was established, or the request was rejected before sending. */
  | 'unavailable'
  /** May or may not have been executed: never repeat blindly. */
  | 'unknown_outcome'
  | 'not_found'
  | 'unsupported';

export interface UpstreamFailure {
  status?: number;
  code?: number | string;
  subcode?: number | string;
  title?: string;
  message?: string;
  traceId?: string;
  /** Further messages of the platform, with tokens redacted. */
  details?: unknown[];
  retryAfterSeconds?: number;
  /** The scopes whose absence caused the rejection. */
  missingScopes?: string[];
  /** Problems by our dotted field path, if the platform named the field. */
  fields?: Record<string, string[]>;
}

const max = { text: 1000, whole: 10_000, levels: 8 };

/** What a platform says is stored, logged and returned, so it is cut to what a person would read. */
function cut(value: unknown, budget = { left: max.whole }, level = 0): unknown {
  // An entry counts even if it is no text, so that a list of numbers ends too.
  budget.left -= 10;
  if (typeof value === 'string') {
    const text = shortened(value, Math.max(0, Math.min(max.text, budget.left)));
    budget.left -= text.length;
    return text;
  }
  if (value === null || typeof value !== 'object') return value;
  const kept: [string, unknown][] = [];
  for (const [name, one] of level < max.levels ? Object.entries(value) : []) {
    if (budget.left <= 0) break;
    kept.push([shortened(name, 100), cut(one, budget, level + 1)]);
  }
  return Array.isArray(value) ? kept.map(([, one]) => one) : Object.fromEntries(kept);
}

const cutEach = (upstream: UpstreamFailure): UpstreamFailure =>
  Object.fromEntries(Object.entries(upstream).map(([name, value]) => [name, cut(value)]));

/** The only error that adapters throw. The message may be shown to the caller and contains no secrets. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly platform: string;
  readonly fault: PlatformFault;
  readonly upstream: UpstreamFailure;

  constructor(
    platform: string,
    fault: PlatformFault,
    message: string,
    upstream: UpstreamFailure = {},
    options?: ErrorOptions,
  ) {
    super(shortened(message, max.text), options);
    this.platform = platform;
    this.fault = fault;
    this.upstream = cutEach(upstream);
  }
}

/** Undefined if the platform does not know the object. */
export async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof PlatformError && error.fault === 'not_found') return undefined;
    throw error;
  }
}
