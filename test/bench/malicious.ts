import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { cpus } from 'node:os';
import fc from 'fast-check';
import { specifiedRules } from 'graphql';
import { AppError } from '../../src/contract/error.ts';
import { parseInput } from '../../src/contract/parse.ts';
import { parseBounded, validateBounded } from '../../src/graphql/documents.ts';
import { documentError } from '../../src/graphql/input-errors.ts';
import { overLimit } from '../../src/graphql/limits.ts';
import { rootFields } from '../../src/graphql/root-fields.ts';
import { schema } from '../../src/graphql/schema.ts';
import { maxBodyBytes, parseJsonObject } from '../../src/http/body.ts';
import { operations } from '../../src/operations/index.ts';
import { doublingFragments, quadraticDocuments } from '../support/malicious-documents.ts';
import { startTestApp } from '../support/app.ts';
import { anyShape, hostileBodies, textOf } from '../support/malicious-bodies.ts';

const aims = { documentMs: 50, bodyMs: 200, bodyMegabytes: 100, pageMs: 5 };
const shapes = Number(process.env['BENCH_SHAPES'] ?? 300);

interface Cost {
  name: string;
  ms: number;
  megabytes: number;
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** CPU and heap of one run, which may end in a refusal. */
function costOf(name: string, run: () => unknown): Cost {
  const [heap, started] = [process.memoryUsage().heapUsed, cpuMs()];
  try {
    run();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  return { name, ms: cpuMs() - started, megabytes: (process.memoryUsage().heapUsed - heap) / 2 ** 20 };
}

function checkDocument(text: string, variables: Record<string, unknown>): void {
  const document = parseBounded(text);
  const over = overLimit(document);
  if (over) throw over;
  const errors = validateBounded(schema, document, specifiedRules);
  if (errors.length > 0) throw documentError(document, errors);
  const operation = document.definitions.find((node) => node.kind === 'OperationDefinition');
  if (operation) rootFields(document, operation, variables);
}

function checkBody(operation: string, text: string): void {
  const input = operations.find(({ name }) => name === operation)?.input;
  if (!input) throw new TypeError(`there is no operation ${operation}`);
  try {
    parseInput(input, parseJsonObject(Buffer.from(text)), { dropNulls: true });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

const rounds = 7;

/** The median of some runs after two that warm up, so that compiling and collecting garbage for others count little. */
function medianCost(name: string, run: () => unknown): Cost {
  for (let at = 0; at < 2; at += 1) costOf(name, run);
  const costs = Array.from({ length: rounds }, () => costOf(name, run)).toSorted((one, other) => one.ms - other.ms);
  const megabytes = Math.max(...costs.map((cost) => cost.megabytes));
  return { name, ms: costs[Math.floor(rounds / 2)]?.ms ?? 0, megabytes };
}

const documents = (): Cost[] =>
  [...doublingFragments, ...quadraticDocuments].map(({ name, document, variables = {} }) =>
    medianCost(name, () => checkDocument(document, variables)),
  );

const bodies = (): Cost[] =>
  hostileBodies.map((one) => {
    const text = textOf(one);
    return medianCost(one.name, () => checkBody(one.operation, text));
  });

function randomBodies(): Cost[] {
  return [...new Set(hostileBodies.map(({ operation }) => operation))].flatMap((operation) => {
    const names = Object.keys(operations.find(({ name }) => name === operation)?.input.shape ?? {});
    const texts = fc.sample(anyShape(names), shapes).map((body) => JSON.stringify(body).slice(0, maxBodyBytes));
    return texts.map((text) => costOf(`a random body of ${operation}`, () => checkBody(operation, text)));
  });
}

/** CPU of requests without credentials, the client's part included, per page over many requests. */
async function pages(): Promise<Cost[]> {
  const app = await startTestApp({ ROLE: 'api' });
  const costs: Cost[] = [];
  for (const path of ['/', '/docs', '/deliveries', '/graphql', '/v1/openapi.json', '/healthz', '/no-such-page']) {
    const headers = { accept: 'text/html', 'accept-encoding': 'gzip' };
    const request = async (): Promise<void> => {
      const [response] = (await once(get(app.url + path, { headers }), 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
    };
    for (let at = 0; at < 50; at += 1) await request();
    const started = cpuMs();
    for (let at = 0; at < 200; at += 1) await request();
    costs.push({ name: path, ms: (cpuMs() - started) / 200, megabytes: 0 });
  }
  await app.stop();
  return costs;
}

function report(title: string, costs: Cost[], aim: { ms: number; megabytes?: number }): boolean {
  const slowest = costs.reduce((worst, cost) => (cost.ms > worst.ms ? cost : worst));
  const largest = costs.reduce((worst, cost) => (cost.megabytes > worst.megabytes ? cost : worst));
  const isMet = slowest.ms <= aim.ms && (aim.megabytes === undefined || largest.megabytes <= aim.megabytes);
  const memory =
    aim.megabytes === undefined
      ? ''
      : `; aim ${aim.megabytes} MB, worst ${largest.megabytes.toFixed(0)} MB (${largest.name})`;
  console.log(
    `${isMet ? 'met   ' : 'missed'} ${title} (${costs.length}): aim ${aim.ms} ms of CPU, worst ${slowest.ms.toFixed(1)} ms (${slowest.name})${memory}`,
  );
  return isMet;
}

console.log(`${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.version}; npm run bench -- malicious`);
const isMet = [
  report('hostile documents', documents(), { ms: aims.documentMs }),
  report('hostile bodies', bodies(), { ms: aims.bodyMs, megabytes: aims.bodyMegabytes }),
  report('random bodies', randomBodies(), { ms: aims.bodyMs, megabytes: aims.bodyMegabytes }),
  report('pages without credentials', await pages(), { ms: aims.pageMs }),
];
if (isMet.includes(false)) process.exitCode = 1;
