type Params = Record<string, string>;

/** Why a connect flow failed, for the caller. */
export interface Refusal {
  code: string;
  message: string;
}

const maxLength = 200;
/** Control characters, including those that change the text direction. */
const unprintable = /[\p{Cc}\p{Cs}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** Makes a platform's text safe for URLs and pages: one line of at most 200 characters. */
export function oneLine(text: string): string {
  const line = text.replaceAll(unprintable, ' ').replaceAll(/\s+/g, ' ').trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).replace(/\p{Cs}$/u, '')}…`;
}

/** Platforms' codes for a declined consent. */
const declined = new Set([
  'access_denied',
  'authorization_denied',
  'consent_denied',
  'user_denied',
  'user_cancelled',
  'user_cancelled_login',
  'user_cancelled_authorize',
]);
const codeForm = /^[a-z][\w.-]{0,63}$/i;

/**
 * The error that a platform sends to the callback instead of a code, in any of these formats: `error` and
 * `error_description`, `error_reason`, `error_code` and `error_message`, `errors[]`, `denied`.
 */
export function refusalIn(params: Params): Refusal | undefined {
  const { error, error_description: description, error_reason: reason, error_code: code, error_message: text } = params;
  const listed = Object.entries(params).flatMap(([name, value]) => (/^errors(\[|$)/.test(name) ? [value] : []));
  const isRefused = [error, params['denied']].some((value) => value !== undefined);
  const isOdd = [reason, code, text, ...listed].some((value) => value !== undefined);
  const hasCode = ['code', 'auth_code', 'oauth_verifier'].some((name) => params[name]);
  if (!isRefused && (!isOdd || hasCode)) return undefined;
  const words = [error, reason, code].filter((word) => word !== undefined);
  const hasDeclined = params['denied'] !== undefined || words.some((word) => declined.has(word.toLowerCase()));
  const known = [error, code].find((word) => word !== undefined && codeForm.test(word));
  const message = [description, text, listed.join('; '), reason, known === error ? undefined : error].find(Boolean);
  const number = code && known !== code ? ` (${code})` : '';
  const fallback = hasDeclined ? 'The person declined' : 'The platform rejected the connection without a reason';
  return {
    code: hasDeclined ? 'access_denied' : (known ?? 'platform_api_error'),
    message: oneLine(`${message ?? fallback}${number}`) || fallback,
  };
}
