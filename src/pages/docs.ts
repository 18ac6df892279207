import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Hono } from 'hono';
import { inlineHashes, policy } from '../lib/content-policy.ts';
import { fixed } from './fixed.ts';
import { navigationHeader, navigationStyle } from './navigation.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>REST API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>body { margin: 0; } noscript { display: block; padding: 1rem; font-family: system-ui, sans-serif; } ${navigationStyle}</style>
<script>
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
</script>
</head>
<body>
${navigationHeader('/docs')}
<main id="ui"></main>
<noscript>This page needs JavaScript. The document that it shows is <a href="/v1/openapi.json">/v1/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script>SwaggerUIBundle({ url: '/v1/openapi.json', dom_id: '#ui', persistAuthorization: false, validatorUrl: null })</script>
</body>
</html>`;

const headers = {
  'Content-Security-Policy': policy({
    'script-src': `'self' ${inlineHashes(page, 'script')}`,
    'style-src': "'self' 'unsafe-inline'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
  }),
};

const types: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** The REST reference; served without external resources. */
export function createDocs(openApi: () => object): Hono {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const app = new Hono();
  app.get(
    '/v1/openapi.json',
    fixed('application/json', () => JSON.stringify(openApi())),
  );
  app.get(
    '/docs',
    fixed('text/html; charset=utf-8', () => page, headers),
  );
  for (const [name, type] of Object.entries(types)) {
    app.get(
      `/docs/${name}`,
      fixed(type, () => readFileSync(join(folder, name))),
    );
  }
  return app;
}
