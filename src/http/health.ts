import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../contract/error.ts';
import { sha256 } from '../lib/hash.ts';
import { isLocalRequest } from './local-request.ts';

export interface Check {
  name: string;
  isReady: () => Promise<boolean>;
}

export interface Health {
  checks: Check[];
  onFailure: (error: unknown, check: string) => void;
  /** What an operator should change; does not affect readiness. */
  warnings: () => string[];
  /** The process is stopping: it is not ready, and responses ask clients to close their connections. */
  isDraining: () => boolean;
}

const send = (response: ServerResponse, status: number, body: object): void => {
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    .end(JSON.stringify(body));
};

/** Liveness responds immediately; readiness checks the databases that this role requires. */
export async function sendHealth(path: string, response: ServerResponse, health: Health): Promise<void> {
  const { checks, warnings, isDraining, onFailure } = health;
  if (path === '/healthz') return send(response, 200, { status: 'ok' });
  if (isDraining()) return send(response, 503, { status: 'draining', checks: {}, warnings: warnings() });
  const results = await Promise.all(
    checks.map(async (check) => [check.name, await isReady(check, onFailure)] as const),
  );
  const ready = results.every(([, good]) => good);
  const status = ready ? 'ready' : 'not_ready';
  send(response, ready ? 200 : 503, { status, checks: Object.fromEntries(results), warnings: warnings() });
}

async function isReady(check: Check, onFailure: Health['onFailure']): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), 2000).unref());
  const answer = check.isReady().catch((error: unknown) => {
    onFailure(error, check.name);
    return false;
  });
  return Promise.race([answer, late]);
}

export interface MetricsAccess {
  token?: string;
  isProduction: boolean;
}

/** Metrics require the token. Without a configured token they are closed in production and local-only otherwise. */
export function requireMetricsAccess(request: IncomingMessage, { token, isProduction }: MetricsAccess): void {
  const { authorization = '' } = request.headers;
  const isOpen =
    token === undefined ? !isProduction && isLocalRequest(request) : isSame(authorization, `Bearer ${token}`);
  if (isOpen) return;
  const message =
    token === undefined
      ? 'Metrics are not available here until METRICS_TOKEN is set'
      : 'Metrics require the METRICS_TOKEN: send Authorization: Bearer TOKEN';
  throw new AppError('invalid_credentials', message);
}

const isSame = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
