import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, request, type Dispatcher } from 'undici';

/** Why an exchange failed, in a word that an owner may read. */
export type ErrorClass =
  | 'forbidden_address'
  | 'dns'
  | 'refused'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'invalid_request'
  | 'too_large'
  | 'http_error'
  | 'unreachable';

export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly errorClass: ErrorClass;

  constructor(errorClass: ErrorClass, options?: ErrorOptions) {
    super(errorClass, options);
    this.errorClass = errorClass;
  }
}

export interface Exchange {
  status: number;
  /** Seconds that the receiver asks to wait. */
  retryAfter?: number;
  /** At most `keepBytes` of the answer. */
  body: string;
}

export interface EgressRequest {
  method: 'POST' | 'GET';
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

export interface Egress {
  /** Throws an EgressError unless the host, as far as it is an address, may be reached. */
  check: (url: string) => void;
  send: (request: EgressRequest) => Promise<Exchange>;
  /** Fetches a whole file; what is larger than the cap, or not answered with 200, is an error. */
  download: (url: string, maxBytes: number) => Promise<Download>;
  close: () => Promise<void>;
}

export interface Download {
  bytes: Buffer;
  contentType: string;
}

export interface EgressOptions {
  /** Ranges that self-hosters open; metadata addresses stay closed. */
  allowedCidrs: string[];
  /** Development on one machine. */
  allowLoopback: boolean;
  timeoutMs: number;
  /** Host and port pairs of our own stores. */
  ownServices?: string[];
}

const readBytes = 16 * 1024;
const keepBytes = 8 * 1024;
const downloadMs = 60_000;

/** Closed even inside an opened range: cloud metadata, link-local, this network. */
const alwaysClosed = [
  '169.254.0.0/16',
  '0.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::254/128',
  'fe80::/10',
].map((range) => ipaddr.parseCIDR(range));

const within = (address: ipaddr.IPv4 | ipaddr.IPv6, ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][]): boolean =>
  ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base as never, bits));

/** Whether an address may be reached: public ones, and what is opened on purpose. */
export function isAllowed(
  text: string,
  { allowedCidrs, allowLoopback }: Pick<EgressOptions, 'allowedCidrs' | 'allowLoopback'>,
): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address in IPv6 clothes is judged as what it is.
  const address = ipaddr.process(text);
  if (within(address, alwaysClosed)) return false;
  if (
    within(
      address,
      allowedCidrs.map((range) => ipaddr.parseCIDR(range)),
    )
  )
    return true;
  const range = address.range();
  return range === 'unicast' || (allowLoopback && range === 'loopback');
}

/** The one way out to addresses that callers name. Names are judged by what they resolve to at the moment of dialling. */
export function createEgress(options: EgressOptions): Egress {
  const agent = new Agent({
    connect: { timeout: 5_000, lookup: guardedLookup(options) },
    connections: 8,
    keepAliveTimeout: 10_000,
    pipelining: 1,
    maxOrigins: 2_000,
  } as Agent.Options);
  const check = (url: string): void => {
    const { hostname, host, port, protocol } = new URL(url);
    const literal = hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) && !isAllowed(literal, options)) throw new EgressError('forbidden_address');
    if (hostname === '' || (!options.allowLoopback && /^localhost\.?$/i.test(hostname)))
      throw new EgressError('forbidden_address');
    const full = port ? host : `${host}:${protocol === 'https:' ? 443 : 80}`;
    if (options.ownServices?.includes(full)) throw new EgressError('forbidden_address');
  };
  return {
    check,
    async send({ method, url, headers, body, signal }) {
      check(url);
      const limit = AbortSignal.timeout(options.timeoutMs);
      try {
        const response = await request(url, {
          method,
          headers: { 'accept-encoding': 'identity', ...headers },
          body,
          dispatcher: agent,
          signal: signal ? AbortSignal.any([limit, signal]) : limit,
        });
        const retryAfter = secondsIn(response.headers['retry-after']);
        return { status: response.statusCode, retryAfter, body: await readSome(response) };
      } catch (error) {
        throw error instanceof EgressError ? error : new EgressError(classOf(error), { cause: error });
      }
    },
    async download(url, maxBytes) {
      check(url);
      try {
        const response = await request(url, { dispatcher: agent, signal: AbortSignal.timeout(downloadMs) });
        if (response.statusCode !== 200) throw new EgressError('http_error');
        const contentType = String(response.headers['content-type'] ?? '');
        return { bytes: await readWhole(response, maxBytes), contentType };
      } catch (error) {
        throw error instanceof EgressError ? error : new EgressError(classOf(error), { cause: error });
      }
    },
    close: () => agent.destroy(),
  };
}

/** Any forbidden address among the answers refuses the whole name: a mixed answer is an attack. */
const guardedLookup =
  (options: EgressOptions) =>
  (
    hostname: string,
    settings: object,
    done: (error: Error | null, address?: unknown, family?: number) => void,
  ): void => {
    systemLookup(hostname, { all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return done(error);
      if (addresses.some(({ address }) => !isAllowed(address, options)))
        return done(new EgressError('forbidden_address'));
      if ((settings as { all?: boolean }).all) return done(null, addresses);
      const [first] = addresses;
      return first ? done(null, first.address, first.family) : done(new EgressError('dns'));
    });
  };

/** Retry-After is a number of seconds or a date. */
function secondsIn(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

async function readWhole({ body }: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      body.destroy();
      throw new EgressError('too_large');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function readSome({ body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= readBytes) break;
  }
  body.destroy();
  return Buffer.concat(chunks).subarray(0, keepBytes).toString('utf8');
}

const classes: [RegExp, ErrorClass][] = [
  [/^(ENOTFOUND|EAI_AGAIN|EAI_FAIL|ENODATA)$/, 'dns'],
  [/^ECONNREFUSED$/, 'refused'],
  [/CERT|TLS|SSL|ERR_SSL|UNABLE_TO|SELF_SIGNED|EPROTO/, 'tls'],
  [/TIMEOUT|TimeoutError|ABORT_ERR|AbortError/i, 'timeout'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|HPE_.*)$/, 'reset'],
  [/^(UND_ERR_INVALID_ARG|ERR_INVALID_.*)$/, 'invalid_request'],
];

function classOf(error: unknown): ErrorClass {
  if (error instanceof EgressError) return error.errorClass;
  const { code, name, cause } = error as { code?: unknown; name?: string; cause?: unknown };
  const word = typeof code === 'string' ? code : (name ?? '');
  const found = classes.find(([pattern]) => pattern.test(word))?.[1];
  if (found) return found;
  return cause === undefined ? 'unreachable' : classOf(cause);
}
