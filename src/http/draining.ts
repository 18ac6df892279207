import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface Draining {
  isDraining: () => boolean;
  /** Begins to drain; resolves when the time is over. */
  drain: () => Promise<void>;
  /** Accepts no more requests; resolves when the server has no connections left. */
  close: (server: Server) => Promise<void>;
}

/** Reserved for closing the stores, within the time of the whole shutdown. */
const closingMs = 3_000;
/** The request of a new connection may still be on its way. */
const firstRequestMs = 1_000;

/**
 * Stops a server without failing requests: while it drains, the readiness check fails and responses carry
 * `Connection: close`, so that load balancers and keep-alive clients move on; then it accepts no more.
 */
export function createDraining({ drainMs, shutdownMs }: { drainMs: number; shutdownMs: number }): Draining {
  let isDraining = false;
  return {
    isDraining: () => isDraining,
    async drain() {
      isDraining = true;
      await new Promise((resolve) => setTimeout(resolve, drainMs));
    },
    close: (server) => close(server, Math.max(0, shutdownMs - drainMs - closingMs)),
  };
}

/** Connections that Node does not count as idle: without a request yet, with the time they were opened, or answered before the request ended. */
type Left = Map<Socket, { openedAt: number } | 'answered'>;

const leftOf = new WeakMap<Server, Left>();

/** Remembers the connections that Node would wait for at the end, although nothing is under way. */
export function watchConnections(server: Server): void {
  const left: Left = new Map();
  leftOf.set(server, left);
  server.on('connection', (socket: Socket) => {
    left.set(socket, { openedAt: performance.now() });
    socket.once('close', () => left.delete(socket));
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    left.delete(socket);
    response.once('finish', () => {
      if (!request.complete && !socket.destroyed) left.set(socket, 'answered');
    });
  });
}

/** A connection is ended first: a reset would discard a response that the caller has not read yet. */
function closeIdle(server: Server): void {
  server.closeIdleConnections();
  for (const [socket, state] of leftOf.get(server) ?? []) {
    if (state !== 'answered' && (socket.bytesRead > 0 || performance.now() - state.openedAt < firstRequestMs)) continue;
    if (socket.writableEnded) socket.destroy();
    else socket.end();
  }
}

/** Lets requests under way finish; a connection goes as soon as it is idle. */
const close = (server: Server, cutMs: number): Promise<void> =>
  new Promise((resolve) => {
    const sweep = setInterval(() => closeIdle(server), 100);
    // After the event loop has accepted the connections that are open already: the system resets those that wait.
    setImmediate(() => {
      const cut = setTimeout(() => server.closeAllConnections(), cutMs);
      server.close(() => {
        clearInterval(sweep);
        clearTimeout(cut);
        resolve();
      });
      closeIdle(server);
    });
  });
