/** What `new URL` makes of a text. `URL.canParse` is no help: in Node 20 it refuses international hosts after some thousand calls. */
export function parseAddress(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Where a text holds what no address may hold: `new URL` would drop or change it, and others read the text as it is. */
export function characterProblem(text: string): string | undefined {
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  const [found] = /[\s\\]|\p{Cc}/u.exec(text) ?? [];
  if (found === undefined) return undefined;
  const position = [...text.slice(0, text.indexOf(found))].length + 1;
  if (found === '\\') return `contains a backslash at position ${position}; write / or %5C`;
  if (/\s/.test(found)) return `contains a blank at position ${position}; write ${encodeURIComponent(found)}`;
  return `contains a control character at position ${position}; remove it`;
}

/** What is wrong with an http or https address, in words that follow its name. */
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

/** The same for an address that others open: names and passwords in it would be shown and logged. */
export const linkProblem = (text: string): string | undefined => {
  const problem = httpProblem(text);
  if (problem) return problem;
  const url = parseAddress(text);
  return url?.username || url?.password ? 'must not hold credentials' : undefined;
};

/** The limits of a host name; an IPv6 address in brackets keeps them anyway. */
function isHostname(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return name.length <= 253 && name.split('.').every((label) => label.length >= 1 && label.length <= 63);
}

/** An address in ASCII, as headers need it; one that is ASCII already stays as it was written. */
export const asciiAddress = (text: string): string =>
  /^[\x21-\x7e]*$/.test(text) ? text : (parseAddress(text)?.href ?? encodeURI(text.toWellFormed()));
