import type { Consent, ConsentPerson, Received } from '../platform.ts';
import type { Collection, State } from '../state.ts';
import { createCodes, type CodeOptions, type Codes } from './codes.ts';
import { scopesOf } from './scopes.ts';
import { createTokens, type Grant, type Token, type TokenKind, type Tokens } from './tokens.ts';

interface User {
  id: string;
  name: string;
  username?: string;
}

/** A token with its user. */
export type Holder<Person, Kind extends string, More extends object> = Token<Kind, More> & { person: Person };

/** Users, authorization codes and tokens of one platform. */
export interface AuthServer<Person extends User, Kind extends string, More extends object = object> {
  people: Collection<Person>;
  codes: Codes;
  tokens: Tokens<Kind, More>;
  /** The holder of a known token of this kind, or of any. */
  holderOf: (token: string | undefined, kind?: Kind) => Holder<Person, Kind, More> | undefined;
}

interface AuthOptions<Kind extends string> {
  platform: string;
  /** The beginning of the names of its collections. */
  collections: string;
  tokens: Record<Kind, TokenKind>;
  codes?: Omit<CodeOptions, 'collection'>;
}

export function createAuthServer<Person extends User, Kind extends string, More extends object = object>(
  state: State,
  { platform, collections, tokens: kinds, codes }: AuthOptions<Kind>,
): AuthServer<Person, Kind, More> {
  const people = state.collection<Person>(`${collections}.people`);
  const allScopes = scopesOf(platform);
  const tokens = createTokens<Kind, More>(state, { collection: `${collections}.tokens`, kinds, allScopes });
  return {
    people,
    tokens,
    codes: createCodes(state, { collection: `${collections}.codes`, ...codes }),
    holderOf(token, kind) {
      const known = tokens.find(token, kind);
      const person = known && people.get(known.personId);
      return person && { ...known, person };
    },
  };
}

/** What the consent page needs of a platform: its users, and the code of a user's consent. */
export function consentOf<Person extends User>(
  { people, codes }: { people: Collection<Person>; codes: Codes },
  createPerson: (name: string) => Person,
  aboutOf: (person: Person) => string | undefined = ({ username }) => username,
): { people: () => ConsentPerson[]; grant: (consent: Consent) => string } {
  return {
    people: () => people.all().map((person) => ({ id: person.id, name: person.name, about: aboutOf(person) })),
    grant: (consent) => codes.issue(consent, (people.get(consent.personId ?? '') ?? createPerson(consent.name)).id),
  };
}

/** What the control API returns of a user who has given consent. */
export function connectionOf<More extends object>(
  { tokens }: { tokens: Pick<Tokens<'access' | 'refresh', More>, 'issue' | 'lifetimeSeconds'> },
  { id, name, username = name }: User,
  grant: Omit<Grant & More, 'personId'>,
): { userId: string; name: string; username: string; accessToken: string; refreshToken: string; expiresIn: number } {
  const full = { ...grant, personId: id } as Grant & More;
  return {
    userId: id,
    name,
    username,
    accessToken: tokens.issue('access', full),
    refreshToken: tokens.issue('refresh', full),
    expiresIn: tokens.lifetimeSeconds('access'),
  };
}

type Headers = Pick<Received, 'headers'>;

/** The token of a bearer header, for platforms that accept nothing else. */
export const bearerIn = ({ headers }: Headers): string | undefined =>
  /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1];

/** The client of a basic authentication header, if it has an id and a secret. */
export function basicClientIn({ headers }: Headers): string | undefined {
  const [, basic = ''] = /^Basic (.+)$/.exec(headers['authorization'] ?? '') ?? [];
  const [, id, secret] = /^([^:]+):(.+)$/.exec(Buffer.from(basic, 'base64').toString()) ?? [];
  return id !== undefined && secret !== undefined ? decodeURIComponent(id) : undefined;
}
