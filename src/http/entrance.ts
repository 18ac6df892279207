import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../contract/error.ts';
import type { KeyVerifier } from '../services/api-keys/verify-api-key.ts';
import { verifyConnectToken } from '../services/connect/connect-grant.ts';
import type { Caller, Ctx, Gate, GatePass, Services } from '../services/context.ts';
import { parseJsonObject, readBody, requireJson } from './body.ts';
import { requestIdOf } from './request-id.ts';

/** What holds for every request before either door. */
export interface Entrance {
  begin: (request: IncomingMessage, response: ServerResponse) => string;
  /** `connects`: a connect token is enough here. */
  admit: (request: IncomingMessage, response: ServerResponse, options?: { connects?: boolean }) => Promise<Ctx>;
  readObject: (request: IncomingMessage) => Promise<Record<string, unknown>>;
  requestId: (response: ServerResponse) => string;
}

export function createEntrance(services: Services, verifier: KeyVerifier, gate: Gate): Entrance {
  const requestId = (response: ServerResponse): string => String(response.getHeader('X-Request-Id') ?? '');
  const byKey = async (authorization: string | undefined, response: ServerResponse): Promise<{ caller: Caller }> => {
    let { caller, keyHash } = await verifier.verify(authorization);
    const pass = await gate.pass(caller.userId, keyHash);
    if (pass.isRevoked) ({ caller, keyHash } = await verifier.verify(authorization, { fresh: true }));
    applyLimit(response, pass);
    return { caller };
  };
  return {
    begin(request, response) {
      const id = requestIdOf(request.headers['x-request-id']);
      response.setHeader('X-Request-Id', id);
      response.setHeader('X-Content-Type-Options', 'nosniff');
      return id;
    },
    async admit(request, response, { connects = false } = {}) {
      const { authorization } = request.headers;
      const token = connects ? request.headers['x-connect-token'] : undefined;
      const guest = token === undefined ? undefined : await verifyConnectToken(services, String(token));
      const holder = guest && authorization === undefined ? guest : await byKey(authorization, response);
      if (holder === guest) applyLimit(response, await gate.pass(holder.caller.userId, guest.hash));
      if (guest && guest.caller.userId !== holder.caller.userId) {
        throw new AppError('insufficient_permissions', 'The connect token and the API key belong to different users');
      }
      const { caller } = holder;
      return { ...services, caller, requestId: requestId(response), idempotencyKey: idempotencyKeyOf(request) };
    },
    async readObject(request) {
      const body = await readBody(request);
      requireJson(request, body);
      return parseJsonObject(body);
    },
    requestId,
  };
}

function applyLimit(response: ServerResponse, { limit, remaining, resetAt, isOver }: GatePass): void {
  response.setHeader('X-RateLimit-Limit', String(limit));
  response.setHeader('X-RateLimit-Remaining', String(remaining));
  response.setHeader('X-RateLimit-Reset', String(resetAt));
  if (!isOver) return;
  const retryAfterSeconds = Math.max(1, resetAt - Math.floor(Date.now() / 1000));
  throw new AppError('rate_limited', `At most ${limit} requests a minute; try again in ${retryAfterSeconds} s`, {
    retryAfterSeconds,
  });
}

function idempotencyKeyOf(request: IncomingMessage): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const param = 'Idempotency-Key';
  const message = 'must be 1 to 255 visible characters without spaces';
  throw new AppError('invalid_field_value', `${param} ${message}`, {
    param,
    details: { fields: { [param]: [message] } },
  });
}
