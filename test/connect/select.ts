import type { TestApp } from '../support/app.ts';
import { walk } from '../support/consent.ts';
import type { UserFixture } from '../support/user-fixture.ts';

export interface Chosen {
  tempToken: string;
  connectToken: string;
  userProfile: Record<string, string>;
  params: Record<string, string>;
}

/** What the redirect of a flow with a choice brings. */
export async function consented(
  app: TestApp,
  fixture: UserFixture,
  platform: string,
  { answers = {}, query = {} }: { answers?: Record<string, string>; query?: Record<string, string> } = {},
): Promise<Chosen> {
  const asked = { profileId: fixture.profileId, redirect_url: 'https://app.example/next', ...query };
  const { body } = await app.call('GET', `/v1/connect/${platform}?${new URLSearchParams(asked)}`, { key: fixture.key });
  const { url } = await walk(body.authUrl, answers);
  const params = Object.fromEntries(url.searchParams);
  return {
    params,
    tempToken: params['tempToken'] ?? '',
    connectToken: params['connect_token'] ?? '',
    userProfile: JSON.parse(params['userProfile'] ?? '{}') as Record<string, string>,
  };
}

/** A person at the sandbox with tokens of their own, for callers who ran the consent themselves. */
export async function newPerson<T>(app: TestApp, platform: string, requested: object = {}): Promise<T> {
  const response = await fetch(`${app.sandbox.url}/control/${platform}/connections`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Raw Shop', ...requested }),
  });
  return (await response.json()) as T;
}
