import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** Sends the body of a response whose head is written. If it cannot be sent completely, the connection is closed before its end. */
export function sendStream(response: ServerResponse, content: Readable): void {
  // A client that left before does not close the response again, so nothing else would free the content.
  if (response.destroyed) return void content.destroy();
  // The status has been sent: only a closed connection can show that the body is incomplete.
  content.on('error', () => response.destroy()).pipe(response);
  response.once('close', () => content.destroy());
}
