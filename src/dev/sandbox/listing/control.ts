import { Hono } from 'hono';
import { connectionOf } from '../oauth/auth-server.ts';
import { tokenControl, optionsIn } from '../oauth/token-control.ts';
import { showAttributes } from './attributes.ts';
import { showLocation } from './locations.ts';
import { editLimit, type Account, type Fields, type Person, type SandboxState } from './state.ts';

/** Creates users with locations, as after consent, and sets error conditions. */
export function createControl(sandbox: SandboxState): Hono {
  const app = new Hono();
  app.post('/connections', async (c) => c.json(connect(sandbox, (await optionsIn<{ name: string }>(c)).name)));
  app.route('/', tokenControl(sandbox.tokens));
  app.post('/edit-limit', async (c) => {
    const { perMinute } = await optionsIn<{ perMinute: number }>(c);
    if (!Number.isInteger(perMinute) || Number(perMinute) < 0)
      return c.json({ error: 'Give perMinute, a number' }, 400);
    sandbox.settings.put('all', { ...sandbox.settings.get('all'), editsPerMinute: Number(perMinute) });
    sandbox.edits.clear();
    return c.json({ perMinute: editLimit(sandbox) });
  });
  app.post('/access', async (c) => {
    const { isGranted } = await optionsIn<{ isGranted: boolean }>(c);
    sandbox.settings.put('all', { ...sandbox.settings.get('all'), hasAccess: isGranted !== false });
    return c.json({ isGranted: isGranted !== false });
  });
  app.get('/objects', (c) =>
    c.json({
      objects:
        c.req.query('type') === 'account'
          ? sandbox.accounts.all().map(showAccount)
          : sandbox.locations.all().map((location) => ({
              ...showLocation(location, [...Object.keys(location.fields), 'name', 'metadata']),
              attributes: showAttributes(location),
            })),
    }),
  );
  return app;
}

export const showAccount = ({ id, accountName, type }: Account): object => ({
  name: `accounts/${id}`,
  accountName,
  type,
  role: 'PRIMARY_OWNER',
  verificationState: type === 'PERSONAL' ? 'UNVERIFIED' : 'VERIFIED',
  vettedState: 'NOT_VETTED',
});

function connect(sandbox: SandboxState, name?: string): object {
  const person = createPerson(sandbox, name);
  const mine = sandbox.accounts.all().filter(({ personId }) => personId === person.id);
  const locations = sandbox.locations.all().filter(({ personId }) => personId === person.id);
  return {
    ...connectionOf(sandbox, person, {}),
    adAccounts: [],
    accounts: mine.map(showAccount),
    locations: locations.map(({ id, fields, accountIds }) => ({
      name: `locations/${id}`,
      title: fields['title'],
      account: `accounts/${accountIds[0]}`,
    })),
  };
}

/** A user with two locations of their own and one in a managed group. */
export function createPerson(sandbox: SandboxState, name = 'Shop'): Person {
  const person = { id: sandbox.newId(), name };
  sandbox.people.put(person.id, person);
  const account = (accountName: string, type: Account['type']): string => {
    const id = sandbox.newId();
    sandbox.accounts.put(id, { id, personId: person.id, accountName, type });
    return id;
  };
  const own = account(name, 'PERSONAL');
  const group = account(`${name} group`, 'LOCATION_GROUP');
  const location = (accountId: string, fields: Fields): void => {
    const id = sandbox.newId();
    sandbox.locations.put(id, { id, personId: person.id, accountIds: [accountId], fields, attributes: [] });
  };
  location(own, locationFields(`${name} Garden Center`, 'garden_center', 'Oslo'));
  location(own, locationFields(`${name} Cafe`, 'cafe', 'Bergen'));
  location(group, locationFields(`${name} Landscaping`, 'landscaper', 'Trondheim'));
  return person;
}

const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'];

const locationFields = (title: string, category: string, city: string): Fields => ({
  title,
  languageCode: 'en',
  storeCode: `${category}-1`,
  websiteUri: `https://shop.example/${city.toLowerCase()}`,
  phoneNumbers: { primaryPhone: '+1 415 555 0132', additionalPhones: [] },
  categories: { primaryCategory: { name: `categories/gcid:${category}` }, additionalCategories: [] },
  storefrontAddress: { regionCode: 'NO', locality: city, addressLines: ['Storgata 1'], postalCode: '0150' },
  regularHours: {
    periods: weekdays.map((day) => ({
      openDay: day,
      openTime: { hours: 9 },
      closeDay: day,
      closeTime: { hours: 17 },
    })),
  },
  openInfo: { status: 'OPEN' },
  profile: { description: `${title} in ${city}.` },
});
