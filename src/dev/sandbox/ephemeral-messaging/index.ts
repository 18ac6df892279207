import type { MakePlatform, Received, Reply, SimulatedPlatform } from '../platform.ts';
import { createControl, createPerson } from './control.ts';
import { failWith, forbidden, notFound, notListed, unauthorized } from './errors.ts';
import { consentOf } from '../oauth/auth-server.ts';
import { token } from './oauth.ts';
import { oneProfile, organizationsOf, ownProfile, profilesOf } from './profiles.ts';
import { createState, type Person, type SandboxState } from './state.ts';

/** The read-only public profile API of the ephemeral-messaging network. */
export const createEphemeralMessaging: MakePlatform = (state): SimulatedPlatform => {
  const sandbox = createState(state);
  return {
    name: 'ephemeral-messaging',
    answer: (request) => answer(sandbox, request),
    failWith: (fault, { path }) => failWith(fault, path),
    ...consentOf(sandbox, (name) => createPerson(sandbox, name)),
    control: createControl(sandbox),
    holds: () => [
      {
        kind: 'public profiles',
        rows: sandbox.profiles
          .all()
          .toReversed()
          .map(({ id, displayName, username, subscribers }) => ({ id, displayName, username, subscribers })),
      },
    ],
  };
};

function answer(sandbox: SandboxState, request: Received): Reply {
  const { path, method, headers } = request;
  if (path === '/login/oauth2/access_token') return token(sandbox, request);
  if (!sandbox.settings().isAllowed) return notListed;
  if (!headers['authorization']) return unauthorized('The Authorization header is missing');
  const holder = sandbox.holderOf(request.token, 'access');
  if (!holder || holder.state === 'invalid') return unauthorized('The access token is invalid');
  if (holder.state === 'expired') return unauthorized('The access token expired');
  const needed = path.startsWith('/adsapi/') ? 'snapchat-marketing-api' : 'snapchat-profile-api';
  if (!holder.scopes.includes(needed)) return forbidden();
  return method === 'GET' ? dispatch(sandbox, holder.person, request) : notFound();
}

function dispatch(sandbox: SandboxState, person: Person, { path, query, url }: Received): Reply {
  if (path === '/adsapi/v1/me/organizations') return organizationsOf(sandbox, person);
  if (path === '/v1/public_profiles/my_profile') return ownProfile(sandbox, person);
  const organizationId = /^\/v1\/organizations\/([^/]+)\/public_profiles$/.exec(path)?.[1];
  if (organizationId) return profilesOf(sandbox, { person, organizationId, address: url }, query);
  const id = /^\/v1\/public_profiles\/([^/]+)$/.exec(path)?.[1];
  return id ? oneProfile(sandbox, person, id) : notFound();
}
