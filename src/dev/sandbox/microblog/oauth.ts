import { parseAddress } from '../../../lib/web-address.ts';
import type { Received, Reply } from '../platform.ts';
import { numbered } from './errors.ts';
import { authorize, callbackOf, consumerKey, issueSigning, secret } from './people.ts';
import { verify, type Nonces, type SignatureCheck } from './signature.ts';
import type { RequestToken, SandboxState } from './state.ts';

const problems = {
  bad: numbered(32, 'Could not authenticate you.'),
  token: numbered(89, 'Invalid or expired token.'),
  timestamp: numbered(135, 'Timestamp out of bounds.'),
};

const text = (pairs: Record<string, string>): Reply => ({ status: 200, body: new URLSearchParams(pairs).toString() });

/** Three-legged OAuth 1.0a for the ads API. */
export function oauth(sandbox: SandboxState, nonces: Nonces, request: Received): Reply {
  switch (`${request.method} ${request.path}`) {
    case 'POST /oauth/request_token':
      return requestToken(sandbox, nonces, request);
    case 'GET /oauth/authenticate':
    case 'GET /oauth/authorize':
      return redirectToConsent(sandbox, request);
    case 'GET /oauth/agreed':
      return backToCaller(sandbox, request);
    case 'POST /oauth/access_token':
      return accessToken(sandbox, nonces, request);
    default:
      return numbered(34, 'Sorry, that page does not exist.', 404);
  }
}

/** OAuth parameters may be in the header, the query or the form. */
function signedParams(request: Received, check: SignatureCheck): Record<string, string> | Reply {
  const verified = verify(request, check);
  if ('problem' in verified) return problems[verified.problem];
  return { ...request.query, ...request.form, ...verified.header };
}

const isReply = (value: Record<string, string> | Reply): value is Reply => typeof value['status'] === 'number';

function requestToken(sandbox: SandboxState, nonces: Nonces, request: Received): Reply {
  const params = signedParams(request, { nonces, secretOf: () => '', isTokenNeeded: false });
  if (isReply(params)) return params;
  const { oauth_callback = '' } = params;
  if (!parseAddress(oauth_callback)) return numbered(417, 'The callback is not valid.', 403);
  const asked: RequestToken = { token: secret(20), secret: secret(24), callback: oauth_callback, isUsed: false };
  sandbox.requestTokens.put(asked.token, asked);
  return text({
    oauth_token: asked.token,
    oauth_token_secret: asked.secret,
    oauth_callback_confirmed: 'true',
  });
}

const gone: Reply = {
  status: 400,
  body: '<!doctype html><title>Not valid</title><p>The request token for this page is not valid. It may have been used already.</p>',
};

/** Redirects to the sandbox's consent page, which returns to `agreed`. */
function redirectToConsent(sandbox: SandboxState, { url, query }: Received): Reply {
  const asked = sandbox.requestTokens.get(query['oauth_token'] ?? '');
  if (!asked || asked.isUsed || asked.verifier) return gone;
  const { origin } = new URL(url);
  const consent = new URL('/consent/microblog', origin);
  consent.searchParams.set('client_id', consumerKey);
  consent.searchParams.set('redirect_uri', `${origin}/microblog/oauth/agreed?oauth_token=${asked.token}`);
  consent.searchParams.set('response_type', 'code');
  consent.searchParams.set('scope', 'ads.read ads.write');
  consent.searchParams.set('state', asked.token);
  return { status: 302, body: undefined, headers: { location: consent.href } };
}

function backToCaller(sandbox: SandboxState, { url, query }: Received): Reply {
  const asked = sandbox.requestTokens.get(query['oauth_token'] ?? '');
  if (!asked) return gone;
  const redirectUri = `${url}?oauth_token=${asked.token}`;
  const redeemed = sandbox.codes.redeem({ code: query['code'] ?? '', clientId: consumerKey, redirectUri });
  if ('problem' in redeemed) {
    const denied = new URL(asked.callback);
    denied.searchParams.set('denied', asked.token);
    return { status: 302, body: undefined, headers: { location: denied.href } };
  }
  const agreed = authorize(sandbox, asked.token, () => redeemed.personId);
  return agreed ? { status: 302, body: undefined, headers: { location: callbackOf(agreed) } } : gone;
}

function accessToken(sandbox: SandboxState, nonces: Nonces, request: Received): Reply {
  const secretOf = (token: string): string | undefined => {
    const asked = sandbox.requestTokens.get(token);
    return asked?.isUsed ? undefined : asked?.secret;
  };
  const params = signedParams(request, { nonces, secretOf });
  if (isReply(params)) return params;
  const asked = sandbox.requestTokens.get(params['oauth_token'] ?? '');
  if (!asked?.verifier || asked.verifier !== params['oauth_verifier'] || asked.userId === undefined)
    return problems.token;
  sandbox.requestTokens.put(asked.token, { ...asked, isUsed: true });
  const pair = issueSigning(sandbox, asked.userId);
  return text({
    oauth_token: pair.token,
    oauth_token_secret: pair.secret,
    user_id: asked.userId,
    screen_name: sandbox.people.get(asked.userId)?.username ?? '',
  });
}
