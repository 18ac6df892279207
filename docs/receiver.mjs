// Prints every event that arrives and checks its signature. Run: node docs/receiver.mjs [SECRET]
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.argv[2] ?? '';
const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);

function isGenuine(headers, body) {
  const age = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp']));
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = createHmac('sha256', key).update(signed).digest();
  const given = (headers['webhook-signature'] ?? '').split(' ').map((entry) => Buffer.from(entry.replace(/^v1,/, ''), 'base64'));
  return age < 300 && given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const verdict = secret === '' ? 'unsigned' : isGenuine(request.headers, body) ? 'genuine' : 'FORGED';
  console.log(verdict, request.headers['webhook-id'], body);
  response.writeHead(verdict === 'FORGED' ? 400 : 204).end();
}).listen(4900, () => console.log('Waiting for events on http://localhost:4900'));
