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

const unusedOf = new WeakMap<Server, Set<Socket>>();

/** Remembers connections that have sent no request: Node does not count them as idle, and would wait for them at the end. */
export function watchUnusedConnections(server: Server): void {
  const unused = new Set<Socket>();
  unusedOf.set(server, unused);
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => void unused.delete(socket));
}

/** Lets requests under way finish; a connection goes as soon as it is idle. */
const close = (server: Server, cutMs: number): Promise<void> =>
  new Promise((resolve) => {
    for (const socket of unusedOf.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    const cut = setTimeout(() => server.closeAllConnections(), cutMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
