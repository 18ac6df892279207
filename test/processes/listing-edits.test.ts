import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeListing, type Listing } from '../api/listing-support.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess } from '../support/process.ts';

let app: TestApp;
let listing: Listing;

beforeAll(async () => {
  app = await startTestApp({ RECONCILE_INTERVAL_SECONDS: '0.2' });
});
afterAll(() => app.stop());
beforeEach(async () => {
  listing = await makeListing(app);
});

const details = {
  updateMask: 'storeCode,labels,profile.description',
  storeCode: 'K-9',
  labels: null,
  profile: { description: 'New.' },
};
const attributes = {
  attributeMask: 'has_delivery,wi_fi',
  attributes: [
    { name: 'has_delivery', values: [false] },
    { name: 'wi_fi', values: ['no_wi_fi'] },
  ],
};

const edits = () => app.app.services.db.listingEdits;
const events = async (): Promise<{ fields: string[] }[]> =>
  (await app.app.services.db.webhookEvents.find({ userId: listing.userId, type: 'listing.updated' }).lean()).map(
    ({ body }) => JSON.parse(body).listing,
  );

/** As if the lease of the process that began the edits had expired, and an inspection were due. */
const makeDue = (fields: object = {}) =>
  edits().updateMany({}, { $set: { lease: null, reconcileAt: new Date(0), ...fields } });

/** The worker inspects the edits that were left behind until nothing is open. */
const reconciled = async (): Promise<void> => {
  const open = async (): Promise<number> => {
    await makeDue({ firstMissedAt: new Date(0) });
    return edits().countDocuments();
  };
  await expect.poll(open, { interval: 500 }).toBe(0);
};

/** A process is killed with `kill -9` while it waits for the platform's answer. */
async function killedDuring(edge: 'attributes' | 'location-details', body: object, fault: string): Promise<void> {
  const victim = await startProcess({ ...app.env, ROLE: 'api' });
  await listing.fail(fault, { method: 'PATCH' });
  const path = `/v1/accounts/${listing.accountId}/listing-${edge}`;
  const headers = { 'Idempotency-Key': 'killed' };
  const lost = victim.call('PUT', path, { key: listing.key, body, headers }).catch(() => 'lost');
  const faults = async (): Promise<unknown[]> =>
    ((await (await fetch(`${app.sandbox.url}/control/faults`)).json()) as { faults: [] }).faults;
  await expect.poll(faults).toHaveLength(0);
  await victim.end('SIGKILL');
  expect(await lost).toBe('lost');
}

describe('a process that is killed after the platform changed a listing', () => {
  it.each([
    ['location-details', details, ['storeCode', 'labels', 'profile.description']],
    ['attributes', attributes, ['attributes/has_delivery', 'attributes/wi_fi']],
  ] as const)('leaves %s that are published once', async (edge, body, fields) => {
    await killedDuring(edge, body, 'timeout_after');
    expect(await events()).toEqual([]);
    await reconciled();
    await expect.poll(async () => (await events()).length).toBe(1);
    const { accountId, profileId, locationId } = listing;
    expect(await events()).toEqual([{ accountId, profileId, locationId, fields }]);
  });

  it('is followed by the same call, which publishes it once', async () => {
    await killedDuring('location-details', details, 'timeout_after');
    await app.app.services.db.idempotency.updateMany({ key: 'killed' }, { $set: { lease: null } });
    const again = await listing.put('location-details', details, { headers: { 'Idempotency-Key': 'killed' } });
    expect(again.status).toBe(200);
    await reconciled();
    await expect.poll(async () => (await events()).length).toBe(1);
  });

  it('publishes nothing if the platform never changed it', async () => {
    await killedDuring('location-details', details, 'timeout_before');
    await reconciled();
    await listing.put('location-details', { updateMask: 'title', title: 'Another' });
    await expect.poll(async () => (await events()).length).toBeGreaterThan(0);
    expect((await events()).map(({ fields }) => fields)).toEqual([['title']]);
  });
});

describe('a process that is killed while the platform reviews changes', () => {
  it('leaves an edit that is looked for again', async () => {
    await listing.put('location-details', { updateMask: 'title', title: 'Shop [review:pending]' });
    await killedDuring('location-details', details, 'timeout_before');
    await makeDue();
    const soon = () => edits().countDocuments({ reconcileAt: { $lte: new Date() } });
    await expect.poll(soon).toBe(0);
    expect(await edits().countDocuments()).toBe(1);
    await edits().deleteMany({});
  });
});

describe('an edit whose answer never came', () => {
  it('is published when the platform shows it', async () => {
    await listing.fail('reset_after', { method: 'PATCH' }, 3);
    expect((await listing.put('location-details', details)).status).toBe(502);
    expect(await edits().countDocuments()).toBe(1);
    await reconciled();
    await expect.poll(async () => (await events()).length).toBe(1);
  });

  it('is published once when the caller repeats it', async () => {
    await listing.fail('reset_after', { method: 'PATCH' }, 3);
    expect((await listing.put('location-details', details)).status).toBe(502);
    expect((await listing.put('location-details', details)).status).toBe(200);
    expect(await edits().countDocuments()).toBe(0);
    await expect.poll(async () => (await events()).length).toBe(1);
  });
});

describe('an edit that the platform does not show', () => {
  it('is inspected a second time before it is given up', async () => {
    await killedDuring('location-details', details, 'timeout_before');
    await makeDue();
    await expect.poll(() => edits().countDocuments({ firstMissedAt: { $ne: null } })).toBe(1);
    await reconciled();
    expect(await events()).toEqual([]);
  });
});

describe('an edit that the platform refuses', () => {
  it.each(['rate_limited', 'policy_block'])('leaves nothing behind (%s)', async (fault) => {
    await listing.fail(fault, { method: 'PATCH' });
    expect((await listing.put('location-details', details)).status).toBeGreaterThanOrEqual(400);
    expect(await edits().countDocuments()).toBe(0);
  });
});
