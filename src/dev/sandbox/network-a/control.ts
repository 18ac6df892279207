import { Hono } from 'hono';
import { foundCampaignsControl } from '../found-campaigns.ts';
import { optionsIn, tokenControl } from '../oauth/token-control.ts';
import type { InsightSetting } from './insights.ts';
import type { RunSetting } from './report-runs.ts';
import type { AppSetting, CopyLimit, GraphObject, SandboxState } from './state.ts';
import { createPerson, type PersonOptions } from './people.ts';
import { addFoundCampaigns, seed, type CampaignTrees } from './seeds.ts';
import { usual, type UsageSetting } from './usage.ts';

/** Creates users with pages and ad accounts, as after consent, and seeds their campaigns. */
export function createControl(sandbox: SandboxState): Hono {
  const app = new Hono();
  app.post('/connections', async (c) => c.json(connect(sandbox, await optionsIn<PersonOptions>(c))));
  app.route('/', tokenControl(sandbox.tokens));
  app.get('/objects', (c) => {
    const kind = c.req.query('type') as GraphObject['kind'] | undefined;
    return c.json({ objects: sandbox.objects.all().filter((object) => !kind || object.kind === kind) });
  });
  app.post('/objects/:id', async (c) => {
    const known = sandbox.objects.get(c.req.param('id'));
    if (!known) return c.json({ error: 'Specify a known object' }, 400);
    sandbox.objects.put(known.id, { ...known, fields: { ...known.fields, ...(await optionsIn<object>(c)) } });
    return c.json({ success: true });
  });
  app.post('/campaigns', async (c) => {
    const answer = seed(sandbox, await optionsIn<CampaignTrees>(c));
    return answer
      ? c.json(answer)
      : c.json({ error: 'Specify the adAccountId of a known account, and campaigns' }, 400);
  });
  app.route(
    '/',
    foundCampaignsControl({
      account: (id) => sandbox.accounts.get(id.replace(/^act_/, '')),
      add: (account) => addFoundCampaigns(sandbox, account),
    }),
  );
  app.post('/accounts/:id', async (c) => {
    const known = sandbox.accounts.get(c.req.param('id'));
    if (!known) return c.json({ error: 'Specify a known account' }, 400);
    const { userId = known.userId, ...fields } = await optionsIn<{ userId?: string }>(c);
    sandbox.accounts.put(known.id, { ...known, userId, fields: { ...known.fields, ...fields } });
    return c.json({ success: true });
  });
  app.post('/copy-limit', async (c) => {
    const { most = 3, counts = 'ads' } = await optionsIn<CopyLimit>(c);
    sandbox.copyLimit.put('all', { most, counts });
    return c.json({ most, counts });
  });
  app.post('/app', async (c) => {
    const setting = { requiresProof: false, ...(await optionsIn<Partial<AppSetting>>(c)) };
    sandbox.app.put('all', setting);
    return c.json(setting);
  });
  app.route('/', sandbox.figures.control);
  app.post('/insights', async (c) => {
    sandbox.insightSetting.put('all', await optionsIn<InsightSetting>(c));
    return c.json({ success: true });
  });
  app.post('/report-runs', async (c) => {
    sandbox.runSetting.put('all', await optionsIn<RunSetting>(c));
    return c.json({ success: true });
  });
  app.post('/usage', async (c) => {
    const setting = { ...usual, ...(await optionsIn<Partial<UsageSetting>>(c)) };
    sandbox.usage.put('all', setting);
    return c.json(setting);
  });
  return app;
}

function connect(sandbox: SandboxState, requested: PersonOptions): object {
  const person = createPerson(sandbox, requested);
  return {
    userId: person.id,
    name: person.name,
    username: person.name,
    accessToken: sandbox.tokens.issue('long', { personId: person.id }),
    expiresIn: sandbox.tokens.lifetimeSeconds('long'),
    pages: person.pages,
    businesses: person.businesses,
    photoAccountId: person.photoAccountId,
    adAccounts: sandbox.accounts.all().filter(({ userId }) => userId === person.id),
  };
}
