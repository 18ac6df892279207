import type { IncomingMessage, ServerResponse } from 'node:http';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { ObjectId } from '../../contract/common.ts';
import {
  ListDeliveriesInput,
  RedeliverInput,
  TestWebhookInput,
  type RedeliverPayload,
  type TestWebhookPayload,
} from '../../contract/delivery.ts';
import { AppError } from '../../contract/error.ts';
import { parseInput } from '../../contract/parse.ts';
import { sha256 } from '../../lib/hash.ts';
import type { Encrypter } from '../../lib/encryption.ts';
import { parseAddress } from '../../lib/web-address.ts';
import { runOperation, type Operation } from '../../operations/operation.ts';
import { redeliverOperation, testWebhookOperation } from '../../operations/webhooks.ts';
import { requireFullScope, requireWrite } from '../../services/access.ts';
import type { Ctx, Services } from '../../services/context.ts';
import { findDelivery } from '../../services/webhooks/find-delivery.ts';
import { webhookHealth } from '../../services/webhooks/webhook-health.ts';
import { beginPageSession, endPageSession, isPageSessionOpen } from '../../services/page-sessions.ts';
import { listWebhooks } from '../../services/webhooks/find-webhook.ts';
import { listDeliveries } from '../../services/webhooks/list-deliveries.ts';
import { deliveryPage } from './delivery-view.ts';
import { signInPage, errorPage } from './layout.ts';
import { logPage } from './log-view.ts';
import { personOf } from './parts.ts';
import { cookieName, isToken, newSession, openSession, encryptSession, type Session } from './session.ts';
import { css } from './style.ts';
import { logCause, toAppError } from '../../services/unexpected-error.ts';

export interface DeliveriesOptions {
  authenticator: {
    authenticateHash: (keyHash: string, response: ServerResponse) => Promise<Ctx>;
    requestId: (response: ServerResponse) => string;
  };
  /** Decrypts cookies; a cookie that fails to decrypt is no session. */
  encrypter: Encrypter;
  services: Services;
}

interface Env {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse };
  /** Set after the session is verified. */
  Variables: { session: Session; ctx: Ctx };
}

type Form = Record<string, unknown>;

const policy =
  "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const maxFormBytes = 16 * 1024;
const cookiePath = '/deliveries';

/** The delivery log for people: server-rendered, one encrypted cookie, no script. */
export function createDeliveries(options: DeliveriesOptions): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  app.use('/deliveries/*', async (c, next) => {
    c.header('Content-Security-Policy', policy);
    c.header('Referrer-Policy', 'same-origin');
    c.header('Cache-Control', 'no-store');
    await next();
  });
  app.use('/deliveries/*', bodyLimit({ maxSize: maxFormBytes, onError: tooLarge }));
  app.get('/deliveries/style.css', (c) => {
    c.header('Cache-Control', 'public, max-age=31536000, immutable');
    return c.body(css, 200, { 'Content-Type': 'text/css; charset=utf-8' });
  });
  app.onError((cause, c) => sendErrorPage(c, cause, options));
  addEntry(app, options);
  addViews(app);
  addButtons(app);
  app.all('/deliveries/*', () => {
    throw new AppError('route_not_found', 'Page not found');
  });
  return app;
}

const tooLarge = (): never => {
  throw new AppError('body_too_large', 'The form body is too large');
};

/** Login, logout and the session check. */
function addEntry(app: Hono<Env>, options: DeliveriesOptions): void {
  const { authenticator, encrypter, services } = options;
  const { clock, publicUrl } = services;
  app.post('/deliveries/login', async (c) => {
    requireOwnForm(c, publicUrl);
    const { key } = await readForm(c);
    const keyHash = sha256(typeof key === 'string' ? key.trim() : '');
    const ctx = await authenticator.authenticateHash(keyHash, c.env.outgoing);
    requireFullScope(ctx);
    const begun = await beginPageSession(ctx);
    const session = newSession(begun, { keyId: ctx.caller.keyId, keyHash });
    setCookie(c, cookieName, encryptSession(encrypter, session), {
      path: cookiePath,
      httpOnly: true,
      sameSite: 'Strict',
      secure: publicUrl.startsWith('https:'),
      maxAge: Math.ceil((session.until - clock.now().getTime()) / 1000),
    });
    return c.redirect('/deliveries', 303);
  });
  app.use('/deliveries/*', async (c, next) => {
    await services.db.requireAvailable();
    const session = openSession(encrypter, getCookie(c, cookieName), clock.now());
    if (!session || !(await isPageSessionOpen(services, session.id)))
      return c.html(signInPage(), c.req.path === '/deliveries' ? 200 : 401);
    if (c.req.method === 'POST') {
      requireOwnForm(c, publicUrl);
      const { token } = await readForm(c);
      if (!isToken(session, token)) throw foreignForm();
    }
    c.set('session', session);
    c.set('ctx', await authenticator.authenticateHash(session.keyHash, c.env.outgoing));
    return next();
  });
  app.post('/deliveries/logout', async (c) => {
    await endPageSession(services, c.var.session.id);
    deleteCookie(c, cookieName, { path: cookiePath });
    return c.redirect('/deliveries', 303);
  });
}

function addViews(app: Hono<Env>): void {
  app.get('/deliveries', async (c) => {
    const { session, ctx } = c.var;
    // A repeated filter stays a list, which the contract rejects.
    const asked = Object.entries(c.req.queries())
      .map(([name, values]) => [name, values.filter((value) => value !== '')] as const)
      .filter(([, values]) => values.length > 0)
      .map(([name, values]) => [name, values.length === 1 ? values[0] : values]);
    const filter = parseInput(ListDeliveriesInput, Object.fromEntries(asked));
    const [{ webhooks }, result] = await Promise.all([listWebhooks(ctx), listDeliveries(ctx, filter)]);
    const health = await webhookHealth(
      ctx,
      webhooks.map(({ _id }) => _id),
    );
    return c.html(logPage({ caller: ctx.caller, session }, { webhooks, health, filter, result }));
  });
  app.get('/deliveries/:id', async (c, next) => {
    const { session, ctx } = c.var;
    const id = ObjectId.safeParse(c.req.param('id'));
    if (!id.success) return next();
    const [delivery, { webhooks }] = await Promise.all([findDelivery(ctx, id.data), listWebhooks(ctx)]);
    const webhook = webhooks.find(({ _id }) => _id === delivery.webhookId);
    return c.html(deliveryPage({ caller: ctx.caller, session }, delivery, webhook));
  });
}

function addButtons(app: Hono<Env>): void {
  app.post('/deliveries/redeliver', async (c) => {
    const { webhookId, eventId, once } = await readForm(c);
    const input = parseInput(RedeliverInput, { webhookId, eventId });
    const { delivery } = await press<RedeliverPayload>(c, { operation: redeliverOperation, input, once });
    return c.redirect(`/deliveries/${delivery._id}`, 303);
  });
  app.post('/deliveries/test', async (c) => {
    const { webhookId, once } = await readForm(c);
    const input = parseInput(TestWebhookInput, { webhookId });
    const { delivery } = await press<TestWebhookPayload>(c, { operation: testWebhookOperation, input, once });
    return c.redirect(`/deliveries/${delivery._id}`, 303);
  });
}

/** A body that is not a form is a 400; a body over the limit keeps its own error. */
const readForm = (c: Context<Env>): Promise<Form> =>
  c.req.parseBody().catch((error: unknown) => {
    if (error instanceof TypeError) throw new AppError('malformed_request', 'The body is not a valid form');
    throw error;
  });

interface Pressed {
  operation: Operation;
  input: object;
  /** Id of the rendered form: a second submission of it returns the first result. */
  once: unknown;
}

async function press<T>(c: Context<Env>, { operation, input, once }: Pressed): Promise<T> {
  const { ctx } = c.var;
  requireWrite(ctx);
  const idempotencyKey = `page-${parseInput(ObjectId, once)}`;
  await ctx.charge?.(operation.weight - 1);
  return (await runOperation({ ...ctx, idempotencyKey }, operation, input)).value as T;
}

const foreignForm = (): AppError =>
  new AppError(
    'insufficient_permissions',
    'This form is invalid or from an earlier session. Reload the page and try again.',
  );

/** Checks the Origin and Sec-Fetch-Site headers; a client that sends neither is checked by its token alone. */
function requireOwnForm(c: Context<Env>, publicUrl: string): void {
  const [site, origin] = [c.req.header('sec-fetch-site'), c.req.header('origin')];
  if (site !== undefined) {
    if (site !== 'same-origin' && site !== 'none') throw foreignForm();
    return;
  }
  if (origin === undefined) return;
  const hosts = [c.req.header('host'), new URL(publicUrl).host];
  const from = parseAddress(origin);
  if (!from || !hosts.includes(from.host)) throw foreignForm();
}

/** An invalid key ends the session; other errors are shown on the page. */
function sendErrorPage(
  c: Context<Env>,
  cause: Error,
  { authenticator, services: { log } }: DeliveriesOptions,
): Response | Promise<Response> {
  const error = toAppError(cause);
  const requestId = authenticator.requestId(c.env.outgoing);
  logCause(log, error, requestId);
  if (error.extras.retryAfterSeconds) c.header('Retry-After', String(Math.ceil(error.extras.retryAfterSeconds)));
  const isSigningIn = c.req.path === '/deliveries/login';
  if (error.status === 401) {
    deleteCookie(c, cookieName, { path: cookiePath });
    const ended = 'The session has ended because its API key has expired or was revoked.';
    return c.html(signInPage(isSigningIn ? error.message : ended), 401);
  }
  if (isSigningIn) return c.html(signInPage(error.message), error.status as 403);
  const { ctx, session } = c.var;
  const person = ctx && session && personOf({ caller: ctx.caller, session });
  return c.html(errorPage(error.message, person), error.status as 400);
}
