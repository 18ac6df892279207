import { request, type Dispatcher } from 'undici';
import { secondsSince, statusClass, upstreamCalled } from '../telemetry/events.ts';
import { recordCall } from '../lib/sent-calls.ts';
import { PlatformError } from './error.ts';
import { redact } from './response.ts';
import { traceIdOf } from './trace-id.ts';

export interface Upstream {
  call: (call: UpstreamCall) => Promise<Answer>;
}

export interface UpstreamCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL; an absolute URL is used as is (upload URLs). */
  path: string;
  /** A list becomes one parameter per entry. */
  query?: Record<string, string | string[]>;
  /** Sent as a form; objects must already be serialised. */
  form?: Record<string, string>;
  json?: unknown;
  bytes?: Buffer;
  /** Sent as a bearer token. */
  token?: string;
  /** A function is called for each attempt, for single-use signatures. */
  headers?: Record<string, string> | (() => Record<string, string>);
  /** An idempotent write, retried like a read; its outcome may still be unknown. */
  isRepeatable?: boolean;
  /** Safe to repeat (a POST query or an upload); treated like a read. */
  isSafe?: boolean;
  /** Timeout factor for uploads and large writes. */
  timeoutFactor?: number;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The parsed JSON; undefined if the body is not JSON. */
  body: unknown;
  /** The raw body, for the few responses that are not JSON. */
  text?: string;
  /** The same as bytes, for files. */
  bytes?: Buffer;
  /** An earlier attempt of this write may have been executed, so its rejection proves little. */
  isDoubtful?: boolean;
}

export interface UpstreamOptions {
  platform: string;
  baseUrl: string;
  timeoutMs?: number;
  maxAnswerBytes?: number;
}

/** Error codes raised before the connection was established: the request was certainly not sent. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const readAttempts = 3;

/** HTTP client of all adapters: limits on time and size, no redirects, and faults that classify the outcome. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { platform, baseUrl, timeoutMs = 20_000, maxAnswerBytes = 5_000_000 } = options;
  const once = async (call: UpstreamCall): Promise<Answer> => {
    const url = new URL(/^https?:/.test(call.path) ? call.path : baseUrl.replace(/\/$/, '') + call.path);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      for (const one of [value].flat()) url.searchParams.append(name, one);
    }
    const response = await request(url, {
      method: call.method,
      headers: headersOf(call),
      body: bodyOf(call),
      signal: AbortSignal.timeout(timeoutMs * (call.timeoutFactor ?? 1)),
    });
    const content = await readCapped(response, maxAnswerBytes);
    const text = content?.toString('utf8');
    return { status: response.statusCode, headers: response.headers, body: jsonOf(text), text, bytes: content };
  };
  const watched = async (call: UpstreamCall): Promise<Answer> => {
    const started = performance.now();
    const say = (outcome: string, answer?: Answer): void => {
      const seconds = secondsSince(started);
      upstreamCalled.emit({ platform, method: call.method, outcome, seconds });
      if (!isWrite(call)) return;
      const [status, traceId] = answer ? [answer.status, traceIdOf(answer)] : [null, null];
      recordCall({
        method: call.method,
        path: shownPath(call),
        durationMs: Math.round(seconds * 1000),
        status,
        traceId,
      });
    };
    try {
      const answer = await once(call);
      say(statusClass(answer.status), answer);
      return answer;
    } catch (error) {
      say(faultOf(error, call, platform).fault);
      throw error;
    }
  };
  return {
    async call(call) {
      const attempts = isWrite(call) && !call.isRepeatable ? 1 : readAttempts;
      let isDoubtful = false;
      for (let attempt = 1; ; attempt++) {
        try {
          const answer = await watched(call);
          if (answer.status < 500 || attempt === attempts) return { ...answer, ...(isDoubtful && { isDoubtful }) };
          isDoubtful = isWrite(call);
        } catch (error) {
          const failure = faultOf(error, call, platform);
          if (attempt === attempts) throw isDoubtful ? unknown(failure) : failure;
          isDoubtful ||= failure.fault === 'unknown_outcome';
        }
        await new Promise((resolve) => setTimeout(resolve, 150 * attempt));
      }
    },
  };
}

/** Without what may be a token: uploads go to addresses that were signed for them. */
const shownPath = ({ path, token = '' }: UpstreamCall): string => {
  if (/^https?:/.test(path)) return new URL(path).host;
  return redact(path.split('?')[0] ?? '', token).slice(0, 300);
};

const isWrite = ({ method, isSafe }: UpstreamCall): boolean => method !== 'GET' && !isSafe;

/** An earlier attempt may have been executed even if the last one was not sent. */
const unknown = ({ platform, message, upstream, cause }: PlatformError): PlatformError =>
  new PlatformError(platform, 'unknown_outcome', message, upstream, { cause });

const headersOf = ({ token, form, json, headers }: UpstreamCall): Record<string, string> => ({
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
  accept: 'application/json',
  ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
  ...(json !== undefined && { 'content-type': 'application/json' }),
  ...(typeof headers === 'function' ? headers() : headers),
});

function bodyOf({ form, json, bytes }: UpstreamCall): string | Buffer | undefined {
  if (bytes) return bytes;
  if (json !== undefined) return JSON.stringify(json);
  return form && new URLSearchParams(form).toString();
}

/** Reads a response up to a size limit; a larger one counts as unreadable. */
async function readCapped({ body }: Dispatcher.ResponseData, cap: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > cap) {
      body.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export const jsonOf = (text: string | undefined): unknown => {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

function faultOf(error: unknown, call: UpstreamCall, platform: string): PlatformError {
  if (error instanceof PlatformError) return error;
  const code = codeOf(error);
  const wasSent = !neverSent.has(code);
  const fault = isWrite(call) && wasSent ? 'unknown_outcome' : 'unavailable';
  const message = wasSent ? 'The platform did not respond' : 'The platform cannot be reached';
  return new PlatformError(platform, fault, message, { code }, { cause: error });
}

const codeOf = (error: unknown): string => {
  const { code, name, cause } = error as { code?: string; name?: string; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? (name ?? 'unknown') : codeOf(cause);
};
