import type { Server } from 'node:http';

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

/** Lets requests under way finish; a connection goes as soon as it is idle. */
const close = (server: Server, cutMs: number): Promise<void> =>
  new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    const cut = setTimeout(() => server.closeAllConnections(), cutMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
