import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, type ErrorCode } from '../contract/error.ts';
import type { Clock } from '../lib/clock.ts';
import type { KeyVerifier, Verified } from '../services/api-keys/verify-api-key.ts';
import { verifyConnectToken } from '../services/connect/connect-grant.ts';
import type { Ctx, RequestLimiter, RateLimitResult, Services } from '../services/context.ts';
import { parseJsonObject, readBody, requireJson } from './body.ts';
import { addRequestFields } from './request-fields.ts';
import { requestIdOf } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';

/** Authentication and rate limiting shared by both APIs. */
export interface Authenticator {
  begin: (request: IncomingMessage, response: ServerResponse) => string;
  /** `connects`: a connect token is sufficient. `units`: the rate limit units of the request, or returns them. */
  authenticate: (
    request: IncomingMessage,
    response: ServerResponse,
    options?: { connects?: boolean; units?: number | (() => number); source?: Ctx['source'] },
  ) => Promise<Ctx>;
  /** Authenticates by the hash of a key verified earlier, for page sessions. */
  authenticateHash: (keyHash: string, response: ServerResponse) => Promise<Ctx>;
  readObject: (request: IncomingMessage) => Promise<Record<string, unknown>>;
  requestId: (response: ServerResponse) => string;
  /** Sets the headers of an error, and adds its code to the log line of the request. */
  onError: (request: IncomingMessage, response: ServerResponse, error: AppError) => void;
}

const fixedHeaders = Object.entries(securityHeaders);

/**
 * What a request adds to the services. All members exist from the start: V8 copies an object with the members that it will have
 * in a fraction of the time that it takes to add them one by one.
 */
const added = {
  caller: undefined,
  charge: undefined,
  charged: undefined,
  requestId: undefined,
  receivedAt: undefined,
  source: undefined,
  idempotencyKey: undefined,
  isFirstAttempt: undefined,
  platformWaitMs: undefined,
  onGone: undefined,
  // The API of GraphQL adds these.
  maxCost: undefined,
  setHeader: undefined,
  onError: undefined,
  requireCapacity: undefined,
  rootFields: undefined,
  document: undefined,
  operation: undefined,
  loaders: undefined,
};

type Verify = (options?: { fresh?: boolean }) => Verified | Promise<Verified>;

export function createAuthenticator(
  services: Services,
  verifier: KeyVerifier,
  requestLimiter: RequestLimiter,
): Authenticator {
  const blank = { ...services, ...added };
  // Members of the services can change after this, so they are copied again.
  const contextOf = (request: Omit<Ctx, keyof Services>): Ctx => ({ ...blank, ...services, ...request });
  const requestId = (response: ServerResponse): string => String(response.getHeader('X-Request-Id') ?? '');
  /** Authenticates the caller and counts the request; looks up a key again if it was marked as revoked. */
  const verifyAndCount = async (
    verify: Verify,
    response: ServerResponse,
    units: number | (() => number) = 1,
  ): Promise<Pick<Ctx, 'caller' | 'charge' | 'charged'>> => {
    const lookUp: typeof verify = (options) => {
      const found = verify(options);
      return found instanceof Promise ? services.db.whileAvailable(found) : found;
    };
    const verified = await lookUp();
    addRequestFields(response, { userId: verified.caller.userId, keyId: verified.caller.keyId });
    const count = (more: number): Promise<RateLimitResult> =>
      requestLimiter.consume(verified.caller.userId, verified.keyHash, more);
    const charged = typeof units === 'number' ? units : units();
    const result = await count(charged);
    const { caller } = result.isRevoked ? await lookUp({ fresh: true }) : verified;
    applyLimit(response, result, services.clock);
    return { caller, charged, charge: async (more) => applyLimit(response, await count(more), services.clock) };
  };
  return {
    begin(request, response) {
      const id = requestIdOf(request.headers['x-request-id']);
      response.setHeader('X-Request-Id', id);
      for (const [name, value] of fixedHeaders) response.setHeader(name, value);
      return id;
    },
    async authenticate(request, response, { connects = false, units, source = 'rest' } = {}) {
      const receivedAt = performance.now();
      forbidCaching(response);
      await services.db.requireAvailable();
      const { authorization } = request.headers;
      const token = connects ? request.headers['x-connect-token'] : undefined;
      const connectCaller = token === undefined ? undefined : await verifyConnectToken(services, String(token));
      const isConnectOnly = connectCaller !== undefined && authorization === undefined;
      const { caller, charge, charged } = await verifyAndCount(
        isConnectOnly
          ? () => ({ caller: connectCaller.caller, keyHash: connectCaller.hash })
          : (options) => verifier.verify(authorization, options),
        response,
        units,
      );
      if (connectCaller && connectCaller.caller.userId !== caller.userId) {
        throw new AppError('insufficient_permissions', 'The connect token and the API key belong to different users');
      }
      return contextOf({
        caller,
        charge,
        charged,
        requestId: requestId(response),
        receivedAt,
        source,
        idempotencyKey: idempotencyKeyOf(request),
      });
    },
    async authenticateHash(keyHash, response) {
      forbidCaching(response);
      await services.db.requireAvailable();
      const authenticated = await verifyAndCount((options) => verifier.verifyHash(keyHash, options), response);
      return contextOf({ ...authenticated, requestId: requestId(response), source: 'browser' });
    },
    async readObject(request) {
      const body = await readBody(request);
      requireJson(request, body);
      return parseJsonObject(body);
    },
    requestId,
    onError(request, response, { code, status, extras: { retryAfterSeconds, allow } }) {
      addRequestFields(response, { errorCode: code });
      if (retryAfterSeconds) response.setHeader('Retry-After', String(Math.ceil(retryAfterSeconds)));
      if (allow) response.setHeader('Allow', allow);
      if (status === 401) response.setHeader('WWW-Authenticate', challengeOf(request, code));
    },
  };
}

/** The challenge of RFC 6750: it has an error only if a token was sent, and that token was rejected. */
const challengeOf = ({ headers: { authorization = '' } }: IncomingMessage, code: ErrorCode): string =>
  code === 'invalid_credentials' && /^Bearer +\S/i.test(authorization) ? 'Bearer error="invalid_token"' : 'Bearer';

/** Responses contain callers' data and secrets that are shown once, so no cache may store them. */
const forbidCaching = (response: ServerResponse): void => void response.setHeader('Cache-Control', 'no-store');

function applyLimit(
  response: ServerResponse,
  { limit, remaining, resetAt, isOver }: RateLimitResult,
  clock: Clock,
): void {
  response.setHeader('X-RateLimit-Limit', String(limit));
  response.setHeader('X-RateLimit-Remaining', String(remaining));
  response.setHeader('X-RateLimit-Reset', String(resetAt));
  if (!isOver) return;
  const retryAfterSeconds = Math.max(1, resetAt - Math.floor(clock.now().getTime() / 1000));
  response.setHeader('Retry-After', String(retryAfterSeconds));
  throw new AppError(
    'rate_limited',
    `The rate limit of ${limit} units per minute is exceeded; try again in ${retryAfterSeconds} s`,
    {
      retryAfterSeconds,
    },
  );
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
