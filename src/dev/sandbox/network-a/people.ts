import type { Body } from './checks.ts';
import { unknownObject } from './errors.ts';
import { pick, slice } from './lists.ts';
import { showAccount } from './lookups.ts';
import { pagesOf, type Business, type Page, type Person, type SandboxState } from './state.ts';
import { parseFields } from './read.ts';

type Query = Record<string, string>;

/** The user's own edges: accounts, pages and businesses. */
export function me(
  { sandbox, person, query, pageId }: { sandbox: SandboxState; person: Person; query: Query; pageId?: string },
  edge?: string,
): unknown {
  if (edge === undefined) {
    const page = pagesOf(person).find(({ id }) => id === pageId);
    return pick({ id: page?.id ?? person.id, name: page?.name ?? person.name }, query, 'id,name');
  }
  if (edge === 'adaccounts') {
    const mine = sandbox.accounts.all().filter(({ userId }) => userId === person.id);
    return slice(
      mine.map((account) => showAccount(account, query)),
      query,
    );
  }
  if (edge === 'accounts') return pageList(person, person.pages, query);
  if (edge !== 'businesses') throw unknownObject(`me/${edge}`);
  const businesses = (person.businesses ?? []).map(({ id, name }) => pick({ id, name }, query, 'id,name'));
  return slice(businesses, query);
}

/** Pages owned by a business and those it manages. */
export function ofBusiness(person: Person, business: Business, edge: string | undefined, query: Query): unknown {
  if (edge === undefined) return pick({ id: business.id, name: business.name }, query, 'id,name');
  if (edge === 'owned_pages') return pageList(person, business.ownedPages, query);
  if (edge === 'client_pages') return pageList(person, business.clientPages, query);
  throw unknownObject(`${business.id}/${edge}`);
}

const pageList = (person: Person, pages: Page[], query: Query): object =>
  slice(
    pages.map((page) => showPage(person, page, query, 'access_token,category,name,id,tasks')),
    query,
  );

export function showPage(person: Person, page: Page, query: Query, usual = 'name'): Body {
  const { id, name, tasks, accessToken } = page;
  const isFirst = person.pages[0]?.id === id;
  const picture = { height: 50, is_silhouette: false, url: `https://sandbox.invalid/${id}.png`, width: 50 };
  const photo = { id: person.photoAccountId, username: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '.') };
  const requested = parseFields(query['fields'] ?? usual);
  const within = (all: Body, field: string): Body => {
    const asked = parseFields(requested.get(field)?.inner || 'id');
    return Object.fromEntries(Object.entries(all).filter(([key]) => key === 'id' || asked.has(key)));
  };
  const pictureOf = (): Body => ({ data: requested.get('picture')?.inner ? within(picture, 'picture') : picture });
  return pick(
    {
      id,
      name,
      tasks,
      access_token: accessToken,
      category: 'Brand',
      category_list: [{ id: '2201', name: 'Brand' }],
      picture: pictureOf(),
      ...(isFirst && { instagram_business_account: within(photo, 'instagram_business_account') }),
    },
    query,
    usual,
  );
}

export interface PersonOptions {
  name?: string;
  currencies?: string[];
  /** Number of pages that the user can advertise for. */
  pages?: number;
}

/** A user with pages and ad accounts; one page is read-only, and one belongs only to a business. */
export function createPerson(
  sandbox: SandboxState,
  { name = 'Shop', currencies = ['USD'], pages = 1 }: PersonOptions,
): Person {
  const personId = sandbox.newId('1');
  const all = 'ADVERTISE ANALYZE CREATE_CONTENT MODERATE MANAGE'.split(' ');
  const page = (pageName: string, tasks: string[]): Page => {
    const id = sandbox.newId('10');
    return { id, name: pageName, accessToken: sandbox.tokens.issue('page', { personId, pageId: id }), tasks };
  };
  const own = Array.from({ length: pages }, (_, at) => page(at === 0 ? name : `${name} ${at + 1}`, all));
  const person: Person = {
    id: personId,
    name,
    pages: [...own, page(`${name} (view only)`, ['ANALYZE'])],
    photoAccountId: sandbox.newId('17'),
    businesses: [
      {
        id: sandbox.newId('18'),
        name: `${name} Business`,
        ownedPages: [page(`${name} (business)`, all)],
        clientPages: [page(`${name} (client)`, all)],
      },
    ],
  };
  sandbox.people.put(personId, person);
  for (const currency of currencies) {
    const account = { id: sandbox.newId('2'), name: `${name} ${currency}`, currency, userId: personId };
    sandbox.accounts.put(account.id, account);
  }
  return person;
}
