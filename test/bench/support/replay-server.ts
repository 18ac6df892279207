import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { readConfig } from '../../../src/config/config.ts';
import { connectDb } from '../../../src/models/db.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { dataOf, type Node } from './graph-shape.ts';
import { fromText } from './recorded-commands.ts';

// Sends the recorded commands in their order and builds the response from their documents by hand; nothing else.
const config = readConfig();
const commands = fromText(await readFile(process.env['BENCH_COMMANDS'] ?? '', 'utf8'));
const { db } = (await connectDb(config.mongoUri, createLog('error'))).users.db;

type Found = Node & { below?: Node[] };

async function found(): Promise<Found[][]> {
  const replies: Promise<Found[]>[] = [];
  for (const { command, after } of commands) {
    const earlier = Promise.all(replies.filter((_reply, position) => after.includes(position)));
    replies.push(earlier.then(() => db?.command(command)).then((reply) => reply?.['cursor'].firstBatch));
  }
  return Promise.all(replies);
}

async function answer(): Promise<string> {
  const batches = await found();
  const below = new Map<string, Node[]>();
  const owners = new Map<string, Node>();
  for (const node of batches.flat()) {
    if (node.below) below.set(node._id, node.below);
    else owners.set(node._id, node);
  }
  const children = ({ _id }: Node): Node[] => below.get(_id) ?? [];
  const campaigns = batches[commands.findIndex(({ command }) => command['find'] === 'campaigns')] ?? [];
  return JSON.stringify({ data: dataOf({ campaigns, adSetsOf: children, adsOf: children, owners }) });
}

createServer((request, response) => {
  if (request.url === '/readyz') return void response.end();
  answer().then(
    (text) => response.setHeader('Content-Type', 'application/json').end(text),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(config.port, '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
