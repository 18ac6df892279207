import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { createApiKey } from '../../src/services/api-keys/create-api-key.ts';
import { revokeApiKey } from '../../src/services/api-keys/revoke-api-key.ts';
import { rotateApiKey } from '../../src/services/api-keys/rotate-api-key.ts';
import type { Ctx, Services } from '../../src/services/context.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { makeCtx, makeServices, type TestServices } from '../support/services.ts';

let services: TestServices;
let ctx: Ctx;
beforeEach(async () => {
  services = await makeServices();
  ctx = await makeCtx(services);
});
afterEach(() => services.stop());

const input = { name: 'Reports', scope: 'full', permission: 'read' } as const;
const stored = () => services.db.activity.find({ userId: ctx.caller.userId }).sort({ createdAt: 1, action: 1 }).lean();
const actions = async (): Promise<string[]> => (await stored()).map(({ action }) => action);

/** The same services, where one way of writing to a collection fails. */
const refusing = (collection: 'activity' | 'apiKeys', method: 'bulkWrite' | 'updateOne'): Pick<Services, 'db'> => ({
  db: {
    ...services.db,
    [collection]: new Proxy(services.db[collection] as object, {
      get: (target, name): unknown =>
        name === method ? () => Promise.reject(new Error('The process died')) : Reflect.get(target, name),
    }),
  },
});

describe('an entry of the activity trail', () => {
  it('is in the document of its change until the relay has stored it', async () => {
    const { apiKey } = await createApiKey(ctx, input, newId());
    const own = await services.db.apiKeys.findOne({ _id: apiKey.id }).lean();
    expect(own?.pendingEvents).toMatchObject([{ type: 'api_key.created' }, { type: 'activity' }]);
    expect(await actions()).toEqual([]);
    await relayEvents(services);
    expect(await stored()).toMatchObject([
      { _id: own?.pendingEvents?.[1]?.eventId, action: 'api_key.created', object: { id: apiKey.id, name: 'Reports' } },
    ]);
    expect((await services.db.apiKeys.findOne({ _id: apiKey.id }).lean())?.pendingEvents).toEqual([]);
  });

  it('is stored once if the relay dies before it has emptied the outbox', async () => {
    await createApiKey(ctx, input, newId());
    await relayEvents({ ...services, ...refusing('apiKeys', 'bulkWrite') });
    expect(await actions()).toEqual(['api_key.created']);
    await relayEvents(services);
    await relayEvents(services);
    expect(await actions()).toEqual(['api_key.created']);
    expect(await services.db.apiKeys.countDocuments({ 'pendingEvents.0': { $exists: true } })).toBe(0);
  });

  it('is neither lost nor doubled if a request dies halfway and is repeated', async () => {
    const { apiKey } = await createApiKey(ctx, input, newId());
    const rotated = newId();
    const rotate = (by: Ctx) => rotateApiKey(by, { keyId: apiKey.id, overlapHours: 1 }, rotated);
    await expect(rotate({ ...ctx, ...refusing('apiKeys', 'updateOne') })).rejects.toThrow('The process died');
    await relayEvents(services);
    expect(await actions()).toEqual(['api_key.created', 'api_key.created']);
    await rotate(ctx);
    await rotate(ctx);
    await relayEvents(services);
    expect(await actions()).toEqual(['api_key.created', 'api_key.created', 'api_key.rotated']);
  });

  it('is stored once for any number of concurrent calls', async () => {
    const { apiKey } = await createApiKey(ctx, input, newId());
    await Promise.allSettled(Array.from({ length: 10 }, () => revokeApiKey(ctx, { keyId: apiKey.id })));
    await relayEvents(services);
    expect(await actions()).toEqual(['api_key.created', 'api_key.revoked']);
  });

  it('does not hold up events if the database rejects it, and is kept for the operator', async () => {
    const { userId } = ctx.caller;
    const url = 'http://127.0.0.1:9/hook';
    await services.db.webhooks.create({ userId, slot: 1, name: 'w', url, events: ['*'] });
    const { apiKey } = await createApiKey(ctx, input, newId());
    const rejecting = { ...services, ...refusing('activity', 'bulkWrite') };
    await relayEvents(rejecting);
    expect(await services.db.webhookDeliveries.countDocuments({ userId, type: 'api_key.created' })).toBe(1);
    services.pass(31);
    await relayEvents(rejecting);
    const key = await services.db.apiKeys.collection.findOne({ _id: apiKey.id } as never);
    expect(key).toMatchObject({ pendingEvents: [], deadLetterEvents: [{ type: 'activity' }] });
    // No webhook has a failed delivery of it.
    expect(await services.db.webhookDeliveries.countDocuments({ userId })).toBe(1);
  });
});
