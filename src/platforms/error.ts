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
    super(message, options);
    this.platform = platform;
    this.fault = fault;
    this.upstream = upstream;
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
