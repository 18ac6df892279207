import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { encode, type Doc } from '../../src/dev/mongo-server/values.ts';
import { Deframer, frameReply, parseMessage } from '../../src/dev/mongo-server/wire.ts';

export interface MongoProxyOptions {
  /** Closes all connections, also later ones, once so many bytes have come from the database. */
  cutAfter?: number;
  /**
   * The reply to a command instead of that of the database; undefined forwards the command. A restart closes all connections, before
   * or after the reply of the database, and refuses new ones for a moment.
   */
  reply?: (command: Doc) => Doc | 'restart before' | 'restart after' | undefined;
  /** How long a client waits for a server. */
  serverSelectionTimeoutMS?: number;
}

/** Longer than the driver repeats a command that it could not send. */
const restartMs = 1_000;

/** A database as a client sees it behind a faulty proxy, or one that rejects commands. */
export async function openMongoProxy(
  uri: string,
  { cutAfter = Infinity, reply, serverSelectionTimeoutMS = 400 }: MongoProxyOptions,
) {
  const target = new URL(uri);
  const port = Number(target.port || 27_017);
  const sockets = new Set<Socket>();
  let left = cutAfter;
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  let restarting: Promise<void> | undefined;
  const restart = async (): Promise<void> => {
    const { port: own } = server.address() as AddressInfo;
    server.close();
    cut();
    await new Promise((resolve) => setTimeout(resolve, restartMs));
    await once(server.listen(own, '127.0.0.1'), 'listening');
  };
  const server = createServer((near) => {
    const far = createConnection({ port, host: '127.0.0.1' });
    for (const socket of [near, far])
      sockets.add(socket.on('error', () => undefined).on('close', () => [near, far].map((one) => one.destroy())));
    const requests = new Deframer();
    near.on('data', (chunk: Buffer) => {
      for (const message of requests.push(chunk)) {
        const request = parseMessage(message);
        const own = reply?.(request.command);
        if (own === 'restart before') return void (restarting = restart());
        if (own === 'restart after') {
          far.prependOnceListener('data', () => setImmediate(() => (restarting = restart())));
          far.write(message);
        } else if (own) near.write(frameReply(request, encode(own)));
        else far.write(message);
      }
    });
    far.on('data', (chunk: Buffer) => {
      if (left > 0) near.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) cut();
    });
    if (left <= 0) cut();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  target.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  target.searchParams.set('directConnection', 'true');
  target.searchParams.set('serverSelectionTimeoutMS', String(serverSelectionTimeoutMS));
  return {
    uri: target.href,
    /** Closes all connections and refuses new ones for a moment. */
    restart: () => (restarting = restart()),
    stop: async () => {
      await restarting;
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
