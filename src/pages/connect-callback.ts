import { Hono } from 'hono';
import { accountPlatformOf, ConnectPlatform } from '../contract/connect.ts';
import { finishConnect, type Outcome } from '../services/connect/finish-connect.ts';
import type { Services } from '../services/context.ts';

const headers = {
  'Cache-Control': 'no-store',
  // What stands in this address must not travel on to the next.
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

/** Where platforms send the browser back. It is open to everybody: what counts is the state that was given out. */
export function connectCallback(services: Services): Hono {
  const app = new Hono({ strict: false });
  app.get('/v1/connect/:platform/callback', async (c) => {
    const platform = ConnectPlatform.safeParse(c.req.param('platform'));
    if (!platform.success) return c.html(page('There is no such platform', ''), 404, headers);
    const outcome = await finishConnect(services, accountPlatformOf(platform.data), c.req.query());
    if (outcome.redirect) return c.body(null, 302, { ...headers, Location: outcome.redirect });
    return c.html(told(outcome), outcome.problem ? 400 : 200, headers);
  });
  return app;
}

/** Nobody named a place to go on to: the browser itself is told. */
function told({ problem, account, params }: Outcome): string {
  if (problem)
    return page('Not connected', `<p>${escaped(problem.message)}.</p><p><code>${escaped(problem.code)}</code></p>`);
  if (account) return page(`${account.displayName} is connected`, '<p>You can close this window.</p>');
  const shown = Object.entries(params).map(
    ([name, value = '']) => `<dt>${name}</dt><dd><code>${escaped(value)}</code></dd>`,
  );
  return page(
    'One more step',
    `<p>You agreed. Now choose what to connect: the application that sent you here goes on with these values, within 15 minutes.</p><dl>${shown.join('')}</dl>`,
  );
}

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => marks[mark] ?? mark);

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; }
main { width: min(36rem, 100%); }
h1 { font-size: 1.4rem; line-height: 1.3; }
dt { font-weight: 600; } dd { margin: 0 0 .6rem; } code { overflow-wrap: anywhere; }
`;

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${style}</style></head><body><main><h1>${escaped(title)}</h1>${content}</main></body></html>`;
