import type { IncomingMessage } from 'node:http';
import { AppError } from '../contract/error.ts';

const malformed = (message: string): AppError => new AppError('malformed_request', message);

/** Node takes the first of several; a proxy in front may have checked another one. */
const sentOnce = new Set(['host', 'authorization', 'content-type']);

/** Rejects what recipients of a request understand differently. */
export function requireUnambiguousHeaders({ rawHeaders, headers }: IncomingMessage): void {
  const isEachOnce = rawHeaders.length === 2 * Object.keys(headers).length;
  if (!isEachOnce) requireOnce(rawHeaders);
  const { 'transfer-encoding': encoding = 'chunked' } = headers;
  if (encoding.toLowerCase() !== 'chunked') throw malformed('Transfer-Encoding can only be chunked');
}

function requireOnce(rawHeaders: string[]): void {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!sentOnce.has(name)) continue;
    if (seen.has(name)) throw malformed(`The header ${name} is sent more than once; send one`);
    seen.add(name);
  }
}

/** Rejects a Host header or request target that cannot be parsed. Splits a target in absolute form into a path and Host. */
export function requireReadableTarget(request: IncomingMessage): void {
  const { url = '', headers, httpVersion } = request;
  const [, authority, path = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (authority !== undefined) {
    request.url = path.startsWith('/') ? path : `/${path}`;
    headers.host = authority;
  } else if (!url.startsWith('/')) {
    throw malformed('The request target must be a path that begins with a slash, such as /v1/profiles');
  }
  const { host } = headers;
  if (host === undefined && httpVersion === '1.1') throw malformed('The Host header is missing');
  if (host && !isHost(host)) {
    throw malformed('The Host header must be a host name or an address with an optional port, such as localhost:4000');
  }
}

/** For the adapter of Hono, which rejects some addresses that Node accepts, such as one with a backslash in its path. */
export const unreadableAddress = ({ message }: Error): AppError => malformed(`The address cannot be read: ${message}`);

/** The hosts that were accepted before: most requests name the same few. */
const accepted = new Set<string>();
const maxAccepted = 100;

function isHost(text: string): boolean {
  if (accepted.has(text)) return true;
  if (/[\s/?#@\\]/.test(text)) return false;
  try {
    if (new URL(`http://${text}/`).host === '') return false;
    if (accepted.size < maxAccepted) accepted.add(text);
    return true;
  } catch {
    return false;
  }
}
