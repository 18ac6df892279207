import type { CreateAdInput } from '../../contract/ad-input.ts';
import { parseAddress } from '../../lib/web-address.ts';
import type { OrderProblem } from '../platform.ts';
import { linkWith } from '../url-parameters.ts';

/**
 * The link of a post, which is part of its text; the platform has no macros. It ends a link before the first character that
 * its library twitter-text does not expect there, which would lead people to another page, so such characters are percent-encoded.
 */
export function linkOf(input: CreateAdInput): string | undefined {
  const link = linkWith(input, {});
  if (link === undefined) return undefined;
  const [, origin = '', path = '', query = ''] = /^([^:]+:\/\/[^/?#]*)([^?]*)(.*)$/.exec(link) ?? [];
  // A fragment without a path is cut off too.
  const whole = origin + path.replace(/^#/, '/#').replaceAll(outsidePaths, percentEncoded);
  return query === ''
    ? whole.replace(neverLastInPaths, percentEncoded)
    : whole + query.replaceAll(outsideQueries, percentEncoded).replace(neverLastInQueries, percentEncoded);
}

/** Parentheses belong to a path only in pairs. */
const outsidePaths = /[^a-zA-Z0-9!*';:=+,.$/%#[\]\-_~@|&]+/g;
const neverLastInPaths = /[!*';:,.$%[\]~@|&]$/;
const outsideQueries = /[^a-zA-Z0-9!?*'@();:&=+$/%#[\]\-_.,~|]+/g;
const neverLastInQueries = /[!?*'@();:+$%[\].,~|]$/;

const percentEncoded = (marks: string): string =>
  [...Buffer.from(marks)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/** The platform makes no link of an address without a top-level domain. */
export function checkLink({ linkUrl }: CreateAdInput): OrderProblem[] {
  const host = linkUrl === undefined ? undefined : parseAddress(linkUrl)?.hostname;
  if (host === undefined || /\.(?:[a-z]{2,}|xn--[a-z0-9-]+)$/.test(host)) return [];
  const message = `must have a host name with a top-level domain: the platform makes no link of ${host}`;
  return [{ path: 'linkUrl', message }];
}
