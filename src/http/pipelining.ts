import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes all responses of a connection that breaks. Node closes only the one that is being sent: those of pipelined requests,
 * which wait behind it, would keep their places and streams for ever.
 */
export function closePipelined(server: Server): void {
  const waitingOn = new WeakMap<Socket, Set<ServerResponse>>();
  server.on('request', ({ socket }, response) => {
    if (response.socket) return;
    const waiting = waitingOn.get(socket) ?? new Set();
    if (!waitingOn.has(socket)) {
      waitingOn.set(socket, waiting);
      socket.once('close', () => waiting.forEach((one) => one.destroy().emit('close')));
    }
    waiting.add(response);
    response.once('socket', () => waiting.delete(response));
  });
}
