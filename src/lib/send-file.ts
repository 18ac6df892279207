import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { sendStream } from './send-stream.ts';

/**
 * What a handler returns that has written the response itself. A clone is Node's own Response: if the sandbox in the same
 * process has replaced the global one, that would be sent again.
 */
export const alreadySent = RESPONSE_ALREADY_SENT.clone();

/** A response body that browsers save as a file. */
export interface TextFile {
  name: string;
  mediaType: 'text/csv';
  /** It holds memory until it is read to its end or destroyed. */
  content: Readable;
  /** A client that reads nothing for this long is disconnected; a minute by default. */
  maxStallMs?: number;
}

/** Sends a file. */
export function sendFile(
  outgoing: ServerResponse,
  { name, mediaType, content, maxStallMs = 60_000 }: TextFile,
): Response {
  outgoing.writeHead(200, {
    'Content-Type': `${mediaType}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${name}"`,
  });
  outgoing.setTimeout(maxStallMs, () => outgoing.destroy());
  sendStream(outgoing, content);
  return alreadySent;
}
