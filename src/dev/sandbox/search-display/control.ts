import { Hono } from 'hono';
import { foundCampaignsControl } from '../found-campaigns.ts';
import { addFoundCampaigns } from './found.ts';
import { connectionOf } from '../oauth/auth-server.ts';
import { tokenControl } from '../oauth/token-control.ts';
import type { Conditions, Customer, SandboxState } from './state.ts';
import { addPerson, type PersonOptions } from './people.ts';
import { kindNames } from './resources.ts';
import { show } from './serialize.ts';

const aliases: Record<string, string> = {
  adsets: 'adGroups',
  ads: 'adGroupAds',
  budgets: 'campaignBudgets',
  images: 'assets',
};

/** Creates users with ad accounts, and sets conditions that callers cannot cause themselves. */
export function createControl(sandbox: SandboxState): Hono {
  const app = new Hono();
  app.post('/connections', async (c) => c.json(connect(sandbox, (await c.req.json()) as PersonOptions)));
  app.route('/', tokenControl(sandbox.tokens));
  app.get('/objects', (c) => {
    const type = c.req.query('type');
    const kind = type === undefined ? undefined : (aliases[type] ?? type);
    const objects = sandbox.all().filter((one) => kind === undefined || one.kind === kind);
    return c.json({ objects: objects.map((one) => show(sandbox, one)) });
  });
  app.post('/accounts/:id', async (c) => {
    const known = sandbox.customers.get(c.req.param('id'));
    if (!known) return c.json({ error: 'Specify a known account' }, 400);
    sandbox.customers.put(known.id, { ...known, ...((await c.req.json()) as Partial<Conditions>) });
    return c.json({ success: true });
  });
  app.post('/accounts/:id/undeclared-campaign', (c) => {
    const known = sandbox.customers.get(c.req.param('id'));
    return known ? c.json(addUndeclared(sandbox, known)) : c.json({ error: 'Specify a known account' }, 400);
  });
  app.route(
    '/',
    foundCampaignsControl({
      account: (id) => sandbox.customers.get(id),
      add: (customer) => addFoundCampaigns(sandbox, customer),
    }),
  );
  app.route('/', sandbox.figures.control);
  app.post('/metrics', async (c) => {
    const { resourceName, ...figures } = (await c.req.json()) as { resourceName: string };
    if (sandbox.get(resourceName)?.kind !== 'adGroupAds')
      return c.json({ error: 'Give an ad by its resource name' }, 400);
    sandbox.metrics.put(resourceName, { ...figures, from: sandbox.figures.now() });
    return c.json({ success: true });
  });
  return app;
}

function connect(sandbox: SandboxState, requested: PersonOptions): object {
  const { person, accounts } = addPerson(sandbox, requested);
  return {
    ...connectionOf(sandbox, person, {}),
    managerId: accounts.find(({ managerId }) => managerId !== undefined)?.managerId,
    adAccounts: accounts.map(({ id, name, currency, timeZone, managerId, userListId }) => ({
      id,
      name,
      currency,
      timezone: timeZone,
      managerId,
      userListId,
    })),
  };
}

/** Adds a campaign from before the declaration was required. */
function addUndeclared(sandbox: SandboxState, { id: customerId }: Customer): object {
  const add = (kind: (typeof kindNames)[number], fields: Record<string, unknown>): string => {
    const id = sandbox.newId(kind);
    const name = `customers/${customerId}/${kind}/${id}`;
    sandbox.put({ name, kind, customerId, id, fields });
    return name;
  };
  const budget = { amountMicros: '10000000', period: 'DAILY', deliveryMethod: 'STANDARD', status: 'ENABLED' };
  const campaignBudget = add('campaignBudgets', { name: 'Old', ...budget, explicitlyShared: false });
  const resourceName = add('campaigns', {
    name: `Old ${campaignBudget.split('/').at(-1)}`,
    status: 'PAUSED',
    advertisingChannelType: 'SEARCH',
    campaignBudget,
    startDateTime: '2025-01-01 00:00:00',
    targetSpend: {},
  });
  return { resourceName };
}
