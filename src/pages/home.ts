import { Hono } from 'hono';
import { html } from 'hono/html';
import { policy } from '../lib/content-policy.ts';
import { fixed } from './fixed.ts';
import { frame } from './layout.ts';

const places = [
  ['/ads', 'Figures of your ads by day and campaign'],
  ['/deliveries', 'Webhooks, their health and every delivery'],
  ['/stops', 'Emergency stops and their progress'],
  ['/docs', 'The REST reference'],
  ['/v1/openapi.json', 'Its OpenAPI document'],
  ['/graphql', 'The GraphQL explorer'],
  ['/readyz', 'Health of the service and its databases'],
];

const title = 'Social publishing and ads API';
const page = frame(
  { title, path: '/' },
  html`<h1>${title}</h1>
    <ul>
      ${places.map(([path, what]) => html`<li><a href="${path}">${path}</a>: ${what}</li>`)}
    </ul>`,
);

const headers = { 'Content-Security-Policy': policy({ 'style-src': "'self'", 'img-src': 'data:' }) };

/** An overview of the service for visitors with a browser. */
export const createHome = (): Hono =>
  new Hono().get(
    '/',
    fixed('text/html; charset=utf-8', () => String(page), headers),
  );
