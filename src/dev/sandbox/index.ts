import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { consentPages } from './oauth/consent.ts';
import { inlineHashes, policy } from '../../lib/content-policy.ts';
import { createFaults, faultNames, isFault, type Fault, type FaultName, type Faults } from './faults.ts';
import {
  respondToMalformed,
  limitControl,
  limitPlatform,
  rejectRequest,
  requireJson,
  requireKnownHost,
} from './guard.ts';
import { createLedger, type Ledger } from './request-log.ts';
import { fetchHead } from './fetch-file.ts';
import { media } from './media.ts';
import { page } from './page.ts';
import { isPattern } from './pattern.ts';
import type { Received, Reply, SimulatedPlatform } from './platform.ts';
import { simulated } from './platforms.ts';
import { received } from './request.ts';
import { createState } from './state.ts';

export interface SandboxOptions {
  /** 0 selects a free port. */
  port?: number;
  /** Loopback by default; containers of one network need another. */
  host?: string;
  /** Accepted host names besides loopback. */
  allowedHosts?: string[];
  /** Directory for persistent state; memory only without it. */
  dataDir?: string;
}

export interface Sandbox {
  url: string;
  port: number;
  stop: () => Promise<void>;
}

type Env = { Bindings: HttpBindings };

/** The platforms, simulated over HTTP: same formats, same strictness, same errors. */
export async function startSandbox({
  port = 0,
  host = '127.0.0.1',
  allowedHosts = [],
  dataDir,
}: SandboxOptions = {}): Promise<Sandbox> {
  const state = createState(dataDir);
  const app = createApp(
    simulated.map((make) => make(state)),
    allowedHosts,
  );
  const server = await new Promise<Server>((resolve, reject) => {
    const answerAll = getRequestListener(app.fetch, { hostname: host, errorHandler: rejectRequest });
    const listening = createServer({ requireHostHeader: false }, answerAll);
    respondToMalformed(listening);
    listening.once('error', reject).listen(port, host, () => resolve(listening));
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createApp(platforms: SimulatedPlatform[], allowedHosts: string[]): Hono<Env> {
  const [faults, ledger] = [createFaults(), createLedger()];
  const app = new Hono<Env>();
  app.onError((error, c) => {
    process.stderr.write(`${c.req.method} ${c.req.path}: ${error.stack ?? error.message}\n`);
    return c.json({ error: error.message }, 500);
  });
  app.use(requireKnownHost(allowedHosts));
  for (const path of ['/control/*', '/ledger', '/consent/*']) app.use(path, limitControl);
  app.use('/control/*', requireJson);
  app.get('/', async (c) => {
    const text = String(await page(platforms, ledger));
    return c.html(text, 200, { 'Content-Security-Policy': pagePolicy(text) });
  });
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/media/:name', (c) => {
    const sample = media.get(c.req.param('name'))?.();
    return sample ? c.body(new Uint8Array(sample.body), 200, { 'Content-Type': sample.type }) : c.notFound();
  });
  // An endpoint that accepts every event, for webhooks of the demo.
  app.post('/webhooks', async (c) => {
    const body: unknown = await c.req.json().catch(() => ({}));
    const shared = { at: new Date().toISOString(), platform: 'webhooks', method: 'POST', path: '/webhooks' };
    ledger.add({ ...shared, query: {}, body, status: 204, answer: null });
    return c.body(null, 204);
  });
  app.get('/ledger', (c) => {
    const { platform, since, path } = c.req.query();
    return c.json({ entries: ledger.list({ platform, path, since: Number(since ?? 0) }) });
  });
  app.delete('/ledger', (c) => {
    ledger.clear();
    return c.json({ success: true });
  });
  app.route('/consent', consentPages(platforms));
  app.route('/control/faults', faultControl(platforms, faults));
  for (const platform of platforms) {
    app.route(`/control/${platform.name}`, platform.control);
    app.use(`/${platform.name}/*`, limitPlatform);
    app.all(`/${platform.name}/*`, (c) => answer(c, platform, { ledger, take: faults.take }));
  }
  return app;
}

const pagePolicy = (text: string): string =>
  policy({
    'script-src': inlineHashes(text, 'script'),
    'style-src': inlineHashes(text, 'style'),
    'img-src': 'data:',
    'connect-src': "'self'",
  });

function faultControl(platforms: SimulatedPlatform[], faults: Faults): Hono {
  const app = new Hono();
  const names = platforms.map(({ name }) => name);
  app.get('/', (c) => c.json({ faults: faults.list(), known: faultNames }));
  app.delete('/', (c) => {
    faults.clear();
    return c.json({ success: true });
  });
  app.post('/', async (c) => {
    const order = (await c.req.json().catch(() => ({}))) as Partial<Fault>;
    const { platform = '', fault, match, times = 1, skip = 0, token } = order;
    const isMatch = match?.path === undefined || isPattern(match.path);
    const isCount = Number.isInteger(times) && Number.isInteger(skip);
    if (!names.includes(platform) || !isFault(fault) || !isMatch || !isCount) {
      const help = `Specify a platform (${names.join(', ')}), a fault (${faultNames.join(', ')}), whole numbers for times and skip, and for match.path at most 200 characters of text with * (any text), # (a number), ^, $ and |`;
      return c.json({ error: help }, 400);
    }
    faults.add({ platform, fault, match, times, skip, token });
    return c.json({ success: true });
  });
  return app;
}

interface Tools {
  ledger: Ledger;
  take: ReturnType<typeof createFaults>['take'];
}

/** How long a slow response takes. */
const slowMs = 2_000;

/** Faults that replace the answer to a call that has taken effect. */
const replaced = new Set<FaultName>(['timeout_after', 'reset_after', 'ok_with_error', 'malformed', 'huge']);

/** Faults after which the caller has no answer. */
const withoutResponse = new Set<FaultName>(['timeout_before', 'timeout_after', 'reset_after']);

async function answer(c: Context<Env>, platform: SimulatedPlatform, { ledger, take }: Tools): Promise<Response> {
  const request = await received(c, platform.name);
  const { method, path, query, body, json, token } = request;
  const made = (platform.making ?? makingByName)(request);
  const fault = take({
    platform: platform.name,
    method,
    path,
    token,
    header: c.req.header('x-sandbox-fault'),
    ...made,
  });
  const isReplaced = fault !== undefined && replaced.has(fault);
  const isBefore = fault !== undefined && fault !== 'slow' && !isReplaced;
  const reply = isBefore ? failed(platform, fault, request) : await platform.answer(await withFile(platform, request));
  const shownReply = Buffer.isBuffer(reply.body) ? `${reply.body.length} bytes` : reply.body;
  const note = isReplaced || isBefore ? { fault, ...(isReplaced && { hidden: shownReply }) } : shownReply;
  const status = fault && withoutResponse.has(fault) ? 0 : isReplaced ? 200 : reply.status;
  const at = new Date().toISOString();
  const shown = Array.isArray(json) ? json : body;
  ledger.add({ at, platform: platform.name, method, path, query, body: shown, status, answer: note });
  return fault ? applyFault(c, { fault, reply, transient: platform.failWith('transient', request) }) : send(reply);
}

async function withFile(platform: SimulatedPlatform, request: Received): Promise<Received> {
  const address = platform.fetches?.(request);
  return address === undefined ? request : { ...request, fetched: await fetchHead(address) };
}

/** Most platforms have the object's name in the body and its kind in the path. */
const makingByName = ({ path, body: { name } }: Received): { edge: string; name: string } | undefined =>
  typeof name === 'string' ? { edge: path.split('/').at(-1) ?? '', name } : undefined;

function send({ status, body, headers }: Reply): Response {
  if (Buffer.isBuffer(body)) return new Response(new Uint8Array(body), { status, headers });
  const isText = typeof body === 'string';
  const text = isText || body === undefined ? body : JSON.stringify(body);
  const type = isText ? 'text/html; charset=UTF-8' : 'application/json; charset=UTF-8';
  return new Response(text, { status, headers: { ...(text !== undefined && { 'Content-Type': type }), ...headers } });
}

const failed = (platform: SimulatedPlatform, fault: FaultName, request: Received): Reply =>
  fault === 'timeout_before'
    ? { status: 0, body: null }
    : fault === 'html_502'
      ? { status: 502, body: null }
      : platform.failWith(fault, request);

function applyFault(
  c: Context<Env>,
  { fault, reply, transient }: { fault: FaultName; reply: Reply; transient: Reply },
): Response | Promise<Response> {
  const socket = (c.env.incoming as IncomingMessage).socket;
  const outgoing = c.env.outgoing as ServerResponse;
  switch (fault) {
    case 'timeout_before':
    case 'timeout_after':
      // Ends when the caller disconnects after its timeout.
      return new Promise((resolve) => outgoing.once('close', () => resolve(new Response(null, { status: 499 }))));
    case 'reset_after':
      socket.resetAndDestroy();
      return new Response(null, { status: 499 });
    case 'slow':
      return new Promise((resolve) => setTimeout(() => resolve(send(reply)), slowMs));
    case 'html_502':
      return new Response('<html><body><h1>502 Bad Gateway</h1></body></html>', {
        status: 502,
        headers: { 'Content-Type': 'text/html' },
      });
    case 'malformed':
      return new Response('{"id": "12', { status: 200, headers: { 'Content-Type': 'application/json' } });
    case 'huge':
      return new Response(JSON.stringify({ id: '1', padding: 'x'.repeat(10 * 1024 * 1024) }), { status: 200 });
    case 'ok_with_error':
      return send({ ...transient, status: 200 });
    default:
      return send(reply);
  }
}
