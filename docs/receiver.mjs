// Prints every event that arrives and checks its signature. Run: node docs/receiver.mjs [SECRET]
import { createServer } from 'node:http';
import { webhookFault } from './verify-webhook.mjs';

const secret = process.argv[2] ?? '';

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const fault = secret === '' ? undefined : webhookFault({ body, headers: request.headers }, secret);
  const verdict = secret === '' ? 'unsigned' : fault ? `FORGED (${fault})` : 'genuine';
  console.log(verdict, request.headers['webhook-id'], body.toString());
  response.writeHead(fault ? 400 : 204).end();
}).listen(4900, () => console.log('Waiting for events on http://localhost:4900'));
