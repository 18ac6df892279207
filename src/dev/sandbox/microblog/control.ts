import { Hono, type Context } from 'hono';
import { addFoundCampaigns } from './found.ts';
import { authorize, bearerSeconds, callbackOf, issueBearer, issueSigning, createPerson } from './people.ts';
import { show } from './serialize.ts';
import type { Kind, Settings, Token, SandboxState } from './state.ts';

/** Creates users with ad accounts, as after consent, and sets error conditions. */
export function createControl(sandbox: SandboxState): Hono {
  const app = new Hono();
  app.post('/connections', async (c) => c.json(connect(sandbox, await bodyOf(c))));
  app.post('/tokens/:state', async (c) => {
    const { token = '' } = await bodyOf<{ token?: string }>(c);
    const states: Record<string, Token['state']> = { expire: 'expired', invalidate: 'invalid', restore: 'good' };
    return turn(c, sandbox, { token, state: states[c.req.param('state')] });
  });
  app.post('/refresh-tokens/invalidate', async (c) => {
    const { token = '' } = await bodyOf<{ token?: string }>(c);
    return turn(c, sandbox, { token, state: 'invalid' });
  });
  app.post('/verifiers', async (c) => {
    const { requestToken = '', personId, name = 'Shop' } = await bodyOf<Record<string, string>>(c);
    const agreed = authorize(sandbox, requestToken, { personId, name });
    if (!agreed) return c.json({ error: 'Specify a request token that is not yet authorised' }, 400);
    return c.json({ verifier: agreed.verifier, userId: agreed.userId, callback: callbackOf(agreed) });
  });
  app.post('/accounts/:id', async (c) => {
    const known = sandbox.accounts.get(c.req.param('id'));
    if (!known) return c.json({ error: 'Specify a known account' }, 400);
    const { approvalStatus } = await bodyOf<{ approvalStatus?: string }>(c);
    sandbox.accounts.put(known.id, { ...known, approvalStatus });
    return c.json({ success: true });
  });
  app.post('/found-campaigns', async (c) => {
    const account = sandbox.accounts.get((await bodyOf<{ adAccountId?: string }>(c)).adAccountId ?? '');
    if (!account) return c.json({ error: 'Specify a known adAccountId' }, 400);
    return c.json({ campaigns: addFoundCampaigns(sandbox, account) });
  });
  app.post('/settings', async (c) => c.json(Object.assign(sandbox.settings, known(await bodyOf(c)))));
  app.get('/objects', (c) => {
    const kind = c.req.query('type') as Kind | undefined;
    const things = sandbox.things.all().filter((thing) => !kind || thing.kind === kind);
    return c.json({ objects: things.map((thing) => show(sandbox, thing)) });
  });
  return app;
}

const bodyOf = async <T = Record<string, unknown>>(c: Context): Promise<T> =>
  (await c.req.json().catch(() => ({}))) as T;

/** Keeps only known settings of the right type. */
const known = (given: Record<string, unknown>): Partial<Settings> => {
  const types = {
    hasAdsAccess: 'boolean',
    isRateEnforced: 'boolean',
    activeCampaigns: 'number',
    activeLineItems: 'number',
  };
  return Object.fromEntries(
    Object.entries(types).flatMap(([name, type]) => (typeof given[name] === type ? [[name, given[name]]] : [])),
  );
};

function turn(
  c: Context,
  sandbox: SandboxState,
  { token, state }: { token: string; state: Token['state'] | undefined },
): Response {
  const found = sandbox.tokens.get(token);
  if (!found || !state)
    return c.json({ error: 'Specify a known token and one of expire, invalidate and restore' }, 400);
  sandbox.tokens.put(token, { ...found, state });
  return c.json({ success: true });
}

function connect(
  sandbox: SandboxState,
  { name = 'Shop', currencies = ['USD'] }: { name?: string; currencies?: string[] },
): object {
  const { person, adAccounts } = createPerson(sandbox, { name, currencies });
  const pair = issueSigning(sandbox, person.id);
  return {
    userId: person.id,
    name: person.name,
    username: person.username,
    accessToken: pair.token,
    accessTokenSecret: pair.secret,
    posting: { ...issueBearer(sandbox, { userId: person.id }), expiresIn: bearerSeconds },
    adAccounts: adAccounts.map(({ id, name: title, currency, timezone, webEventTagId, audiences }) => ({
      id,
      name: title,
      currency,
      timezone,
      webEventTagId,
      audienceId: audiences.find(({ isTargetable }) => isTargetable)?.id,
    })),
  };
}
