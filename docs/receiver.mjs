// Prints every webhook event and verifies its signature. Run: node docs/receiver.mjs [SECRET]
import { createServer } from 'node:http';
import { isGenuine } from './verify.mjs';

const secret = process.argv[2] ?? '';

createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const result = secret === '' ? 'unsigned' : isGenuine(request.headers, body, secret) ? 'genuine' : 'FORGED';
  console.log(result, request.headers['webhook-id'], body);
  response.writeHead(result === 'FORGED' ? 400 : 204).end();
}).listen(4900, () => console.log('Waiting for events on http://localhost:4900'));
