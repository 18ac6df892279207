import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sha256 } from '../lib/hash.ts';

export interface Check {
  name: string;
  isReady: () => Promise<boolean>;
}

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};

/** Alive answers at once; ready asks the stores that this role cannot do without. */
export async function answerHealth(path: string, response: ServerResponse, checks: Check[]): Promise<void> {
  if (path === '/healthz') return answer(response, 200, { status: 'ok' });
  const results = await Promise.all(checks.map(async (check) => [check.name, await isReady(check)] as const));
  const ready = results.every(([, good]) => good);
  answer(response, ready ? 200 : 503, { status: ready ? 'ready' : 'not_ready', checks: Object.fromEntries(results) });
}

async function isReady(check: Check): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), 2000).unref());
  return Promise.race([check.isReady().catch(() => false), late]);
}

const loopback = /^(::1|127\.|::ffff:127\.)/;

const proxied = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/** Metrics are for whoever holds the token; without one for this machine, unless it passes on what others ask. */
export function maySeeMetrics({ headers, socket }: IncomingMessage, token: string | undefined): boolean {
  if (token !== undefined) return isSame(headers.authorization ?? '', `Bearer ${token}`);
  return loopback.test(socket.remoteAddress ?? '') && !proxied.some((name) => name in headers);
}

const isSame = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
