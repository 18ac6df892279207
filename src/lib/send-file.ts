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
  /** A client that reads nothing for this long is disconnected; a minute by default. */
  maxStallMs?: number;
}

/** Sends a file. If it cannot be sent completely, the connection is closed before its end. */
export function sendFile(
  outgoing: ServerResponse,
  { name, mediaType, content, maxStallMs = 60_000 }: TextFile,
): Response {
  if (outgoing.destroyed) {
    // Its client has left while the file was built: the response does not close again.
    content.destroy();
    return alreadySent;
  }
  outgoing.writeHead(200, {
    'Content-Type': `${mediaType}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${name}"`,
  });
  outgoing.setTimeout(maxStallMs, () => outgoing.destroy());
  // The status has been sent: only a closed connection can show that the file is incomplete.
  content.on('error', () => outgoing.destroy()).pipe(outgoing);
  outgoing.once('close', () => content.destroy());
  return alreadySent;
}
