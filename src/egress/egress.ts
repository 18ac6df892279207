import { subscribe } from 'node:diagnostics_channel';
import { isIP, type Socket } from 'node:net';
import { Agent, ProxyAgent, request, type Dispatcher } from 'undici';
import { retryAfterIn } from '../lib/retry-after.ts';
import { isAllowed, rangesOf, type AddressRules } from './address.ts';
import { startDeadline } from '../lib/abort.ts';
import { download, SinkError, type Downloaded, type DownloadOptions } from './download.ts';
import { classOf, EgressError } from './egress-error.ts';
import { guardedLookup, resolveAllowed, systemResolve, type Resolve } from './dns-guard.ts';
import { watchResponseHead, type ResponseHead } from './response-head.ts';

export { EgressError, type ErrorClass } from './egress-error.ts';

export interface Exchange {
  status: number;
  /** Seconds from the receiver's Retry-After. */
  retryAfter?: number;
  /** At most `keepBytes` of the body. */
  body: string;
  /** Response headers, limited in number and length. */
  headers: Record<string, string>;
  /** The address that was dialled; unknown behind a proxy. */
  remoteAddress: string | null;
}

export interface EgressRequest {
  method: 'POST' | 'GET';
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  /** Called when the first byte of the request is sent; requires a body. */
  onSent?: () => void;
}

export interface Egress {
  /** Throws an EgressError if the host is an address that is not allowed. */
  check: (url: string) => void;
  send: (request: EgressRequest) => Promise<Exchange>;
  /** Downloads a file in chunks. */
  download: (url: string, options: DownloadOptions) => Promise<Downloaded>;
  close: () => Promise<void>;
}

export interface EgressOptions extends AddressRules {
  timeoutMs: number;
  /** Requires HTTPS for messages; files may still be fetched over plain HTTP. */
  requireHttps?: boolean;
  /**
   * Host and port pairs of the databases of the service. Their ports are allowed on public addresses only, because a database has
   * many names.
   */
  ownServices?: string[];
  /** An HTTP proxy for all requests. Names are checked before they are passed to it. */
  proxy?: string;
  resolve?: Resolve;
}

const readBytes = 16 * 1024;
const keepBytes = 8 * 1024;
const keptHeaders = 30;
const keptHeaderLength = 256;

/** SSRF-safe HTTP client for caller-supplied URLs; host names are checked against the address actually dialled. */
export function createEgress(options: EgressOptions): Egress {
  const { timeoutMs, proxy, resolve = systemResolve } = options;
  rangesOf(options.allowedCidrs);
  const { wayOf, close } = waysOf(options, resolve);
  const requireReachable = (url: URL): Way => {
    const way = wayOf(url);
    requireAllowed(url, way.rules);
    return way;
  };
  const requireReceiver = (url: URL): Way => {
    if (options.requireHttps && url.protocol !== 'https:') throw new EgressError('forbidden_address');
    return requireReachable(url);
  };
  return {
    check: (url) => void requireReceiver(new URL(url)),
    async send({ method, url, headers, body, signal, onSent }) {
      const target = new URL(url);
      const { rules, dispatcher } = requireReceiver(target);
      const limit = startDeadline(timeoutMs, signal);
      // A separate buffer per request identifies the socket that carries it.
      const bytes = body === undefined ? undefined : Buffer.from(body);
      const sent: InFlight = { onSent, head: {} };
      if (bytes) inFlight.set(bytes, sent);
      const reached = (): string | null => (proxy ? null : (sent.address ?? null));
      try {
        if (proxy) await resolveAllowed(target.hostname, rules, resolve);
        const response = await request(target, {
          method,
          headers: { 'accept-encoding': 'identity', ...headers },
          body: bytes,
          dispatcher,
          signal: limit.signal,
        });
        const retryAfter = retryAfterIn(response.headers);
        const remoteAddress = reached();
        const shown = shownHeaders(response.headers);
        return {
          status: response.statusCode,
          retryAfter,
          body: await readSome(response, limit.signal),
          headers: shown,
          remoteAddress,
        };
      } catch (error) {
        // The status line decides, even if the rest is malformed, unless the response never ends.
        const { status } = sent.head;
        if (status !== undefined && !limit.signal.aborted)
          return { status, body: '', headers: {}, remoteAddress: reached() };
        if (error instanceof EgressError) throw error;
        const remoteAddress = reached() ?? (proxy ? null : dialled(error));
        throw new EgressError(proxy ? proxyClassOf(error) : classOf(error), { cause: error, remoteAddress });
      } finally {
        limit.end();
      }
    },
    async download(url, options) {
      const target = new URL(url);
      const { rules, dispatcher } = requireReachable(target);
      try {
        if (proxy) await resolveAllowed(target.hostname, rules, resolve);
        return await download(url, options, dispatcher);
      } catch (error) {
        if (error instanceof EgressError || error instanceof SinkError) throw error;
        throw new EgressError(proxy ? proxyClassOf(error) : classOf(error), { cause: error });
      }
    },
    close,
  };
}

interface Way {
  rules: EgressOptions;
  dispatcher: Dispatcher;
}

/** Two dispatchers: the normal one, and a stricter one (no allow-listed ranges) for the ports of these databases. */
function waysOf(options: EgressOptions, resolve: Resolve): { wayOf: (url: URL) => Way; close: () => Promise<void> } {
  const make = (rules: EgressOptions): Way => ({ rules, dispatcher: dispatcherOf(rules, resolve) });
  const [wide, narrow] = [make(options), make({ ...options, allowedCidrs: [], allowLoopback: false })];
  const ports = new Set(options.ownServices?.map((pair) => pair.replace(/^.*:/, '')));
  return {
    wayOf: (url) => (ports.has(portOf(url)) ? narrow : wide),
    close: async () => void (await Promise.all([wide.dispatcher.destroy(), narrow.dispatcher.destroy()])),
  };
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

const common = {
  connections: 8,
  keepAliveTimeout: 10_000,
  pipelining: 1,
  maxOrigins: 2_000,
  maxHeaderSize: 64 * 1024,
};
const connectMs = 5_000;

function dispatcherOf(options: EgressOptions, resolve: Resolve): Dispatcher {
  const { proxy: uri } = options;
  // Many proxies tunnel only to port 443, so plain HTTP is requested from them directly.
  if (uri) return new ProxyAgent({ ...common, uri, proxyTunnel: false });
  return new Agent({ ...common, connect: { timeout: connectMs, lookup: guardedLookup(options, resolve) } });
}

/** Checks literal addresses immediately; names are checked when they are dialled. */
function requireAllowed(url: URL, options: EgressOptions): void {
  const { hostname, protocol } = url;
  const literal = hostname.replace(/^\[|\]$/g, '');
  const isClosed =
    !/^https?:$/.test(protocol) ||
    hostname === '' ||
    (isIP(literal) !== 0 && !isAllowed(literal, options)) ||
    (!options.allowLoopback && /^(.*\.)?localhost\.?$/i.test(hostname)) ||
    options.ownServices?.includes(`${hostname}:${portOf(url)}`);
  if (isClosed) throw new EgressError('forbidden_address');
}

interface InFlight {
  address?: string;
  onSent?: () => void;
  head: ResponseHead;
}

const inFlight = new WeakMap<object, InFlight>();

subscribe('undici:client:sendHeaders', (message) => {
  const { request: sent, socket } = message as { request: { body?: unknown }; socket: Socket };
  const request = Buffer.isBuffer(sent.body) ? inFlight.get(sent.body) : undefined;
  if (!request) return;
  request.address = socket.remoteAddress;
  watchResponseHead(socket, request.head);
  request.onSent?.();
});

/** The address that a connection failed to reach. */
function dialled(error: unknown): string | null {
  const { address, cause } = error as { address?: unknown; cause?: unknown };
  if (typeof address === 'string') return address;
  return cause === undefined || cause === null ? null : dialled(cause);
}

/** A proxy that rejects the request or is unreachable says nothing about the receiver. */
function proxyClassOf(error: unknown): ReturnType<typeof classOf> {
  const found = classOf(error);
  return found === 'timeout' || found === 'tls' ? found : 'proxy';
}

/** Omits cookies, which are the receiver's secrets, names included. */
const shownHeaders = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== 'set-cookie')
      .slice(0, keptHeaders)
      .map(([name, value]) => [name.slice(0, keptHeaderLength), String(value ?? '').slice(0, keptHeaderLength)]),
  );

/** The beginning of the body; returns what arrived of a truncated one and throws if the request times out. */
async function readSome({ body }: Dispatcher.ResponseData, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= readBytes) break;
    }
  } catch (error) {
    if (signal.aborted) throw error;
  } finally {
    body.on('error', () => undefined).destroy();
  }
  return Buffer.concat(chunks).subarray(0, keepBytes).toString('utf8');
}
