import { Hono, type Context } from 'hono';
import { parseAddress } from '../../../lib/web-address.ts';
import { clientName } from './clients.ts';
import { challengeOf } from './codes.ts';
import { consentPage, rejectionPage } from './consent-page.ts';
import type { SimulatedPlatform } from '../platform.ts';
import { scopesOf } from './scopes.ts';

type Params = Record<string, string>;

/** A consent request with a valid client and redirect URI. */
export interface Asking {
  platform: string;
  clientId: string;
  asker: string;
  redirectUri: string;
  scopes: string[];
  /** The original parameters, resubmitted with the decision. */
  params: Params;
}

type Granting = SimulatedPlatform & Required<Pick<SimulatedPlatform, 'grant'>>;

const headers = {
  'Cache-Control': 'no-store',
  // The form sends its origin; other origins receive no referrer.
  'Referrer-Policy': 'same-origin',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
};
const asked =
  'client_id app_id redirect_uri state scope code_challenge code_challenge_method response_type login_hint'.split(' ');

/** The consent pages of all platforms that have users. */
export function consentPages(platforms: SimulatedPlatform[]): Hono {
  const app = new Hono();
  app.get('/:platform', async (c) => {
    const found = await readAsking(c, platforms, c.req.query());
    if (found instanceof Response) return found;
    const people = (found.platform.people?.() ?? []).toReversed();
    return c.html(consentPage(found.asking, people), 200, headers);
  });
  app.post('/:platform', async (c) => {
    const body = await c.req.parseBody({ all: true });
    const params = Object.fromEntries(
      Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
    const found = await readAsking(c, platforms, params);
    if (found instanceof Response) return found;
    const ticked = [body['granted'] ?? []].flat().map(String);
    // A form with no box checked has `boxes` in its URL; one without boxes grants what was requested.
    const isChosen = ticked.length > 0 || c.req.query('boxes') !== undefined;
    const scopes = found.asking.scopes.filter((scope) => !isChosen || ticked.includes(scope));
    return decide(c, { ...found, scopes }, params);
  });
  return app;
}

interface Found {
  platform: Granting;
  asking: Asking;
}

/** Returns the consent request, or the response to an invalid one. */
async function readAsking(c: Context, platforms: SimulatedPlatform[], given: Params): Promise<Found | Response> {
  const platform = platforms.find(({ name }) => name === c.req.param('platform'));
  if (!platform || !isGranting(platform)) return refuse(c, 'There is no such platform here.', 404);
  const clientId = given['client_id'] ?? given['app_id'] ?? '';
  const asker = clientName(clientId);
  if (asker === undefined) return refuse(c, 'Unknown application: check client_id.');
  const redirectUri = given['redirect_uri'] ?? '';
  if (!parseAddress(redirectUri) || !/^https?:/.test(redirectUri))
    return refuse(c, 'The way back is missing: redirect_uri must be a full http or https address.');
  const params = Object.fromEntries(asked.flatMap((name) => (given[name] ? [[name, given[name]]] : [])));
  const requested = (given['scope'] ?? '').split(/[\s,]+/).filter(Boolean);
  const scopes = requested.length > 0 ? requested : scopesOf(platform.name);
  const asking = { platform: platform.name, clientId, asker, redirectUri, scopes, params };
  const wrong = wrongIn(params);
  return wrong ? back(c, asking, wrong) : { platform, asking };
}

const isGranting = (platform: SimulatedPlatform): platform is Granting => platform.grant !== undefined;

function wrongIn({ response_type: type, code_challenge_method: method }: Params): Params | undefined {
  if (type !== undefined && type !== 'code')
    return { error: 'unsupported_response_type', error_description: 'Only response_type=code is supported' };
  if (method !== undefined && method !== 'S256' && method !== 'plain')
    return { error: 'invalid_request', error_description: 'code_challenge_method must be S256 or plain' };
  return undefined;
}

async function decide(
  c: Context,
  { platform, asking, scopes }: Found & { scopes: string[] },
  answers: Params,
): Promise<Response> {
  if (answers['decision'] === 'refuse')
    return back(c, asking, { error: 'access_denied', error_description: 'The user denied the request' });
  if (answers['decision'] !== 'approve') return refuse(c, 'Choose Approve or Refuse.');
  const { person = 'new' } = answers;
  const personId = person === 'new' ? undefined : person;
  const isKnown = personId === undefined || platform.people?.().some(({ id }) => id === personId);
  if (!isKnown) return refuse(c, 'Unknown user.');
  const name = (answers['name'] ?? '').trim().slice(0, 80) || 'New person';
  const { clientId, redirectUri, params } = asking;
  const code = platform.grant({ clientId, redirectUri, codeChallenge: challengeIn(params), scopes, personId, name });
  return back(c, asking, { code, ...(platform.name === 'network-c' && { auth_code: code }) });
}

/** Challenges are compared as S256, so a plain one is converted. */
const challengeIn = ({ code_challenge: challenge, code_challenge_method: method = 'plain' }: Params) =>
  challenge !== undefined && method === 'plain' ? challengeOf(challenge) : challenge;

/** Redirects to the client with the result and its state. */
function back(c: Context, { redirectUri, params }: Asking, answer: Params): Response {
  const url = new URL(redirectUri);
  const { state } = params;
  for (const [name, value] of Object.entries({ ...answer, ...(state !== undefined && { state }) }))
    url.searchParams.set(name, value);
  return c.body(null, 303, { ...headers, Location: url.href });
}

const refuse = async (c: Context, text: string, status: 400 | 404 = 400): Promise<Response> =>
  c.html(rejectionPage(text), status, headers);
