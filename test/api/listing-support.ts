import type { Answer, CallOptions, TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

export interface Listing extends UserFixture {
  /** The selected location, and another of the same person. */
  locationId: string;
  otherId: string;
  put: (edge: 'attributes' | 'location-details' | 'locations', body: object, options?: CallOptions) => Promise<Answer>;
  get: (edge: string, options?: CallOptions) => Promise<Answer>;
  /** The patches that the platform received meanwhile. */
  patches: (run: () => Promise<unknown>) => Promise<Patch[]>;
  /** What the platform holds of the selected location. */
  held: () => Promise<Record<string, unknown>>;
  /** The next matching requests of this person fail so. */
  fail: (fault: string, match?: object, times?: number) => Promise<void>;
  control: (path: string, body: object) => Promise<unknown>;
}

export interface Patch {
  path: string;
  query: Record<string, string>;
  body: Record<string, unknown>;
}

/** A person with a connected listing account, and the calls that are made for it. */
export async function makeListing(app: TestApp): Promise<Listing> {
  const fixture = await createUserFixture(app, { platform: 'listing' });
  const [own = '', other = ''] = (fixture.connection.locations ?? []).map(({ name }) => name.split('/').at(-1) ?? '');
  const { url } = app.sandbox;
  const at = `/v1/accounts/${fixture.accountId}/listing-`;
  const control: Listing['control'] = async (path, body) => {
    const answer = await fetch(`${url}/control/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  return {
    ...fixture,
    locationId: own,
    otherId: other,
    control,
    put: (edge, body, options) => app.call('PUT', at + edge, { key: fixture.key, body, ...options }),
    get: (edge, options) => app.call('GET', at + edge, { key: fixture.key, ...options }),
    async patches(run) {
      await fetch(`${url}/ledger`, { method: 'DELETE' });
      await run();
      const { entries } = (await (await fetch(`${url}/ledger`)).json()) as { entries: (Patch & { method: string })[] };
      return entries.filter(({ method }) => method === 'PATCH').map(({ path, query, body }) => ({ path, query, body }));
    },
    async held() {
      const answer = await fetch(`${url}/control/listing/objects?type=location`);
      const { objects } = (await answer.json()) as { objects: Record<string, unknown>[] };
      return objects.find(({ name }) => name === `locations/${own}`) ?? {};
    },
    fail: async (fault, match = {}, times = 1) =>
      void (await control('faults', { platform: 'listing', fault, match, times, token: fixture.token })),
  };
}
