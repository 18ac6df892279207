import { foundCampaignsControl } from '../found-campaigns.ts';
import { Hono } from 'hono';
import { connectionOf } from '../oauth/auth-server.ts';
import { scopesOf } from '../oauth/scopes.ts';
import { tokenControl } from '../oauth/token-control.ts';
import { isKind, show, write } from './entities.ts';
import { addFoundCampaigns } from './found.ts';
import { reportControl } from './prepared-reports.ts';
import { showBoard, showPin } from './pins.ts';
import { addPerson, type AdAccount, type SandboxState, type Shelf } from './state.ts';

interface PersonOptions {
  name?: string;
  currencies?: string[];
  scopes?: string[];
  /** A token of an app with trial access. */
  trial?: boolean;
  /** Accounts and boards belong to another user, who shares the accounts with this one. */
  shared?: boolean;
}

/** Creates users with boards and ad accounts, as after consent. */
export function createControl(sandbox: SandboxState): Hono {
  const app = new Hono();
  app.post('/connections', async (c) => c.json(connect(sandbox, (await c.req.json()) as PersonOptions)));
  // New campaigns require campaign budget optimization; ad accounts still have older ones without it.
  app.post('/older-campaigns', async (c) => {
    const { adAccountId, campaigns } = (await c.req.json()) as { adAccountId: string; campaigns: unknown[] };
    const account = sandbox.accounts.get(adAccountId);
    if (!account) return c.json({ error: 'Specify a known adAccountId' }, 400);
    return c.json(write(sandbox, { account, kind: 'campaigns' }, { method: 'POST', json: campaigns, isOlder: true }));
  });
  app.route(
    '/',
    foundCampaignsControl({
      account: (id) => sandbox.accounts.get(id),
      add: (account) => addFoundCampaigns(sandbox, account),
    }),
  );
  app.route('/', tokenControl(sandbox.tokens));
  app.route('/', sandbox.figures.control);
  app.route('/', reportControl(sandbox));
  app.get('/objects', (c) => {
    const objects = objectsOf(sandbox, c.req.query('type') ?? 'campaigns');
    return objects
      ? c.json({ objects })
      : c.json({ error: 'Give a type: campaigns, ad_groups, ads, pins or boards' }, 400);
  });
  return app;
}

function objectsOf(sandbox: SandboxState, type: string): unknown[] | undefined {
  if (isKind(type))
    return present(sandbox.entities[type])
      .all()
      .map((entity) => show(sandbox, type, entity));
  if (type === 'pins')
    return present(sandbox.pins)
      .all()
      .map((pin) => showPin(sandbox, pin));
  if (type === 'boards')
    return present(sandbox.boards)
      .all()
      .map((board) => showBoard(sandbox, board));
  return undefined;
}

/** The objects of a shelf instead of its ids. */
function present<T>({ get, ids, under }: Shelf<T>): { all: () => T[]; under: (key: string) => T[] } {
  const of = (list: string[]): T[] => list.map(get).filter((value) => value !== undefined);
  return { all: () => of(ids), under: (key) => of(under(key)) };
}

function connect(sandbox: SandboxState, requested: PersonOptions): object {
  const { name = 'Shop', currencies = ['USD'], trial = false, shared = false } = requested;
  const { scopes = scopesOf('pin-board') } = requested;
  const agency = shared ? addPerson(sandbox, { name: `${name} agency`, currencies: [] }) : undefined;
  const owner = addPerson(sandbox, { name, currencies, memberIds: agency ? [agency.id] : [] });
  const person = agency ?? owner;
  return {
    ...connectionOf(sandbox, person, { scopes, isTrial: trial }),
    refreshTokenExpiresIn: sandbox.tokens.lifetimeSeconds('refresh'),
    scopes,
    adAccounts: present(sandbox.accounts).under(owner.id).map(shownAccount),
    boards: present(sandbox.boards)
      .under(owner.id)
      .map(({ id, fields }) => ({ id, name: fields['name'] })),
  };
}

const shownAccount = ({ id, name, currency, country, tagId, audiences }: AdAccount): object => ({
  id,
  name,
  currency,
  country,
  timezone: 'UTC',
  conversionTagId: tagId,
  audiences,
});
