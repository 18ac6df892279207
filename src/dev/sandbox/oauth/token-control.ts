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

/** Control endpoints that expire, revoke and restore tokens, and set when they end. */
export function tokenControl({ turn, endIn }: Pick<Tokens, 'turn' | 'endIn'>): Hono {
  const app = new Hono();
  app.post('/:kind{(refresh-)?tokens}/:state', async (c) => {
    const { token = '', seconds } = await optionsIn<{ token: string; seconds: number }>(c);
    const state = c.req.param('state');
    const to = states.get(state);
    const isDone = state === 'end' ? typeof seconds === 'number' && endIn(token, seconds) : to && turn(token, to);
    if (isDone) return c.json({ success: true });
    return c.json({ error: 'Specify a known token and one of expire, invalidate, restore and end (seconds)' }, 400);
  });
  return app;
}
