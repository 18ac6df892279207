import { Hono } from 'hono';
import { accountPlatformOf, ConnectPlatform } from '../contract/connect.ts';
import { handleCallback, type Outcome } from '../services/connect/handle-callback.ts';
import type { Services } from '../services/context.ts';
import { escaped, plainPage, plainPageHeaders } from './plain-page.ts';

/** The OAuth redirect target. It needs no key: the `state` parameter authenticates the request. */
export function connectCallback(services: Services): Hono {
  const app = new Hono({ strict: false });
  app.get('/v1/connect/:platform/callback', async (c) => {
    const platform = ConnectPlatform.safeParse(c.req.param('platform'));
    if (!platform.success) return c.html(plainPage('Unknown platform', ''), 404, plainPageHeaders);
    await services.db.requireAvailable();
    const outcome = await handleCallback(services, accountPlatformOf(platform.data), c.req.query());
    if (outcome.redirect) return c.body(null, 302, { ...plainPageHeaders, Location: outcome.redirect });
    return c.html(outcomePage(outcome), outcome.problem ? 400 : 200, plainPageHeaders);
  });
  return app;
}

/** Without a redirect URL the result is shown in the browser. */
function outcomePage({ problem, account, params }: Outcome): string {
  if (problem)
    return plainPage(
      'Not connected',
      `<p>${escaped(problem.message)}.</p><p><code>${escaped(problem.code)}</code></p>`,
    );
  if (account) return plainPage(`${account.displayName} is connected`, '<p>You can close this window.</p>');
  const values = Object.entries(params).map(
    ([name, value = '']) => `<dt>${name}</dt><dd><code>${escaped(value)}</code></dd>`,
  );
  return plainPage(
    'One more step',
    `<p>Access granted. Now choose what to connect: the application that sent you here continues with these values, within 15 minutes.</p><dl>${values.join('')}</dl>`,
  );
}
