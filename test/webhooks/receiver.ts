import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface Got {
  headers: IncomingMessage['headers'];
  body: string;
  at: number;
}

export interface Receiver {
  url: string;
  got: Got[];
  /** How it answers; 200 to begin with. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  events: () => { id: string; event: string }[];
  /** Resolves once so many requests have come. */
  has: (count: number) => Promise<void>;
  stop: () => Promise<void>;
}

export const status =
  (code: number, body = '') =>
  (_request: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(code).end(body);

/** A receiver of webhooks on this machine that remembers what it got. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    got: [],
    answer: status(200),
    events: () => receiver.got.map(({ body }) => JSON.parse(body) as { id: string; event: string }),
    has: async (count) => {
      const until = Date.now() + 300_000;
      while (receiver.got.length < count) {
        if (Date.now() > until) throw new Error(`${receiver.got.length} of ${count} requests came`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      receiver.got.push({ headers: request.headers, body, at: Date.now() });
      receiver.answer(request, response);
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}
