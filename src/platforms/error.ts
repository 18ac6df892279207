/** What went wrong at a platform, in words that the whole service understands. */
export type PlatformFault =
  /** The platform no longer accepts the token. */
  | 'auth_expired'
  /** The platform looked at the request and refused it. */
  | 'rejected'
  | 'rate_limited'
  /** Surely not carried out: no connection was made, or it was refused before sending. */
  | 'unavailable'
  /** May or may not have been carried out: never repeat blindly. */
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
  /** What the platform says besides, word for word but for tokens. */
  details?: unknown[];
  retryAfterSeconds?: number;
  /** The scopes whose absence caused the rejection. */
  missingScopes?: string[];
  /** Problems by our own dotted field path, where the platform named the field. */
  fields?: Record<string, string[]>;
}

/** The only error an adapter throws. The message is fit for the caller; secrets never go into it. */
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
