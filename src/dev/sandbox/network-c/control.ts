import { foundCampaignsControl } from '../found-campaigns.ts';
import { Hono } from 'hono';
import { tokenControl } from '../oauth/token-control.ts';
import type { Body } from './checks.ts';
import { readable } from './fields.ts';
import { createPerson, type PersonOptions } from './people.ts';
import { show, type Level } from './read.ts';
import { addFoundCampaigns, seedCampaigns, type Tree } from './seed.ts';
import type { Advertiser, Settings, Thing, SandboxState } from './state.ts';

/** Creates users, campaign trees and limits. */
export function createControl(sandbox: SandboxState): Hono {
  const app = new Hono();
  app.post('/connections', async (c) => c.json(connect(sandbox, (await c.req.json()) as PersonOptions)));
  app.route('/', tokenControl(sandbox.tokens));
  app.post('/campaigns', async (c) => {
    const { advertiserId, campaigns = [] } = (await c.req.json()) as { advertiserId: string; campaigns?: Tree[] };
    const advertiser = sandbox.advertisers.get(advertiserId);
    if (!advertiser) return c.json({ error: 'Specify a known advertiserId' }, 400);
    return c.json({ campaigns: seedCampaigns(sandbox, advertiser, campaigns) });
  });
  app.route(
    '/',
    foundCampaignsControl({
      account: (id) => sandbox.advertisers.get(id),
      add: (advertiser) => addFoundCampaigns(sandbox, advertiser),
    }),
  );
  // Sets fields that the API of the platform keeps, such as the level of the budget.
  for (const [path, kind] of [
    ['/campaigns/:id', 'campaign'],
    ['/adgroups/:id', 'adgroup'],
  ] as const) {
    app.post(path, async (c) => {
      const thing = sandbox.find(kind, c.req.param('id'));
      if (!thing) return c.json({ error: `Specify a known ${kind}` }, 400);
      sandbox.save(Object.assign(thing, { fields: { ...thing.fields, ...((await c.req.json()) as Body) } }));
      return c.json({ success: true });
    });
  }
  app.post('/metrics', async (c) => {
    const { adId, ...metrics } = (await c.req.json()) as { adId: string } & NonNullable<Thing['metrics']>;
    const ad = sandbox.find('ad', adId);
    if (!ad) return c.json({ error: 'Specify a known adId' }, 400);
    sandbox.save(Object.assign(ad, { metrics }));
    return c.json({ success: true });
  });
  app.route('/', sandbox.figures.control);
  app.post('/advertisers', async (c) => {
    const { advertiserId, ...state } = (await c.req.json()) as { advertiserId: string } & Partial<Advertiser>;
    const advertiser = sandbox.advertisers.get(advertiserId);
    if (!advertiser) return c.json({ error: 'Specify a known advertiserId and a status' }, 400);
    sandbox.advertisers.put(advertiserId, { ...advertiser, ...state });
    return c.json({ success: true });
  });
  // The rate is a setting with a path of its own.
  for (const path of ['/rate', '/settings']) {
    app.post(path, async (c) => c.json(Object.assign(sandbox.settings, (await c.req.json()) as Partial<Settings>)));
  }
  app.get('/objects', (c) => c.json({ objects: objects(sandbox, c.req.query('type')) }));
  return app;
}

/** Objects as the read API returns them; files as stored. */
const objects = (sandbox: SandboxState, type: string | undefined): object[] =>
  sandbox
    .all()
    .filter(({ kind }) => !type || kind === type)
    .map((thing) => {
      const names = readable[thing.kind as Level];
      return names ? show(sandbox, thing, { names, withoutNulls: true }) : { id: thing.id, ...thing.fields };
    });

function connect(sandbox: SandboxState, requested: PersonOptions): object {
  const person = createPerson(sandbox, requested);
  const adAccounts = person.advertiserIds.map((id) => {
    const { name = '', currency = '', timezone = '' } = sandbox.advertisers.get(id) ?? {};
    return { id, name, currency, timezone };
  });
  const [identity] = sandbox.identities.get(person.advertiserIds[0] ?? '') ?? [];
  return {
    userId: person.id,
    accessToken: sandbox.tokens.issue('access', { personId: person.id }),
    name: person.name,
    username: person.username,
    adAccounts,
    identities: identity && [
      {
        identityId: identity.id,
        identityType: identity.type,
        displayName: identity.name,
        itemIds: identity.posts.map(({ itemId }) => itemId),
      },
    ],
  };
}
