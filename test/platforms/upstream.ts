import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Recorded {
  method: string;
  /** Without the query. */
  path: string;
  /** With the query, as it was written. */
  address: string;
  query: Record<string, string>;
  headers: IncomingMessage['headers'];
  /** Form fields as text, exactly as they were sent. */
  form: Record<string, string>;
  /** The parsed body of a JSON request. */
  json?: unknown;
}

export type Reply =
  | { status?: number; headers?: Record<string, string>; json: unknown }
  | { status?: number; headers?: Record<string, string>; text: string }
  /** Reads the request, then breaks the connection. */
  | 'reset'
  /** Reads the request and never answers. */
  | 'silence'
  /** Starts a good answer and breaks off. */
  | 'half';

export type Responder = (request: Recorded) => Reply | undefined;

export interface FakeUpstream {
  url: string;
  requests: Recorded[];
  /** Replies that serve once each, before the responder is asked. */
  next: (...replies: Reply[]) => void;
  /** Answers what is not scripted; undefined is an unknown path. */
  respond: Responder;
  stop: () => Promise<void>;
}

/** A platform on loopback that records what it gets and replies as the test says. */
export async function startUpstream(): Promise<FakeUpstream> {
  const scripted: Reply[] = [];
  const server = createServer(async (request, response) => {
    const recorded = await record(request);
    upstream.requests.push(recorded);
    const reply = scripted.shift() ?? upstream.respond(recorded) ?? { status: 404, text: 'no such path' };
    answer(response, reply);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const upstream: FakeUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    next: (...replies) => void scripted.push(...replies),
    respond: () => undefined,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return upstream;
}

async function record(request: IncomingMessage): Promise<Recorded> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://upstream');
  return {
    method: request.method ?? '',
    path: pathname,
    address: request.url ?? '/',
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    ...(request.headers['content-type'] === 'application/json'
      ? { form: {}, json: JSON.parse(text) }
      : { form: Object.fromEntries(new URLSearchParams(text)) }),
  };
}

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === 'silence') return;
  if (reply === 'reset') return void response.socket?.destroy();
  if (reply === 'half') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"id":"12', () => response.socket?.destroy());
    return;
  }
  const isJson = 'json' in reply;
  response.writeHead(reply.status ?? 200, {
    'content-type': isJson ? 'application/json' : 'text/html',
    ...reply.headers,
  });
  response.end(isJson ? JSON.stringify(reply.json) : reply.text);
}

/** A form field that holds JSON, as a value; other text stays text. */
export function unpacked(form: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => [name, /^[[{]/.test(value) ? JSON.parse(value) : value]),
  );
}
