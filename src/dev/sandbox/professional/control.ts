import { foundCampaignsControl } from '../found-campaigns.ts';
import { Hono } from 'hono';
import { connectionOf } from '../oauth/auth-server.ts';
import { tokenControl } from '../oauth/token-control.ts';
import { addFoundCampaigns } from './found.ts';
import { organizationUrn, personUrn, type AdAccount, type Person, type SandboxState } from './state.ts';
import { showPost } from './posts.ts';
import { showAccount, showEntity } from './read.ts';
import type { Fields } from './shape.ts';

interface PersonOptions {
  name?: string;
  currencies?: string[];
  scopes?: string[];
  /** The user's role in the ad accounts and for the first organisation. */
  accountRole?: string;
  pageRole?: string;
}

/** Creates users with organisations and ad accounts, and changes the state of tokens. */
export function createControl(sandbox: SandboxState): Hono {
  const app = new Hono();
  app.post('/connections', async (c) => c.json(connect(sandbox, (await c.req.json()) as PersonOptions)));
  app.route('/', tokenControl(sandbox.tokens));
  app.post('/accounts/:id', async (c) => {
    const known = sandbox.accounts.get(c.req.param('id'));
    if (!known) return c.json({ error: 'Specify a known account' }, 400);
    sandbox.accounts.put(known.id, { ...known, ...((await c.req.json()) as Partial<AdAccount>) });
    return c.json({ success: true });
  });
  app.route(
    '/',
    foundCampaignsControl({
      account: (id) => sandbox.accounts.get(id),
      add: (account, options) => addFoundCampaigns(sandbox, account, options),
    }),
  );
  app.route('/', sandbox.figures.control);
  app.post('/quirks', async (c) => {
    const { cutText, mostValues } = (await c.req.json()) as { cutText?: boolean; mostValues?: number };
    sandbox.quirks.put('cutText', cutText === true);
    sandbox.limits.put('values', mostValues);
    return c.json({ success: true });
  });
  app.get('/objects', (c) => c.json({ objects: objects(sandbox, c.req.query('type')) }));
  return app;
}

const kinds = { adCampaignGroups: 'group', adCampaigns: 'campaign', creatives: 'creative' } as const;

/** All entities as the platform shows them. */
function objects(sandbox: SandboxState, type: string | undefined): Fields[] {
  const shown = {
    adAccounts: () => sandbox.accounts.all().map(showAccount),
    posts: () =>
      sandbox.posts
        .all()
        .filter(({ isRemoved }) => !isRemoved)
        .map(showPost),
    media: () => sandbox.assets.all().map(({ urn, kind, status }) => ({ id: urn, kind, status })),
  };
  if (type !== undefined && type in shown) return shown[type as keyof typeof shown]();
  const kind = kinds[type as keyof typeof kinds] as string | undefined;
  if (type !== undefined && kind === undefined) return [];
  return sandbox.entities
    .all()
    .filter((entity) => !entity.isRemoved && (kind === undefined || entity.kind === kind))
    .map((entity) => ({ kind: entity.kind, ...showEntity(sandbox, entity) }));
}

function connect(sandbox: SandboxState, requested: PersonOptions): Fields {
  const { name = 'Shop', scopes } = requested;
  const person = addPerson(sandbox, requested);
  const accounts = person.accountIds.flatMap((id) => sandbox.accounts.get(id) ?? []);
  const [first] = accounts;
  const belonging = { id: sandbox.newId(104_000), accountId: first?.id ?? '', name };
  sandbox.conversions.put(belonging.id, belonging);
  const form = { ...belonging, id: sandbox.newId(7_300_000) };
  sandbox.forms.put(form.id, form);
  return {
    ...connectionOf(sandbox, { ...person, username: usernameOf(person.name) }, { scopes }),
    personUrn: personUrn(person.id),
    adAccounts: accounts.map(({ id, name: accountName, currency, organizationId }) => ({
      id,
      name: accountName,
      currency,
      ...(organizationId !== undefined && { organizationId }),
      timezone: 'Etc/UTC',
    })),
    organizations: person.pages.map(({ organizationId, role }) => ({
      id: organizationId,
      urn: organizationUrn(organizationId),
      name: sandbox.organizations.get(organizationId)?.name,
      role,
    })),
    formId: `urn:li:adForm:${form.id}`,
    conversionId: `urn:lla:llaPartnerConversion:${belonging.id}`,
  };
}

const usernameOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** A user with an organisation to post for, a read-only one, and an ad account per currency. */
export function addPerson(sandbox: SandboxState, requested: PersonOptions): Person {
  const {
    name = 'Shop',
    currencies = ['USD'],
    accountRole = 'ACCOUNT_MANAGER',
    pageRole = 'ADMINISTRATOR',
  } = requested;
  const id = Buffer.from(sandbox.newId(4_000_000)).toString('base64url');
  const organizationOf = (text: string): string => {
    const organization = { id: sandbox.newId(1_234_000), name: text };
    sandbox.organizations.put(organization.id, organization);
    return organization.id;
  };
  const pages = [
    { organizationId: organizationOf(name), role: pageRole },
    { organizationId: organizationOf(`${name} (analyst)`), role: 'ANALYST' },
  ];
  const accounts = currencies.map((currency, index): AdAccount => {
    // The last of several references the user, so it has no default organisation.
    const isOfPerson = index > 0 && index === currencies.length - 1;
    return {
      id: sandbox.newId(512_300_000),
      name: `${name} ${currency}`,
      currency,
      personId: id,
      role: accountRole,
      createdAt: Date.now(),
      ...(!isOfPerson && { organizationId: pages[0]?.organizationId }),
    };
  });
  for (const account of accounts) sandbox.accounts.put(account.id, account);
  const person = { id, name, pages, accountIds: accounts.map((account) => account.id) };
  sandbox.people.put(id, person);
  return person;
}
