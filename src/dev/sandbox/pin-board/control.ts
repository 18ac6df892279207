import { Hono } from 'hono';
import type { Collection } from '../state.ts';
import { isKind, show, write } from './entities.ts';
import { addFoundCampaigns } from './found.ts';
import { showBoard, showPin } from './pins.ts';
import {
  accessSeconds,
  addPerson,
  addTokens,
  allScopes,
  refreshSeconds,
  type AdAccount,
  type Shelf,
  type Token,
  type SandboxState,
} from './state.ts';

interface PersonOptions {
  name?: string;
  currencies?: string[];
  scopes?: string[];
  /** A token of an app with trial access. */
  trial?: boolean;
  /** Accounts and boards belong to another user, who shares the accounts with this one. */
  shared?: boolean;
}

const states = { expire: 'expired', invalidate: 'invalid', restore: 'good' } as const;

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
  app.post('/found-campaigns', async (c) => {
    const account = sandbox.accounts.get(((await c.req.json()) as { adAccountId: string }).adAccountId);
    if (!account) return c.json({ error: 'Specify a known adAccountId' }, 400);
    return c.json({ campaigns: addFoundCampaigns(sandbox, account) });
  });
  app.post('/tokens/:state', async (c) => {
    const { token } = (await c.req.json()) as { token: string };
    const isKnown = setState(sandbox.tokens, token, c.req.param('state'));
    if (!isKnown) return c.json({ error: 'Specify a known token and one of expire, invalidate and restore' }, 400);
    return c.json({ success: true });
  });
  app.post('/refresh-tokens/:state', async (c) => {
    const { token } = (await c.req.json()) as { token: string };
    const isKnown = setState(sandbox.refreshTokens, token, c.req.param('state'));
    if (!isKnown)
      return c.json({ error: 'Specify a known refresh token and one of expire, invalidate and restore' }, 400);
    return c.json({ success: true });
  });
  app.get('/objects', (c) => {
    const objects = objectsOf(sandbox, c.req.query('type') ?? 'campaigns');
    return objects
      ? c.json({ objects })
      : c.json({ error: 'Give a type: campaigns, ad_groups, ads, pins or boards' }, 400);
  });
  return app;
}

function setState<T extends Token>(tokens: Collection<T>, token: string, word: string): boolean {
  const known = tokens.get(token);
  if (!known || !Object.hasOwn(states, word)) return false;
  tokens.put(token, { ...known, state: states[word as keyof typeof states] });
  return true;
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
  const { name = 'Shop', currencies = ['USD'], scopes = allScopes, trial = false, shared = false } = requested;
  const agency = shared ? addPerson(sandbox, { name: `${name} agency`, currencies: [] }) : undefined;
  const owner = addPerson(sandbox, { name, currencies, memberIds: agency ? [agency.id] : [] });
  const person = agency ?? owner;
  const { access, refresh } = addTokens(sandbox, { userId: person.id, scopes, isTrial: trial });
  return {
    userId: person.id,
    accessToken: access.token,
    refreshToken: refresh.token,
    expiresIn: accessSeconds,
    refreshTokenExpiresIn: refreshSeconds,
    scopes,
    name: person.name,
    username: person.username,
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
