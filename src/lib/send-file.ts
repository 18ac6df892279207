import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

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
  /** A client that takes nothing for this long is disconnected; a minute by default. */
  maxStallMs?: number;
}

/** Sends a file. A client that does not get all of it sees the connection break. */
export function sendFile(
  outgoing: ServerResponse,
  { name, mediaType, content, maxStallMs = 60_000 }: TextFile,
): Response {
  outgoing.writeHead(200, {
    'Content-Type': `${mediaType}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${name}"`,
  });
  outgoing.setTimeout(maxStallMs, () => outgoing.destroy());
  // The status has been sent: only the end of the connection can say that the file is not whole.
  content.on('error', () => outgoing.destroy()).pipe(outgoing);
  outgoing.once('close', () => content.destroy());
  return alreadySent;
}
