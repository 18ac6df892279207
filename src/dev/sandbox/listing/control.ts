import { Hono } from 'hono';
import { tokenControl, optionsIn } from '../token-control.ts';
import { showAttributes } from './attributes.ts';
import { showLocation } from './locations.ts';
import { editLimit, lifetime, type Account, type Fields, type Person, type World } from './state.ts';

/** Creates users with locations, as after consent, and sets error conditions. */
export function createControl(world: World): Hono {
  const app = new Hono();
  app.post('/connections', async (c) => c.json(connect(world, (await optionsIn<{ name: string }>(c)).name)));
  app.route('/', tokenControl(world.tokens));
  app.post('/edit-limit', async (c) => {
    const { perMinute } = await optionsIn<{ perMinute: number }>(c);
    if (!Number.isInteger(perMinute) || Number(perMinute) < 0)
      return c.json({ error: 'Give perMinute, a number' }, 400);
    world.settings.put('all', { editsPerMinute: Number(perMinute) });
    world.edits.clear();
    return c.json({ perMinute: editLimit(world) });
  });
  app.get('/objects', (c) =>
    c.json({
      objects:
        c.req.query('type') === 'account'
          ? world.accounts.all().map(showAccount)
          : world.locations.all().map((location) => ({
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

function connect(world: World, name?: string): object {
  const person = createPerson(world, name);
  const mine = world.accounts.all().filter(({ personId }) => personId === person.id);
  const locations = world.locations.all().filter(({ personId }) => personId === person.id);
  return {
    userId: person.id,
    name: person.name,
    username: person.name,
    accessToken: world.tokens.access(person.id),
    refreshToken: world.tokens.refresh(person.id),
    expiresIn: lifetime,
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
export function createPerson(world: World, name = 'Shop'): Person {
  const person = { id: world.newId(), name };
  world.people.put(person.id, person);
  const account = (accountName: string, type: Account['type']): string => {
    const id = world.newId();
    world.accounts.put(id, { id, personId: person.id, accountName, type });
    return id;
  };
  const own = account(name, 'PERSONAL');
  const group = account(`${name} group`, 'LOCATION_GROUP');
  const location = (accountId: string, fields: Fields): void => {
    const id = world.newId();
    world.locations.put(id, { id, personId: person.id, accountIds: [accountId], fields, attributes: [] });
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
