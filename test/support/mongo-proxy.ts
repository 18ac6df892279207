import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { encode, type Doc } from '../../src/dev/mongo-server/values.ts';
import { Deframer, frameReply, parseMessage } from '../../src/dev/mongo-server/wire.ts';

export interface MongoProxyOptions {
  /** Closes all connections, also later ones, once so many bytes have come from the database. */
  cutAfter?: number;
  /** The reply to a command instead of that of the database; undefined forwards the command, `cut` closes all connections. */
  reply?: (command: Doc) => Doc | 'cut' | undefined;
}

/** A database as a client sees it behind a faulty proxy, or one that rejects commands. */
export async function openMongoProxy(uri: string, { cutAfter = Infinity, reply }: MongoProxyOptions) {
  const target = new URL(uri);
  const port = Number(target.port || 27_017);
  const sockets = new Set<Socket>();
  let left = cutAfter;
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  const server = createServer((near) => {
    const far = createConnection({ port, host: '127.0.0.1' });
    for (const socket of [near, far])
      sockets.add(socket.on('error', () => undefined).on('close', () => [near, far].map((one) => one.destroy())));
    const requests = new Deframer();
    near.on('data', (chunk: Buffer) => {
      for (const message of requests.push(chunk)) {
        const request = parseMessage(message);
        const own = reply?.(request.command);
        if (own === 'cut') return cut();
        if (own) near.write(frameReply(request, encode(own)));
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
  target.searchParams.set('serverSelectionTimeoutMS', '400');
  return {
    uri: target.href,
    stop: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
