import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface SandboxProxy {
  /** Heard of each write before it goes on. */
  before?: (path: string, body: string) => Promise<void>;
  /** What becomes of an answer to a write. */
  after?: (path: string, answer: string) => string;
}

/** A way to the sandbox on which writes can be held up and answers changed. */
export async function proxyTo(
  { url }: { url: string },
  { before, after }: SandboxProxy,
): Promise<{ url: string; stop: () => void }> {
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? '';
      const body = request.method === 'POST' ? await text(request) : undefined;
      if (body !== undefined) await before?.(path, body);
      const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
      const answer = await fetch(url + path, {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(body !== undefined && { body }),
      });
      const said = await answer.text();
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(body === undefined ? said : (after?.(path, said) ?? said));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close().closeAllConnections() };
}
