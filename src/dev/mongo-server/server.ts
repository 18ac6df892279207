import { createServer, type Server, type Socket } from 'node:net';
import type { Batch } from './cursors.ts';
import { Cursors } from './cursors.ts';
import { dispatch } from './dispatch.ts';
import type { Engine } from './engine.ts';
import { CommandError } from './errors.ts';
import { encode, type Doc } from './values.ts';
import { Deframer, encodeBatch, frameReply, parseMessage, type Request } from './wire.ts';

export interface StoreServer {
  /** The socket path, or host and port. */
  address: string;
  close(): Promise<void>;
}

/** Listens on a Unix socket, or on a free loopback port by default. */
export async function listen(engine: Engine, socketPath?: string): Promise<StoreServer> {
  const sockets = new Set<Socket>();
  const cursors = new Cursors();
  let [connections, address] = [0, socketPath ?? ''];
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = ++connections;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket, (request) => answer(request, { engine, cursors, connection, address }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath ? { path: socketPath } : { host: '127.0.0.1', port: 0 }, resolve);
  });
  address ||= addressOf(server);
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { address, close };
}

function addressOf(server: Server): string {
  const address = server.address();
  return typeof address === 'object' && address ? `${address.address}:${address.port}` : String(address);
}

/** Closes a connection that violates the protocol, because the rest cannot be parsed. */
function serve(socket: Socket, respond: (request: Request) => Buffer): void {
  const deframer = new Deframer();
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    try {
      for (const message of deframer.push(chunk)) {
        const request = parseMessage(message);
        const reply = respond(request);
        if (!request.isSilent && !socket.destroyed) socket.write(reply);
      }
    } catch {
      socket.destroy();
    }
  });
}

interface Connection {
  engine: Engine;
  cursors: Cursors;
  connection: number;
  address: string;
}

function answer(request: Request, connection: Connection): Buffer {
  const { command, sequences } = request;
  try {
    const reply = dispatch({ ...connection, command, sequences, database: command.$db ?? 'admin' });
    return frameReply(request, isBatch(reply) ? encodeBatch(reply) : encode(reply));
  } catch (error) {
    return frameReply(request, encode(errorReply(error)));
  }
}

const isBatch = (reply: Doc | Batch): reply is Batch => typeof reply.id === 'bigint';

function errorReply(error: unknown): Doc {
  if (!(error instanceof CommandError)) return { ok: 0, errmsg: String(error), code: 8, codeName: 'UnknownError' };
  return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName, ...error.extra };
}
