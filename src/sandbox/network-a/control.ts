import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import type { GraphObject, Person, World } from './objects.ts';

interface Wanted {
  name?: string;
  currencies?: string[];
}

/** Makes people with pages and ad accounts, as if they had come through the consent page. */
export function createControl(world: World): Hono {
  const app = new Hono();
  app.post('/connections', async (c) => c.json(connect(world, (await c.req.json()) as Wanted)));
  app.post('/tokens/:state', async (c) => {
    const { token } = (await c.req.json()) as { token: string };
    const known = world.tokens.get(token);
    const state = { expire: 'expired', invalidate: 'invalid', restore: 'good' }[c.req.param('state')] as
      | 'good'
      | undefined;
    if (!known || !state) return c.json({ error: 'Give a known token, and expire, invalidate or restore' }, 400);
    world.tokens.put(token, { ...known, state });
    return c.json({ success: true });
  });
  app.get('/objects', (c) => {
    const kind = c.req.query('type') as GraphObject['kind'] | undefined;
    return c.json({ objects: world.objects.all().filter((object) => !kind || object.kind === kind) });
  });
  return app;
}

function connect(world: World, { name = 'Shop', currencies = ['USD'] }: Wanted): object {
  const userId = world.newId('1');
  const secret = (): string => `EAAS${randomBytes(24).toString('hex')}`;
  const page = {
    id: world.newId('10'),
    name,
    accessToken: secret(),
    tasks: ['ADVERTISE', 'ANALYZE', 'CREATE_CONTENT', 'MODERATE', 'MANAGE'],
  };
  const viewOnly = { id: world.newId('10'), name: `${name} (view only)`, accessToken: secret(), tasks: ['ANALYZE'] };
  const person: Person = { id: userId, name, pages: [page, viewOnly], photoAccountId: world.newId('17') };
  world.people.put(userId, person);
  const accessToken = secret();
  world.tokens.put(accessToken, { token: accessToken, userId, state: 'good' });
  const adAccounts = currencies.map((currency) => {
    const account = { id: world.newId('2'), name: `${name} ${currency}`, currency, userId };
    world.accounts.put(account.id, account);
    return account;
  });
  return { userId, accessToken, pages: person.pages, photoAccountId: person.photoAccountId, adAccounts };
}
