import type { IncomingMessage, ServerResponse } from 'node:http';
import { Hono } from 'hono';
import type { Services } from '../services/context.ts';
import { answerPageError } from './answer-error.ts';
import { connectCallback } from './connect-callback.ts';
import { createAds } from './ads/index.ts';
import { createDeliveries } from './deliveries/index.ts';
import { createDocs } from './docs.ts';
import { fixed } from './fixed.ts';
import { createHome } from './home.ts';
import { rejectOtherMethods } from './other-methods.ts';
import type { SessionOptions } from './session.ts';
import { createStops } from './stops/index.ts';
import { css } from './style.ts';

interface Bindings {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse };
}

export interface SiteOptions {
  authenticator: SessionOptions['authenticator'];
  services: Services;
  encrypter: SessionOptions['encrypter'];
  openApi: () => object;
  /** The GraphQL schema as text; undefined if introspection is disabled. */
  graphqlSchema?: () => string;
  /** Handles paths that no page handles, with its own 404. */
  rest: Hono<Bindings>;
}

/**
 * HEAD runs as GET, and Node sends no body. For HEAD, Hono builds a second response from that of GET, which fails and closes the
 * connection if the operation has already sent its own.
 */
const asGet = (request: Request): Request =>
  request.method === 'HEAD' ? new Request(request.url, { headers: request.headers }) : request;

/** All pages and the REST endpoints as one application. */
export function createSite(options: SiteOptions): { fetch: Hono<Bindings>['fetch'] } {
  const { authenticator, services, encrypter, openApi, graphqlSchema, rest } = options;
  const { log } = services;
  const documents = new Hono();
  if (graphqlSchema) documents.get('/schema.graphql', fixed('application/graphql; charset=utf-8', graphqlSchema));
  const site = new Hono<Bindings>({ strict: false })
    .onError(answerPageError({ authenticator, log }))
    .get('/style.css', (c) => {
      c.header('Cache-Control', 'public, max-age=31536000, immutable');
      return c.body(css, 200, { 'Content-Type': 'text/css; charset=utf-8' });
    })
    .route('/', documents)
    .route('/', createHome())
    .route('/', createDocs(openApi))
    .route('/', createAds({ authenticator, encrypter, services }))
    .route('/', createDeliveries({ authenticator, encrypter, services }))
    .route('/', createStops({ authenticator, encrypter, services }))
    .route('/', connectCallback(services));
  rejectOtherMethods(site);
  const { fetch } = site.route('/', rest);
  return { fetch: (request, ...more) => fetch(asGet(request), ...more) };
}
