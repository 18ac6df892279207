import { domainToUnicode } from 'node:url';

/** Parses a URL. `URL.canParse` is unusable: in Node 20 it rejects international hosts after some thousand calls. */
export function parseAddress(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** The first character that a URL must not contain: `new URL` would drop or change it, while others read the original string. */
export function characterProblem(text: string): string | undefined {
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  const [found] = /[\s\\]|\p{Cc}/u.exec(text) ?? [];
  if (found === undefined) return undefined;
  const position = Array.from(text.slice(0, text.indexOf(found))).length + 1;
  if (found === '\\') return `contains a backslash at position ${position}; write / or %5C`;
  if (/\s/.test(found)) return `contains white space at position ${position}; write ${encodeURIComponent(found)}`;
  return `contains a control character at position ${position}; remove it`;
}

/** What is wrong with an http or https URL, as a phrase that follows the field name. */
export function httpProblem(text: string): string | undefined {
  const problem = characterProblem(text);
  if (problem) return problem;
  if (!/^https?:/i.test(text)) return 'must be an http or https address';
  if (!/^https?:\/\/[^/?#]/i.test(text)) return 'must have // and a host after the scheme, such as https://example.com';
  const url = parseAddress(text);
  return url && isHostname(url.hostname)
    ? undefined
    : 'must have a valid host and port, such as https://example.com:8443';
}

/** The same for URLs that others open: credentials in them would be displayed and logged. */
export const linkProblem = (text: string): string | undefined => {
  const problem = httpProblem(text);
  if (problem) return problem;
  const url = parseAddress(text);
  return url?.username || url?.password ? 'must not contain credentials' : undefined;
};

/** Checks the labels of a host name and the length limits; an IPv6 address in brackets always passes. */
function isHostname(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return name.length <= 253 && name.split('.').every(isLabel);
}

/** Node 24 accepts `xn--` labels that decode to nothing, which no name server has. */
const isLabel = (label: string): boolean =>
  label.length >= 1 && label.length <= 63 && !(label.startsWith('xn--') && domainToUnicode(label) === label);

/** A URL in ASCII, for headers; unchanged if it is ASCII already. */
export const asciiAddress = (text: string): string =>
  /^[\x21-\x7e]*$/.test(text) ? text : (parseAddress(text)?.href ?? encodeURI(text.toWellFormed()));
