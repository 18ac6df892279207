import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Line {
  url: string;
  /** From now on nothing comes through, and nothing ends. */
  swallow: () => void;
  /** New connections work again; the old ones stay as they are. */
  mend: () => void;
  stop: () => Promise<void>;
}

/** A line to Redis that can go dead without a word. */
export async function openLine(port: number): Promise<Line> {
  const sockets: Socket[] = [];
  let isDead = false;
  const server = createServer((near) => {
    const far = createConnection({ port, host: '127.0.0.1' });
    sockets.push(near, far);
    near.pipe(far).pipe(near);
    if (isDead) cut();
    for (const socket of [near, far]) socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  const cut = (): void => {
    for (const socket of sockets) socket.unpipe().resume();
  };
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallow: () => {
      isDead = true;
      cut();
    },
    mend: () => void (isDead = false),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
