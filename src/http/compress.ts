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

/** Compresses the body of the response if its client accepts it and it is long enough. */
export const compressResponse = (request: IncomingMessage, response: ServerResponse): void =>
  void middleware(request as never, response as never, () => undefined);
