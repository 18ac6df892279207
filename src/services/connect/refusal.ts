type Params = Record<string, string>;

/** Why there is no connection, as callers are told. */
export interface Refusal {
  code: string;
  message: string;
}

const longest = 200;
/** Control characters, and those that turn the direction of the text that follows. */
const unprintable = /[\p{Cc}\p{Cs}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** A platform's text as it may stand in an address and in a page: one line of at most 200 characters. */
export function oneLine(text: string): string {
  const line = text.replaceAll(unprintable, ' ').replaceAll(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).replace(/\p{Cs}$/u, '')}…`;
}

/** How platforms say that the person did not agree. */
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
 * What a platform says on the browser's way back in place of a code, in whichever of their forms: `error` and
 * `error_description`, `error_reason`, `error_code` and `error_message`, `errors[]`, `denied`.
 */
export function refusalIn(params: Params): Refusal | undefined {
  const { error, error_description: description, error_reason: reason, error_code: code, error_message: text } = params;
  const listed = Object.entries(params).flatMap(([name, value]) => (/^errors(\[|$)/.test(name) ? [value] : []));
  const isRefused = [error, params['denied']].some((said) => said !== undefined);
  const isOdd = [reason, code, text, ...listed].some((said) => said !== undefined);
  const hasCode = ['code', 'auth_code', 'oauth_verifier'].some((name) => params[name]);
  if (!isRefused && (!isOdd || hasCode)) return undefined;
  const words = [error, reason, code].filter((word) => word !== undefined);
  const hasDeclined = params['denied'] !== undefined || words.some((word) => declined.has(word.toLowerCase()));
  const known = [error, code].find((word) => word !== undefined && codeForm.test(word));
  const said = [description, text, listed.join('; '), reason, known === error ? undefined : error].find(Boolean);
  const number = code && known !== code ? ` (${code})` : '';
  const silent = hasDeclined ? 'The person did not agree' : 'The platform refused the connection and gave no reason';
  return {
    code: hasDeclined ? 'access_denied' : (known ?? 'platform_api_error'),
    message: oneLine(`${said ?? silent}${number}`) || silent,
  };
}
