import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { connectionOf } from '../oauth/auth-server.ts';
import { tokenControl, optionsIn } from '../oauth/token-control.ts';
import { showProfile } from './profiles.ts';
import type { Person, SandboxState } from './state.ts';

/** Creates users with public profiles, as after consent, and sets error conditions. */
export function createControl(sandbox: SandboxState): Hono {
  const app = new Hono();
  app.post('/connections', async (c) => {
    const { name, profiles } = await optionsIn<{ name: string; profiles: number }>(c);
    return c.json(connect(sandbox, createPerson(sandbox, name, profiles)));
  });
  app.route('/', tokenControl(sandbox.tokens));
  app.post('/allow-list', async (c) => {
    const { allowed } = await optionsIn<{ allowed: boolean }>(c);
    return c.json(sandbox.set({ isAllowed: allowed !== false }));
  });
  app.post('/rotation', async (c) => {
    const { on } = await optionsIn<{ on: boolean }>(c);
    return c.json(sandbox.set({ isRotating: on !== false }));
  });
  app.post('/organizations/role', async (c) => {
    const { userId = '', id = '', has } = await optionsIn<{ userId: string; id: string; has: boolean }>(c);
    const person = sandbox.people.get(userId);
    if (!person?.organizationIds.includes(id))
      return c.json({ error: 'Give a user and one of their organizations' }, 400);
    const others = (person.withoutRole ?? []).filter((other) => other !== id);
    sandbox.people.put(userId, { ...person, withoutRole: has === false ? [...others, id] : others });
    return c.json({ success: true });
  });
  app.post('/profiles/fail', async (c) => {
    const { id = '', reason } = await optionsIn<{ id: string; reason: string }>(c);
    const profile = sandbox.profiles.get(id);
    if (!profile) return c.json({ error: 'Give the id of a profile, and a reason or none' }, 400);
    sandbox.profiles.put(id, { ...profile, failure: reason });
    return c.json({ success: true });
  });
  app.get('/objects', (c) =>
    c.json({
      objects:
        c.req.query('type') === 'organization' ? sandbox.organizations.all() : sandbox.profiles.all().map(showProfile),
    }),
  );
  return app;
}

function connect(sandbox: SandboxState, person: Person): object {
  const { id, username, name, organizationIds } = person;
  const mine = sandbox.profiles.all().filter(({ organizationId }) => organizationIds.includes(organizationId));
  return {
    ...connectionOf(sandbox, person, {}),
    user: { id, username, displayName: name },
    adAccounts: [],
    organizations: organizationIds.map((own) => sandbox.organizations.get(own)),
    publicProfiles: mine.map(showProfile),
  };
}

/** A user with two organizations that share the profiles (three by default). */
export function createPerson(sandbox: SandboxState, name = 'Shop', count = 3): Person {
  const id = randomUUID();
  const username = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-${id.slice(0, 4)}`;
  const organizationIds = [name, `${name} Partners`].map((own) => {
    const organizationId = randomUUID();
    sandbox.organizations.put(organizationId, { id: organizationId, name: own });
    return organizationId;
  });
  const profileIds = Array.from({ length: count }, (_, at) => {
    const profileId = randomUUID();
    const isLast = at === count - 1 && count > 1;
    sandbox.profiles.put(profileId, {
      id: profileId,
      organizationId: organizationIds[isLast ? 1 : 0] ?? '',
      displayName: at === 0 ? name : `${name} ${at + 1}`,
      username: at === 0 ? username : `${username}-${at + 1}`,
      subscribers: 1200 * (at + 1),
      createdAt: new Date().toISOString(),
    });
    return profileId;
  });
  const person = { id, name, username, organizationIds, profileId: profileIds[0] ?? '' };
  sandbox.people.put(id, person);
  return person;
}
