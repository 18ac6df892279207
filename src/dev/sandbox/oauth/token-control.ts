import { Hono, type Context } from 'hono';
import type { Tokens, TokenState } from './tokens.ts';

/** An unparsable body has no options. */
export const optionsIn = async <T>(c: Context): Promise<Partial<T>> =>
  (await c.req.json().catch(() => ({}))) as Partial<T>;

const states = new Map<string, TokenState>([
  ['expire', 'expired'],
  ['invalidate', 'invalid'],
  ['restore', 'good'],
]);

/** Control endpoints that expire, revoke and restore tokens. */
export function tokenControl({ turn }: Pick<Tokens, 'turn'>): Hono {
  const app = new Hono();
  app.post('/:kind{(refresh-)?tokens}/:state', async (c) => {
    const { token = '' } = await optionsIn<{ token: string }>(c);
    const to = states.get(c.req.param('state'));
    if (to && turn(token, to)) return c.json({ success: true });
    return c.json({ error: 'Specify a known token and one of expire, invalidate and restore' }, 400);
  });
  return app;
}
