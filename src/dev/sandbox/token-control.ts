import { Hono, type Context } from 'hono';
import type { Tokens, TokenState } from './tokens.ts';

/** An unparsable body has no options. */
export const optionsIn = async <T>(c: Context): Promise<Partial<T>> =>
  (await c.req.json().catch(() => ({}))) as Partial<T>;

/** Control endpoints that expire, revoke and restore tokens. */
export function tokenControl(tokens: Tokens): Hono {
  const app = new Hono();
  const states: Record<string, TokenState> = { expire: 'expired', invalidate: 'invalid', restore: 'good' };
  const turn = async (c: Context, to: TokenState | undefined): Promise<Response> => {
    const { token = '' } = await optionsIn<{ token: string }>(c);
    if (to && tokens.turn(token, to)) return c.json({ success: true });
    return c.json({ error: 'Specify a known token and one of expire, invalidate and restore' }, 400);
  };
  app.post('/tokens/:state', (c) => turn(c, states[c.req.param('state')]));
  app.post('/refresh-tokens/invalidate', (c) => turn(c, 'invalid'));
  return app;
}
