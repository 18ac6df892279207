import { foundCampaignsControl } from '../found-campaigns.ts';
import { Hono } from 'hono';
import { connectionOf } from '../oauth/auth-server.ts';
import { optionsIn, tokenControl } from '../oauth/token-control.ts';
import { addFoundCampaigns } from './found.ts';
import { authorize, callbackOf, issueSigning, createPerson } from './people.ts';
import { show } from './serialize.ts';
import type { AdAccount, Kind, Settings, SandboxState } from './state.ts';

/** Creates users with ad accounts, as after consent, and sets error conditions. */
export function createControl(sandbox: SandboxState): Hono {
  const app = new Hono();
  app.post('/connections', async (c) => c.json(connect(sandbox, await optionsIn<Record<string, unknown>>(c))));
  app.route('/', tokenControl(sandbox.tokens));
  app.post('/verifiers', async (c) => {
    const { requestToken = '', personId = '', name = 'Shop' } = await optionsIn<Record<string, string>>(c);
    const agreed = authorize(
      sandbox,
      requestToken,
      () => (sandbox.people.get(personId) ?? createPerson(sandbox, { name }).person).id,
    );
    if (!agreed) return c.json({ error: 'Specify a request token that is not yet authorised' }, 400);
    return c.json({ verifier: agreed.verifier, userId: agreed.userId, callback: callbackOf(agreed) });
  });
  app.post('/accounts/:id', async (c) => {
    const known = sandbox.accounts.get(c.req.param('id'));
    if (!known) return c.json({ error: 'Specify a known account' }, 400);
    const { approvalStatus, timezone = known.timezone, userId = known.userId } = await optionsIn<Partial<AdAccount>>(c);
    sandbox.accounts.put(known.id, { ...known, approvalStatus, timezone, userId });
    return c.json({ success: true });
  });
  app.route(
    '/',
    foundCampaignsControl({
      account: (id) => sandbox.accounts.get(id),
      add: (account) => addFoundCampaigns(sandbox, account),
    }),
  );
  app.post('/settings', async (c) =>
    c.json(Object.assign(sandbox.settings, known(await optionsIn<Record<string, unknown>>(c)))),
  );
  app.route('/', sandbox.figures.control);
  app.get('/objects', (c) => {
    const kind = c.req.query('type') as Kind | undefined;
    const things = sandbox.things.all().filter((thing) => !kind || thing.kind === kind);
    return c.json({ objects: things.map((thing) => show(sandbox, thing)) });
  });
  return app;
}

/** Keeps only known settings of the right type. */
const known = (given: Record<string, unknown>): Partial<Settings> => {
  const types = {
    hasAdsAccess: 'boolean',
    isRateEnforced: 'boolean',
    activeCampaigns: 'number',
    activeLineItems: 'number',
    readsOfJobs: 'number',
    outcomeOfJobs: 'string',
  };
  return Object.fromEntries(
    Object.entries(types).flatMap(([name, type]) => (typeof given[name] === type ? [[name, given[name]]] : [])),
  );
};

function connect(
  sandbox: SandboxState,
  { name = 'Shop', currencies = ['USD'] }: { name?: string; currencies?: string[] },
): object {
  const { person, adAccounts } = createPerson(sandbox, { name, currencies });
  const pair = issueSigning(sandbox, person.id);
  const { userId, username, name: personName, ...posting } = connectionOf(sandbox, person, {});
  return {
    userId,
    name: personName,
    username,
    accessToken: pair.token,
    accessTokenSecret: pair.secret,
    posting,
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
