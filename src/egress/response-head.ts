import type { Socket } from 'node:net';
import { errors } from 'undici';

export interface ResponseHead {
  /** The final status, as soon as its status line has arrived. */
  status?: number;
}

interface Watched {
  head: ResponseHead;
  /** Bytes of a response whose status line is incomplete. */
  held: Buffer;
  interim: number;
}

const maxInterim = 20;
const maxInterimBytes = 16 * 1024;
const statusLineBytes = 'HTTP/1.1 200'.length;
const headEnd = '\r\n\r\n';
const watchedBySocket = new WeakMap<Socket, Watched>();

/**
 * Removes interim (1xx) responses before the HTTP parser sees them, because the parser rejects an unexpected 100, and
 * records the final status. Call it for each request on the socket.
 */
export function watchResponseHead(socket: Socket, head: ResponseHead): void {
  const isFirst = !watchedBySocket.has(socket);
  watchedBySocket.set(socket, { head, held: Buffer.alloc(0), interim: 0 });
  if (!isFirst) return;
  const read = socket.read.bind(socket) as Socket['read'];
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    const watched = watchedBySocket.get(socket);
    if (!watched || watched.head.status !== undefined || !Buffer.isBuffer(chunk)) return chunk;
    return withoutInterim(watched, chunk, socket);
  };
}

function withoutInterim(watched: Watched, chunk: Buffer, socket: Socket): Buffer | null {
  let bytes = watched.held.length > 0 ? Buffer.concat([watched.held, chunk]) : chunk;
  for (;;) {
    if (bytes.length < statusLineBytes) return hold(watched, bytes);
    const status = Number(/^HTTP\/1\.[01] (\d{3})$/.exec(bytes.toString('latin1', 0, statusLineBytes))?.[1] ?? 0);
    if (!isInterim(status)) {
      // Zero (not HTTP) stops here and leaves the error to the parser.
      if (status >= 200 && status < 600) watched.head.status = status;
      else watchedBySocket.delete(socket);
      watched.held = Buffer.alloc(0);
      return bytes;
    }
    const end = bytes.indexOf(headEnd);
    if (end < 0 && bytes.length <= maxInterimBytes) return hold(watched, bytes);
    if (end < 0 || ++watched.interim > maxInterim) {
      socket.destroy(new errors.SocketError('too many or too large interim responses'));
      return null;
    }
    bytes = bytes.subarray(end + headEnd.length);
  }
}

const hold = (watched: Watched, bytes: Buffer): null => {
  watched.held = bytes;
  return null;
};

/** 101 switches protocols, so it is left to the parser, which rejects it. */
const isInterim = (status: number): boolean => status >= 100 && status < 200 && status !== 101;
