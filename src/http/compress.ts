import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:zlib';
import compression from 'compression';

/** Smaller responses fit into a few packets. */
const threshold = 4096;

/** Not event streams, which it would hold back, and not pages, which contain what a visitor entered. */
const isCompressed = (type: string): boolean => /^(application\/(graphql-response\+)?json|text\/csv)\b/.test(type);

const middleware = compression({
  threshold,
  // Level 1 removes most of the bytes of JSON for a fraction of the CPU; the thread pool compresses.
  level: 1,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  filter: (_request, response) => isCompressed(String(response.getHeader('Content-Type') ?? '')),
});

type Method = (...args: unknown[]) => unknown;

/** Compresses a body of this length, which has yet to be written, if its client accepts it and it is long enough. */
export function compressBody(request: IncomingMessage, response: ServerResponse, length: number): void {
  // The middleware costs a short response more than it can save.
  if (length >= threshold) middleware(request as never, response as never, () => undefined);
}

/** The same for a response whose length shows only when it is written. */
export function compressResponse(request: IncomingMessage, response: ServerResponse): void {
  const { write, end, writeHead } = response;
  const begin = (length: number): void => {
    Object.assign(response, { write, end, writeHead });
    compressBody(request, response, length);
  };
  const methods: Record<string, Method> = {
    writeHead: (...args) => {
      begin(Number((args.at(-1) as Record<string, unknown> | undefined)?.['Content-Length'] ?? Infinity));
      return (response.writeHead as Method)(...args);
    },
    write: (...args) => {
      begin(Infinity);
      return (response.write as Method)(...args);
    },
    end: (...args) => {
      begin(Infinity);
      return (response.end as Method)(...args);
    },
  };
  Object.assign(response, methods);
}
