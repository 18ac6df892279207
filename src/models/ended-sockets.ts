import type mongoose from 'mongoose';

/** What is used of a connection of the driver. */
interface DriverConnection {
  socket: { destroyed: boolean };
  error?: Error;
  onClose: () => void;
  writeCommand: (...args: unknown[]) => Promise<void>;
}

interface DriverClient {
  topology?: { s?: { servers?: Map<string, { monitor?: { connection?: DriverConnection | null } }> } };
}

const mended = new WeakSet<DriverConnection>();

/**
 * Lets a command fail whose socket the database has closed. The driver (7.8) learns of the end a moment after the socket, and until then
 * waits without limit for the socket to accept the command: a monitor that does so never finds the database again, unless it streams.
 */
export function rejectEndedSockets(connection: mongoose.Connection): void {
  const { topology } = connection.getClient() as unknown as DriverClient;
  for (const { monitor } of topology?.s?.servers?.values() ?? []) {
    if (!monitor?.connection) continue;
    const methods = Object.getPrototypeOf(monitor.connection) as DriverConnection;
    if (mended.has(methods)) continue;
    mended.add(methods);
    const { writeCommand } = methods;
    // Not async: each command would wait for one more promise.
    methods.writeCommand = function write(this: DriverConnection, ...args) {
      if (!this.socket.destroyed) return writeCommand.apply(this, args);
      this.onClose();
      return Promise.reject(this.error as Error);
    };
  }
}
