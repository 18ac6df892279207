import { createServer, request as httpRequest, Agent, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A load balancer as operators use one: kept connections, readiness checks, and no retry of any request. */
class LoadBalancer {
  readonly backends = new Map<ServiceProcess, boolean>();
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server: Server;
  private turn = 0;
  private isStopped = false;

  constructor() {
    this.server = createServer((request, response) => this.forward(request, response)).listen(0, '127.0.0.1');
    // A test process that is busy for longer must not close connections that its clients are about to use.
    this.server.keepAliveTimeout = 75_000;
    void this.checkAll();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  isReady(backend: ServiceProcess): boolean {
    return this.backends.get(backend) === true;
  }

  private async checkAll(): Promise<void> {
    for (; !this.isStopped; await pause(200))
      await Promise.all([...this.backends.keys()].map((backend) => this.check(backend)));
  }

  private async check(backend: ServiceProcess): Promise<void> {
    const answer = await fetch(`${backend.url}/readyz`).catch(() => undefined);
    if (this.backends.has(backend)) this.backends.set(backend, answer?.ok === true);
  }

  stop(): void {
    this.isStopped = true;
    this.agent.destroy();
    this.server.closeAllConnections();
    this.server.close();
  }

  private forward(request: IncomingMessage, response: import('node:http').ServerResponse): void {
    const ready = [...this.backends].filter(([, isReady]) => isReady).map(([backend]) => backend);
    const backend = ready[this.turn++ % ready.length];
    const refuse = (): void => void (response.headersSent ? response.destroy() : response.writeHead(502).end());
    if (!backend) return refuse();
    const { method, headers, url = '/' } = request;
    const onward = httpRequest(backend.url + url, { method, headers, agent: this.agent }, (answer) => {
      const { connection: _own, ...rest } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, rest);
      answer.pipe(response);
      answer.once('error', refuse);
    });
    onward.once('error', refuse);
    request.pipe(onward);
  }
}

let app: TestApp;
let fixture: UserFixture;
const balancer = new LoadBalancer();
let env: Record<string, string>;

const begin = async (): Promise<ServiceProcess> => {
  const backend = await startProcess(env);
  balancer.backends.set(backend, true);
  return backend;
};

async function end(backend: ServiceProcess): Promise<void> {
  expect(await backend.end('SIGTERM')).toBe(0);
  balancer.backends.delete(backend);
}

beforeAll(async () => {
  app = await startTestApp();
  fixture = await createUserFixture(app);
  // A busy machine must have time to notice that a process is not ready.
  env = { ...app.env, ROLE: 'api', DRAIN_SECONDS: '20' };
});
afterAll(async () => {
  balancer.stop();
  await Promise.all([...balancer.backends.keys()].map((backend) => backend.end('SIGTERM')));
  await app.stop();
});

describe('ten rolling restarts behind a load balancer', () => {
  it('fail no request, neither the many cheap ones nor an order of an ad each second', async () => {
    const running = [await begin(), await begin()];
    const statuses = new Map<string, number>();
    let isOver = false;
    const count = (what: string): void => void statuses.set(what, (statuses.get(what) ?? 0) + 1);
    const headers = { Authorization: `Bearer ${fixture.key}`, 'Content-Type': 'application/json' };
    const send = async (method: string, path: string, body?: object): Promise<void> => {
      const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const answer = await fetch(balancer.url + path, sent).catch(() => undefined);
      const text = await answer?.text().catch(() => 'a broken body');
      count(`${method} ${answer?.status ?? 'broken'}${answer?.ok ? '' : ` ${text}`}`);
    };
    const reader = async (): Promise<void> => {
      for (; !isOver; await pause(200)) await send('GET', '/v1/me');
    };
    const buyer = async (): Promise<void> => {
      for (let at = 0; !isOver; at += 1, await pause(1000))
        await send('POST', '/v1/ads/create', { ...goodAd(fixture), name: `Rolling ${at}` });
    };
    const clients = [...Array.from({ length: 10 }, reader), buyer()];
    const ended: Promise<void>[] = [];
    for (let round = 0; round < 10; round += 1) {
      running.push(await begin());
      const old = running.shift()!;
      ended.push(end(old));
      // It goes on draining during the next two rounds.
      await expect.poll(() => balancer.isReady(old)).toBe(false);
      await ended.at(-3);
    }
    await Promise.all(ended);
    isOver = true;
    await Promise.all(clients);
    expect([...statuses.keys()].toSorted()).toEqual(['GET 200', 'POST 201']);
    expect(statuses.get('GET 200')).toBeGreaterThan(500);
    expect(statuses.get('POST 201')).toBeGreaterThan(10);
  });
});

describe('a stopping process', () => {
  it('is not ready, still answers, and asks clients to close their connections', async () => {
    const backend = await startProcess({ ...env, DRAIN_SECONDS: '15' });
    const before = await fetch(`${backend.url}/v1/me`, { headers: { Authorization: `Bearer ${fixture.key}` } });
    expect([before.status, before.headers.get('connection')]).toEqual([200, 'keep-alive']);
    expect(before.headers.get('keep-alive')).toBe('timeout=75');
    const ended = backend.end('SIGTERM');
    await expect.poll(async () => (await fetch(`${backend.url}/readyz`)).status).toBe(503);
    const ready = await fetch(`${backend.url}/readyz`);
    expect(await ready.json()).toMatchObject({ status: 'draining' });
    const answers = await Promise.all([
      backend.call('GET', '/v1/me', { key: fixture.key }),
      backend.graphql('{ viewer { user { id } } }', {}, { key: fixture.key }),
      backend.call('GET', '/v1/nowhere', { key: fixture.key }).catch(() => undefined),
    ]);
    for (const answer of answers.slice(0, 2))
      expect([answer?.status, answer?.headers.get('connection')]).toEqual([200, 'close']);
    expect((await fetch(`${backend.url}/healthz`)).status).toBe(200);
    expect(await ended).toBe(0);
  });
});
