import { afterEach, beforeEach, expect, it } from 'vitest';
import { createUpstream } from '../../src/platforms/http.ts';
import { codeFlow } from '../../src/platforms/oauth.ts';
import { scopeTables } from '../../src/platforms/scopes.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => void (upstream = await startUpstream()));
afterEach(() => upstream.stop());

// The account loses its refresh token with the last access token.
it.each([
  [3_600, true],
  ['3600', true],
  [7_200, false],
  [undefined, false],
  [null, false],
  [0, false],
  ['', false],
  ['never', false],
])('a token of an hour whose refresh token ends in %j s is the last: %s', async (left, isLast) => {
  upstream.respond = () => ({ json: { access_token: 'new', expires_in: 3_600, refresh_token_expires_in: left } });
  const app = { platform: 'F', authUrl: upstream.url, tokenUrl: '/token', scopes: scopeTables.professional };
  const flow = codeFlow(createUpstream({ platform: 'F', baseUrl: upstream.url }), app);
  expect(await flow.refresh('old')).toMatchObject({ token: 'new', isLast });
});
