import { request, type Dispatcher } from 'undici';
import { PlatformError } from './error.ts';

export interface Upstream {
  call: (call: UpstreamCall) => Promise<Answer>;
}

export interface UpstreamCall {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: Record<string, string>;
  /** Sent as a form; objects must be text by then. */
  form?: Record<string, string>;
  token: string;
  /** Longer for uploads. */
  timeoutMs?: number;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The parsed JSON; undefined when it is none. */
  body: unknown;
}

export interface UpstreamOptions {
  platform: string;
  baseUrl: string;
  timeoutMs?: number;
  maxAnswerBytes?: number;
}

/** Codes of failures before a connection stood: the request was surely not carried out. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const readAttempts = 3;

/** One HTTP client for all adapters: caps on time and size, no redirects, and faults that tell what may have happened. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { platform, baseUrl, timeoutMs = 20_000, maxAnswerBytes = 5_000_000 } = options;
  const once = async (call: UpstreamCall): Promise<Answer> => {
    const url = new URL(baseUrl.replace(/\/$/, '') + call.path);
    for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
    const response = await request(url, {
      method: call.method,
      headers: headersOf(call),
      body: call.form && new URLSearchParams(call.form).toString(),
      signal: AbortSignal.timeout(call.timeoutMs ?? timeoutMs),
    });
    const text = await readCapped(response, maxAnswerBytes);
    return { status: response.statusCode, headers: response.headers, body: jsonOf(text) };
  };
  return {
    async call(call) {
      const attempts = call.method === 'GET' ? readAttempts : 1;
      for (let attempt = 1; ; attempt++) {
        try {
          const answer = await once(call);
          if (call.method !== 'GET' || answer.status < 500 || attempt === attempts) return answer;
        } catch (error) {
          if (attempt === attempts || error instanceof PlatformError) throw faultOf(error, call, platform);
        }
        await new Promise((resolve) => setTimeout(resolve, 150 * attempt));
      }
    },
  };
}

const headersOf = ({ token, form }: UpstreamCall): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  accept: 'application/json',
  ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
});

/** Reads an answer up to a cap; what is larger counts as unreadable. */
async function readCapped({ body }: Dispatcher.ResponseData, cap: number): Promise<string | undefined> {
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
  return Buffer.concat(chunks).toString('utf8');
}

const jsonOf = (text: string | undefined): unknown => {
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
  const fault = call.method !== 'GET' && wasSent ? 'unknown_outcome' : 'unavailable';
  const message = wasSent ? 'The platform did not answer' : 'The platform cannot be reached';
  return new PlatformError(platform, fault, message, { code }, { cause: error });
}

const codeOf = (error: unknown): string => {
  const { code, name, cause } = error as { code?: string; name?: string; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? (name ?? 'unknown') : codeOf(cause);
};
