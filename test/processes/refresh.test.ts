import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountPlatform } from '../../src/contract/platforms.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let other: ServiceProcess;

beforeAll(async () => {
  app = await startTestApp({ REFRESH_EVERY_SECONDS: '86400' });
  other = await startProcess({ ...app.env, ROLE: 'api' });
});
afterAll(async () => {
  await other.end('SIGTERM');
  await app.stop();
});

const control = (platform: string, what: string, token: string | undefined) =>
  fetch(`${app.sandbox.url}/control/${platform}/${what}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  });
const exchanges = async (platform: string): Promise<number> => {
  const { entries } = (await (await fetch(`${app.sandbox.url}/ledger?platform=${platform}`)).json()) as {
    entries: { path: string; method: string }[];
  };
  return entries.filter(({ path, method }) => method === 'POST' && /token$/i.test(path)).length;
};
/** Fifty at once, half of them in each process. */
const many = (fixture: UserFixture, path: string): Promise<Answer[]> =>
  Promise.all(Array.from({ length: 50 }, (_, at) => (at % 2 ? app : other).call('GET', path, { key: fixture.key })));
const stored = ({ accountId }: UserFixture) => app.app.services.db.accounts.findOne({ _id: accountId }).lean().orFail();
const search = ({ accountId }: UserFixture): string =>
  `/v1/ads/targeting/search?accountId=${accountId}&type=country&q=united`;

const platforms: AccountPlatform[] = ['pin-board', 'professional'];

describe.each(platforms)('fifty requests in two processes with a token of %s that', (platform) => {
  it('has expired renew it once and are all answered', async () => {
    const fixture = await createUserFixture(app, { platform });
    await control(platform, 'tokens/expire', fixture.token);
    await fetch(`${app.sandbox.url}/ledger`, { method: 'DELETE' });
    const answers = await many(fixture, search(fixture));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    expect(await exchanges(platform)).toBe(1);
    expect(await stored(fixture)).toMatchObject({ needsReconnect: false, refreshLease: null });
  });

  it('was known to end renew it once too', async () => {
    const fixture = await createUserFixture(app, { platform });
    await app.app.services.db.accounts.updateOne({ _id: fixture.accountId }, { $set: { tokenExpiresAt: new Date() } });
    await fetch(`${app.sandbox.url}/ledger`, { method: 'DELETE' });
    const answers = await many(fixture, search(fixture));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await exchanges(platform)).toBe(1);
  });

  it('cannot be renewed any more are refused alike, and the account is cut off once', async () => {
    const fixture = await createUserFixture(app, { platform });
    await control(platform, 'tokens/expire', fixture.token);
    await control(platform, 'refresh-tokens/invalidate', fixture.connection.refreshToken);
    const answers = await many(fixture, search(fixture));
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(['platform_token_expired']));
    expect(await stored(fixture)).toMatchObject({ needsReconnect: true, sequence: 1 });
  });
});
