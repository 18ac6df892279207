import { Hono } from 'hono';
import { inlineHashes, policy } from '../lib/content-policy.ts';

const places = [
  ['/graphql', 'The GraphQL explorer'],
  ['/docs', 'The REST reference'],
  ['/v1/openapi.json', 'Its OpenAPI document'],
  ['/deliveries', 'Webhooks, their health and every delivery'],
  ['/readyz', 'Health of the service and its databases'],
];

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Social publishing and ads API</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 36rem; padding: 2rem 1.5rem; }
h1 { font-size: 1.4rem; line-height: 1.3; } li { margin: .3rem 0; }
</style>
<main>
<h1>Social publishing and ads API</h1>
<ul>
${places.map(([path, what]) => `<li><a href="${path}">${path}</a>: ${what}</li>`).join('\n')}
</ul>
</main>
</html>`;

const headers = {
  'Content-Security-Policy': policy({ 'style-src': inlineHashes(page, 'style'), 'img-src': 'data:' }),
};

/** An overview of the service for visitors with a browser. */
export const createHome = (): Hono => new Hono().get('/', (c) => c.html(page, 200, headers));
