import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { Agent, request, type Dispatcher } from 'undici';
import { startApp, type App } from '../../src/app.ts';
import { schema } from '../../src/graphql/schema.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLog, type Log } from '../../src/telemetry/log.ts';
import { sandboxSettings } from '../../src/dev/sandbox/settings.ts';
import { startSandbox, type Sandbox } from '../../src/dev/sandbox/index.ts';
import { recordFields } from './api-coverage.ts';
import { testDatabase } from './db.ts';
import { requireDescribedBodies } from './event-bodies.ts';
import { undeclared } from './openapi.ts';
import { testRedis } from './redis.ts';

export interface Answer {
  status: number;
  // biome-ignore lint: answers are read freely in expectations
  body: any;
  headers: Headers;
}

export interface CallOptions {
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Sent as it is, instead of a JSON body. */
  raw?: string | Uint8Array;
}

export interface TestApp {
  url: string;
  app: App;
  sandbox: Sandbox;
  /** Environment of this app; start a second process on the same stores with it. */
  env: Record<string, string>;
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  graphql: (query: string, variables?: object, options?: CallOptions) => Promise<Answer>;
  stop: () => Promise<void>;
}

recordFields(schema);

/** A test may leave its database stopped. */
const unavailable = (): [] => [];

/** The whole product on real stores, the sandbox as its platforms; nothing is mocked. */
export async function startTestApp(extra: Record<string, string> = {}, log?: Log): Promise<TestApp> {
  const [database, redis, sandbox] = await Promise.all([testDatabase(), testRedis(), startSandbox()]);
  const env = {
    PORT: '0',
    MONGODB_URI: database.uri,
    REDIS_URL: redis.url,
    REDIS_PREFIX: `t${randomBytes(6).toString('hex')}`,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    ...sandboxSettings(sandbox.url),
    LOG_LEVEL: 'silent',
    DISCOVERY_EVERY_HOURS: '0',
    // As in production; a test that waits for a sweep sets less.
    SWEEP_INTERVAL_SECONDS: '5',
    // A limit that a test injects must not hold up the tests after it.
    PLATFORM_D_SUSPENSION_SECONDS: '0',
    RATE_LIMIT_SMALL: '100000',
    RATE_LIMIT_MEDIUM: '100000',
    ...extra,
  };
  const app = await startApp(readConfig(env), log ?? createLog(env.LOG_LEVEL));
  const url = `http://127.0.0.1:${app.port}`;
  return {
    url,
    app,
    sandbox,
    env,
    ...apisOf(url),
    stop: async () => {
      const events = await app.services.db.webhookEvents.find({}, { type: 1, body: 1 }).lean().catch(unavailable);
      await app.stop();
      await Promise.all([sandbox.stop(), database.stop(), redis.stop()]);
      requireDescribedBodies(events);
    },
  };
}

/** Both APIs of a running service. REST answers are compared with the OpenAPI document. */
export function apisOf(url: string): Pick<TestApp, 'call' | 'graphql'> {
  const call: TestApp['call'] = async (method, path, options = {}) => {
    const answer = await send(url + path, method, options);
    const problem = undeclared(method, path, answer.status);
    if (problem) throw new Error(problem);
    return answer;
  };
  const graphql: TestApp['graphql'] = (query, variables, options = {}) =>
    send(`${url}/graphql`, 'POST', { ...options, body: { query, variables } });
  return { call, graphql };
}

/** A request of `fetch` takes four times the CPU time. */
const client = new Agent();
const usual = { accept: '*/*', 'accept-encoding': 'gzip' };

async function send(url: string, method: string, { key, body, headers, raw }: CallOptions): Promise<Answer> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const own = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const response = await request(url, {
    dispatcher: client,
    method: method as Dispatcher.HttpMethod,
    body: content,
    headers: {
      ...usual,
      ...(key && { authorization: `Bearer ${key}` }),
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...(Object.fromEntries(own) as Record<string, string>),
    },
  });
  const isZipped = response.headers['content-encoding'] === 'gzip';
  const text = isZipped ? gunzipSync(await response.body.bytes()).toString() : await response.body.text();
  return { status: response.statusCode, body: jsonOf(text), headers: headersOf(response.headers) };
}

function headersOf(received: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(received))
    for (const value of [values].flat()) headers.append(name, value);
  return headers;
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
