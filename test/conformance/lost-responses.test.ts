import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reconcileDueOrders } from '../../src/services/ads/reconcile-orders.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import {
  adsIn,
  campaignNameAt,
  campaignSwitch,
  fault,
  goodAdOf,
  namesAt,
  noFaults,
  received,
  subjects,
  fixtureOf,
} from './platforms.ts';
import { sampleOf } from '../support/sample.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());
afterEach(() => noFaults(app));

const recheckMs = 60_000;

/** What the reconciler does in the next half hour. */
async function reconcile(): Promise<void> {
  const { services } = app.app;
  for (let minutes = 10; minutes < 40; minutes += 5) {
    const later = { now: () => new Date(Date.now() + minutes * 60_000) };
    await reconcileDueOrders({ ...services, clock: later }, 100, { recheckMs });
  }
}

describe.each(subjects)('platform $platform', (subject) => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const post = (body: object, key: string): Promise<Answer> =>
    app.call('POST', '/v1/ads/create', { key: fixture.key, body, headers: { 'Idempotency-Key': key } });

  // The platform acted before the answer was lost, or it never did.
  it.each(['reset_after', 'html_502'])('says how every order ended, whichever of its writes met a %s', async (name) => {
    const writes = await received(app, subject, async () => {
      expect((await post(goodAdOf(app, subject, fixture), `${name}-${subject.platform}`)).status).toBe(201);
    });
    const count = writes.filter(({ method }) => method === 'POST').length;
    expect(count).toBeGreaterThan(1);
    for (const skip of sampleOf([...Array(count).keys()], 2)) {
      const body = goodAdOf(app, subject, fixture);
      await fault(app, subject, { fault: name, match: { method: 'POST' }, skip });
      const answer = await post(body, `${name}-${subject.platform}-${skip}`);
      await noFaults(app);
      await reconcile();
      const { ads } = (await app.call('GET', `/v1/ads?accountId=${fixture.accountId}&limit=1`, { key: fixture.key }))
        .body;
      const at = `write ${skip + 1} of ${count}, answered ${answer.status}`;
      expect(ads[0], at).toMatchObject({ name: body['name'] });
      expect(ads[0].status, at).toMatch(/^(active|pending_review|error)$/);
      if (ads[0].status === 'error')
        expect((await campaignSwitch(app, subject, campaignNameAt(ads[0]))) ?? 'none', at).not.toMatch(
          /^(ACTIVE|ENABLED?)$/,
        );
      const again = await post(body, `${name}-${subject.platform}-${skip}`);
      expect(again, at).toMatchObject({ status: 201, body: { ad: { name: body['name'] } } });
      const named = async (kind: string): Promise<string[]> =>
        (await namesAt(app, subject, kind)).filter((name) => name.startsWith(`${String(body['name'])} `));
      expect([await named(subject.kinds.campaign), await named(subject.kinds.adSet)], at).toMatchObject([
        { length: 1 },
        { length: 1 },
      ]);
      expect(await adsIn(app, subject, again.body.ad.platformAdSetId), at).toBe(1);
    }
  });
});
