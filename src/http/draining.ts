import type { IncomingMessage, Server, ServerResponse } from 'node:http';
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

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** The last exchange of each open connection; undefined if it has sent no request. */
type Connections = Map<Socket, Exchange | undefined>;

const connectionsOf = new WeakMap<Server, Connections>();

/** Remembers the connections that Node does not count as idle and would wait for at the end. */
export function watchConnections(server: Server): void {
  const connections: Connections = new Map();
  connectionsOf.set(server, connections);
  server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request, response) => void connections.set(request.socket, { request, response }));
}

/** Nothing was asked, or the response is sent and the caller has not ended a request that was answered early. */
const isDone = (socket: Socket, last: Exchange | undefined): boolean =>
  last ? last.response.writableFinished && !last.request.complete : socket.bytesRead === 0;

/** A connection is ended first: a reset would discard a response that the caller has not read yet. */
function closeIdle(server: Server): void {
  server.closeIdleConnections();
  for (const [socket, last] of connectionsOf.get(server) ?? []) {
    if (!isDone(socket, last)) continue;
    if (socket.writableEnded) socket.destroy();
    else socket.end();
  }
}

/** Lets requests under way finish; a connection goes as soon as it is idle. */
const close = (server: Server, cutMs: number): Promise<void> =>
  new Promise((resolve) => {
    const sweep = setInterval(() => closeIdle(server), 100);
    const cut = setTimeout(() => server.closeAllConnections(), cutMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
    closeIdle(server);
  });
