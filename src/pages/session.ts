import type { IncomingMessage, ServerResponse } from 'node:http';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { AppError } from '../contract/error.ts';
import { sha256 } from '../lib/hash.ts';
import type { Encrypter } from '../lib/encryption.ts';
import { parseAddress } from '../lib/web-address.ts';
import { requireFullScope } from '../services/access.ts';
import type { Ctx, Services } from '../services/context.ts';
import { beginPageSession, endPageSession, isPageSessionOpen } from '../services/page-sessions.ts';
import { logCause, toAppError } from '../services/unexpected-error.ts';
import { setErrorHeaders } from './answer-error.ts';
import { errorPage, signInPage, type Place, type Viewer } from './layout.ts';
import { rejectOtherMethods } from './other-methods.ts';
import {
  cookieName,
  cookiePath,
  encryptSession,
  isToken,
  newSession,
  openSession,
  sessionUses,
} from './session-cookie.ts';

export interface SessionOptions {
  authenticator: {
    authenticateHash: (keyHash: string, response: ServerResponse) => Promise<Ctx>;
    requestId: (response: ServerResponse) => string;
  };
  /** Decrypts cookies; a cookie that fails to decrypt is no session. */
  encrypter: Encrypter;
  services: Services;
}

export interface PageEnv {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse };
  /** Set after the session is verified. */
  Variables: { viewer: Viewer; ctx: Ctx };
}

type Form = Record<string, unknown>;

const policy =
  "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const maxFormBytes = 16 * 1024;

/** A page behind a login: an encrypted cookie of its own path, no script. `addRoutes` adds what a session can reach. */
export function createSignedInPage(
  options: SessionOptions,
  place: Place,
  addRoutes: (app: Hono<PageEnv>) => void,
): Hono<PageEnv> {
  const below = `${place.path}/*`;
  const app = new Hono<PageEnv>({ strict: false });
  app.use(below, async (c, next) => {
    c.header('Content-Security-Policy', policy);
    c.header('Referrer-Policy', 'same-origin');
    c.header('Cache-Control', 'no-store');
    await next();
  });
  app.use(below, bodyLimit({ maxSize: maxFormBytes, onError: tooLarge }));
  app.onError((cause, c) => sendErrorPage(c, cause, { options, place }));
  addEntry(app, options, place);
  addRoutes(app);
  rejectOtherMethods(app);
  app.all(below, () => {
    throw new AppError('route_not_found', 'Page not found');
  });
  return app;
}

const tooLarge = (): never => {
  throw new AppError('body_too_large', 'The form body is too large');
};

/** Login, logout and the session check. */
function addEntry(app: Hono<PageEnv>, options: SessionOptions, place: Place): void {
  const { authenticator, encrypter, services } = options;
  const { clock, publicUrl } = services;
  const { use, path } = place;
  app.post(`${path}/login`, async (c) => {
    requireOwnForm(c, publicUrl);
    const { key } = await readForm(c);
    const keyHash = sha256(typeof key === 'string' ? key.trim() : '');
    const ctx = await authenticator.authenticateHash(keyHash, c.env.outgoing);
    requireFullScope(ctx);
    const begun = await beginPageSession(ctx);
    const session = newSession(begun, { keyId: ctx.caller.keyId, keyHash });
    const attributes = {
      httpOnly: true,
      sameSite: 'Strict',
      secure: publicUrl.startsWith('https:'),
      maxAge: Math.ceil((session.until - clock.now().getTime()) / 1000),
    } as const;
    for (const one of [use, ...sessionUses.filter((other) => other !== use)])
      setCookie(c, cookieName(one), encryptSession(encrypter, one, session), { ...attributes, path: cookiePath(one) });
    return c.redirect(path, 303);
  });
  app.use(`${path}/*`, async (c, next) => {
    await services.db.requireAvailable();
    const session = openSession(encrypter, { use, cookie: getCookie(c, cookieName(use)), now: clock.now() });
    if (!session || !(await services.db.whileAvailable(isPageSessionOpen(services, session.id))))
      return c.html(signInPage(place), c.req.path === path ? 200 : 401);
    if (c.req.method === 'POST') {
      requireOwnForm(c, publicUrl);
      const { token } = await readForm(c);
      if (!isToken(session, token)) throw foreignForm();
    }
    const ctx = await authenticator.authenticateHash(session.keyHash, c.env.outgoing);
    requireFullScope(ctx);
    c.set('ctx', ctx);
    c.set('viewer', { place, caller: ctx.caller, session });
    return next();
  });
  app.post(`${path}/logout`, async (c) => {
    await endPageSession(services, c.var.viewer.session.id);
    for (const one of sessionUses) deleteCookie(c, cookieName(one), { path: cookiePath(one) });
    return c.redirect(path, 303);
  });
}

/** A body that is not a form is a 400; a body over the limit keeps its own error. */
export const readForm = (c: Context<PageEnv>): Promise<Form> =>
  c.req.parseBody().catch((error: unknown) => {
    if (error instanceof TypeError) throw new AppError('malformed_request', 'The body is not a valid form');
    throw error;
  });

const foreignForm = (): AppError =>
  new AppError(
    'insufficient_permissions',
    'This form is invalid or from an earlier session. Reload the page and try again.',
  );

/** Checks the Origin and Sec-Fetch-Site headers; a client that sends neither is checked by its token alone. */
function requireOwnForm(c: Context<PageEnv>, publicUrl: string): void {
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
  c: Context<PageEnv>,
  cause: Error,
  { options: { authenticator, services }, place }: { options: SessionOptions; place: Place },
): Response | Promise<Response> {
  const error = toAppError(cause);
  logCause(services.log, error, authenticator.requestId(c.env.outgoing));
  setErrorHeaders(c, error);
  const isSigningIn = c.req.path === `${place.path}/login`;
  // A token that a platform rejects is a 401 too, and ends no session.
  if (error.status === 401 && !c.var.viewer) {
    deleteCookie(c, cookieName(place.use), { path: place.path });
    const ended = 'The session has ended because its API key has expired or was revoked.';
    return c.html(signInPage(place, isSigningIn ? error.message : ended), 401);
  }
  if (isSigningIn) return c.html(signInPage(place, error.message), error.status as 403);
  return c.html(errorPage(place, error.message, { path: c.req.path, viewer: c.var.viewer }), error.status as 400);
}
