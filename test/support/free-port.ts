import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems assign by themselves, so that a server that listens on port 0 cannot take one before its
 * process does, and above the last one that fetch refuses to call, 10080.
 */
const [lowest, highest] = [10_081, 30_000];

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** Returns the first of `count` free ports, each `step` after the other, for a process that needs to know its ports. */
export async function freePort(count = 1, step = 1): Promise<number> {
  for (;;) {
    const first = randomInt(lowest, highest - (count - 1) * step);
    const ports = Array.from({ length: count }, (_, at) => first + at * step);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
}
