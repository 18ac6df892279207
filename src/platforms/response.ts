import { retryAfterIn } from '../lib/retry-after.ts';
import { PlatformError, type PlatformFault } from './error.ts';
import type { Answer } from './http.ts';

export interface Asked {
  /** A write with an unknown outcome may have been executed. */
  isWrite: boolean;
  /** Redacted from all texts: platforms quote tokens that they cannot parse. */
  token: string;
}

export const redact = (text: string, token: string): string => (token ? text.replaceAll(token, '***') : text);

/** Parses the response to a write that was sent more than once: its rejection says nothing about earlier attempts. */
export function orUnknownOutcome<T>(answer: Answer, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!answer.isDoubtful || !(error instanceof PlatformError)) throw error;
    const { platform, message, upstream } = error;
    throw new PlatformError(platform, 'unknown_outcome', message, upstream, { cause: error });
  }
}

/** Statuses that leave the outcome unknown (server error or timeout). */
export const isServerError = (status: number): boolean => status >= 500 || status === 408 || status === 499;

/** A server error leaves the outcome of a write unknown. */
export const serverErrorFault = ({ isWrite }: Asked): PlatformFault => (isWrite ? 'unknown_outcome' : 'unavailable');

/** Classifies a response in an unknown format: only a plain rejection is certain. */
export function unreadable(platform: string, { status, headers }: Answer, asked: Asked): PlatformError {
  const isPlain = status >= 400 && !isServerError(status);
  const fault = status === 429 ? 'rate_limited' : isPlain ? 'rejected' : serverErrorFault(asked);
  return new PlatformError(platform, fault, `The platform returned an unreadable response (${status})`, {
    status,
    ...(fault === 'rate_limited' && { retryAfterSeconds: retryAfterIn(headers) ?? 60 }),
  });
}
