import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { accounts, admit, port, updateProfile, viewer } from './work.ts';

// What one would write by hand for these three requests: the same calls to the stores, and none of what makes a service of it.

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const send = (value: object): void =>
    void response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value));
  if (request.url === '/readyz') return send({});
  const caller = await admit(request.headers.authorization);
  const body = await bodyOf(request);
  if (request.method === 'PUT') {
    return send(await updateProfile(caller, request.url?.split('/').at(-1) ?? '', String(body['description'])));
  }
  if (String(body['query']).startsWith('mutation')) {
    const { profileId, description } = body['variables'] as { profileId: string; description: string };
    return send({ data: { updateProfile: await updateProfile(caller, profileId, description) } });
  }
  const [viewed, listed] = await Promise.all([viewer(caller), accounts(caller)]);
  send({ data: { viewer: viewed, accounts: listed } });
}

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
}).listen(port, '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
