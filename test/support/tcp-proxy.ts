import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export interface Line {
  url: string;
  port: number;
  /** From now on nothing comes through, and nothing ends. */
  swallow: () => void;
  /** Does what `swallow` does once so many more bytes have come from the store; resolves when it does. */
  swallowAfter: (bytes: number) => Promise<void>;
  /** New connections work again; the old ones stay as they are. */
  mend: () => void;
  /** Connections that carry nothing and that the client has not given up yet. */
  silent: () => number;
  /** Connections that work. */
  working: () => number;
  /** Writes of clients so far, each with one or several requests; keepalives do not count. */
  writes: () => number;
  stop: () => Promise<void>;
}

const isPing = /^\*1\r\n\$4\r\nping\r\n$/i;

/** A stream that hands each chunk on after a time. */
const delayed = (ms: number): Transform =>
  new Transform({ transform: (chunk, _encoding, done) => void setTimeout(done, ms, null, chunk) });

/** A TCP proxy in front of a store on this machine that can stop forwarding without closing anything, and that can delay requests. */
export async function openTcpProxy(port: number, delayMs = 0): Promise<Line> {
  const sockets: Socket[] = [];
  const working = new Set<Socket>();
  const silent = new Set<Socket>();
  let isDead = false;
  let writes = 0;
  let left = Infinity;
  let reached = (): void => undefined;
  const server = createServer((near) => {
    const far = createConnection({ port, host: '127.0.0.1' });
    sockets.push(near, far);
    near.on('data', (bytes: Buffer) => void (writes += isPing.test(bytes.toString('latin1')) ? 0 : 1));
    (delayMs > 0 ? near.pipe(delayed(delayMs)) : near).pipe(far).pipe(near);
    far.on('data', ({ length }: Buffer) => {
      if (left > 0 && (left -= length) <= 0) reached();
    });
    working.add(near);
    near.once('close', () => [working, silent].map((set) => set.delete(near)));
    if (isDead) cut();
    for (const socket of [near, far]) socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  const cut = (): void => {
    for (const socket of sockets) socket.unpipe().resume();
    for (const near of working) silent.add(near);
    working.clear();
  };
  const swallow = (): void => {
    isDead = true;
    cut();
  };
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `redis://127.0.0.1:${own}`,
    port: own,
    swallow,
    swallowAfter: (bytes) => {
      left = bytes;
      return new Promise((resolve) => {
        reached = () => {
          left = Infinity;
          swallow();
          resolve();
        };
      });
    },
    mend: () => void (isDead = false),
    silent: () => silent.size,
    working: () => working.size,
    writes: () => writes,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
