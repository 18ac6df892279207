import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/lib/hash.ts';
import { newId } from '../../src/lib/id.ts';
import type { ApiKeyDoc } from '../../src/models/api-key.ts';
import { publishExpiringKeys } from '../../src/services/api-keys/publish-expiring.ts';
import { apiKeyLimit, createApiKey } from '../../src/services/api-keys/create-api-key.ts';
import { revokeApiKey } from '../../src/services/api-keys/revoke-api-key.ts';
import { rotateApiKey } from '../../src/services/api-keys/rotate-api-key.ts';
import { callerWithKey, createKeyVerifier } from '../../src/services/api-keys/verify-api-key.ts';
import type { Ctx } from '../../src/services/context.ts';
import { makeCtx, makeServices, type TestServices } from '../support/services.ts';
import { eventsIn } from '../support/outbox.ts';

let services: TestServices;
let ctx: Ctx;

beforeAll(async () => {
  services = await makeServices();
});
afterAll(() => services.stop());
beforeEach(async () => {
  ctx = await makeCtx(services);
});

const settings = { name: 'a', scope: 'full', permission: 'read-write' } as const;
const makeKey = async (extra: { expiresIn?: number } = {}): Promise<{ id: string; key: string; bearer: string }> => {
  const { apiKey } = await createApiKey(ctx, { ...settings, ...extra }, newId());
  return { id: apiKey.id, key: apiKey.key!, bearer: `Bearer ${apiKey.key}` };
};
const stored = (id: string): Promise<ApiKeyDoc> => ctx.db.apiKeys.findOne({ _id: id }).lean().orFail();
const dayS = 86_400;

describe('creating a key', () => {
  const plant = (count: number, extra: object = {}) =>
    ctx.db.apiKeys.collection.insertMany(
      Array.from({ length: count }, () => {
        const _id = newId();
        return {
          _id,
          userId: ctx.caller.userId,
          keyHash: sha256(_id),
          revokedAt: null,
          expiresAt: null,
          ...extra,
        } as never;
      }),
    );

  it('is refused beyond the limit of live keys, which revoked and expired ones do not count towards', async () => {
    // The caller has a key already.
    await plant(apiKeyLimit - 2);
    await plant(1, { revokedAt: new Date() });
    await plant(1, { expiresAt: new Date(services.clock.now().getTime() - 1) });
    const { id } = await makeKey();
    await expect(makeKey()).rejects.toMatchObject({ code: 'api_key_limit_reached' });
    await createApiKey(ctx, settings, id);
    await revokeApiKey(ctx, { keyId: id });
    await makeKey();
  });
});

/** The verifier returns a promise only if it reads the store; here it always does, so that a refusal is a rejection. */
const verifierOf = (from: Parameters<typeof createKeyVerifier>[0]) => {
  const verifier = createKeyVerifier(from);
  return { verify: async (...given: Parameters<typeof verifier.verify>) => verifier.verify(...given) };
};

describe('verifying a key', () => {
  it('asks once in five seconds for a key that does not exist', async () => {
    const { verify } = verifierOf(services);
    const { key, bearer, id } = await makeKey();
    const doc = await stored(id);
    await ctx.db.apiKeys.deleteOne({ _id: id });
    await expect(verify(bearer)).rejects.toMatchObject({ code: 'invalid_credentials' });
    await ctx.db.apiKeys.collection.insertOne(doc as never);
    expect(doc.keyHash).toBe(sha256(key));
    await expect(verify(bearer)).rejects.toMatchObject({ code: 'invalid_credentials' });
    services.pass(6);
    expect(await verify(bearer)).toMatchObject({ caller: { userId: ctx.caller.userId } });
  });

  it('reads the store once in five seconds', async () => {
    const { bearer, key } = await makeKey();
    const { verify } = verifierOf(services);
    expect(await verify(bearer)).toMatchObject({ keyHash: sha256(key), caller: { userId: ctx.caller.userId } });
    await ctx.db.users.updateOne({ _id: ctx.caller.userId }, { $set: { plan: 'free' } });
    services.pass(4);
    expect((await verify(bearer)).caller.plan).toBe('usage-based');
    services.pass(2);
    expect((await verify(bearer)).caller.plan).toBe('free');
  });

  it('passes the cache by when asked to, so that a revoked key ends at once', async () => {
    const { bearer, id, key } = await makeKey();
    const { verify } = verifierOf(services);
    await verify(bearer);
    await revokeApiKey(ctx, { keyId: id });
    expect(services.marked).toContain(sha256(key));
    await expect(verify(bearer, { fresh: true })).rejects.toMatchObject({ code: 'invalid_credentials' });
    await expect(verify(bearer)).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  it('ends a key on the second, although it is in the cache', async () => {
    const { bearer } = await makeKey({ expiresIn: 1 });
    const { verify } = verifierOf(services);
    services.pass(dayS - 1);
    await verify(bearer);
    services.pass(1);
    await expect(verify(bearer)).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  it('writes the last use at most once a minute, and never backwards', async () => {
    const { bearer, id } = await makeKey();
    const { verify } = verifierOf(services);
    const usedAt = async (): Promise<number | undefined> => (await stored(id)).lastUsedAt?.getTime();
    const first = services.clock.now().getTime();
    await verify(bearer);
    await expect.poll(usedAt).toBe(first);
    services.pass(30);
    await verify(bearer);
    services.pass(31);
    await verify(bearer);
    await expect.poll(usedAt).toBe(first + 61_000);
    services.pass(-600);
    await verifierOf(services).verify(bearer);
    services.pass(600);
    expect(await usedAt()).toBe(first + 61_000);
  });

  it('refuses a key whose user is gone', async () => {
    const { bearer } = await makeKey();
    await ctx.db.users.deleteOne({ _id: ctx.caller.userId });
    await expect(verifierOf(services).verify(bearer)).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  it.each(['', 'Bearer', 'Bearer sk_', `Bearer sk_${'A'.repeat(64)}`, `bearer sk_${'0'.repeat(63)}`, 'sk_'])(
    'refuses the header "%s" without asking the store',
    async (authorization) => {
      const apart = { ...services, db: { ...services.db, apiKeys: undefined as never } };
      await expect(verifierOf(apart).verify(authorization)).rejects.toMatchObject({ name: 'AppError' });
    },
  );
});

describe('creating a key', () => {
  it('after a crash makes the same object again, with a key that works', async () => {
    const id = newId();
    const first = await createApiKey(ctx, settings, id);
    const second = await createApiKey(ctx, settings, id);
    expect(await ctx.db.apiKeys.countDocuments({ userId: ctx.caller.userId, _id: { $ne: ctx.caller.keyId } })).toBe(1);
    const { verify } = verifierOf(services);
    await expect(verify(`Bearer ${first.apiKey.key}`)).rejects.toMatchObject({ code: 'invalid_credentials' });
    expect((await verify(`Bearer ${second.apiKey.key}`)).caller.keyId).toBe(id);
    expect(eventsIn(await stored(id))).toHaveLength(1);
  });

  it('publishes it without the key or its hash', async () => {
    const { id, key } = await makeKey();
    const events = JSON.stringify((await stored(id)).pendingEvents);
    expect(events).toContain('api_key.created');
    expect(events).not.toContain(key);
    expect(events).not.toContain(sha256(key));
  });
});

describe('rotating a key', () => {
  const rotate = (keyId: string, id: string, overlapHours = 24) => rotateApiKey(ctx, { keyId, overlapHours }, id);

  it.each([0, 24])('after a crash goes on with the same end, at an overlap of %i hours', async (overlapHours) => {
    const old = await makeKey({ expiresIn: 30 });
    const end = (await stored(old.id)).expiresAt;
    const id = newId();
    const first = await rotate(old.id, id, overlapHours);
    services.pass(61);
    const second = await rotate(old.id, id, overlapHours);
    expect(second.apiKey).toMatchObject({ id, expiresAt: end?.toISOString() });
    expect(second.previousExpiresAt).toBe(first.previousExpiresAt);
    expect(await ctx.db.apiKeys.countDocuments({ userId: ctx.caller.userId, _id: { $ne: ctx.caller.keyId } })).toBe(2);
  });

  it('refuses an ended or revoked one', async () => {
    const [ended, revoked] = [await makeKey({ expiresIn: 1 }), await makeKey()];
    await revokeApiKey(ctx, { keyId: revoked.id });
    services.pass(dayS);
    for (const { id } of [ended, revoked]) {
      await expect(rotate(id, newId())).rejects.toMatchObject({ code: 'api_key_not_found' });
    }
  });
});

describe('revoking a key', () => {
  it('publishes it once for any number of concurrent calls', async () => {
    const { id } = await makeKey();
    await Promise.allSettled(Array.from({ length: 10 }, () => revokeApiKey(ctx, { keyId: id })));
    const events = eventsIn(await stored(id));
    expect(events.map(({ type }) => type)).toEqual(['api_key.created', 'api_key.revoked']);
  });
});

describe('a key that ends', () => {
  it('is reported once, seven days ahead, by any number of processes', async () => {
    const { id } = await makeKey({ expiresIn: 8 });
    const published = async (): Promise<number> =>
      (await stored(id)).pendingEvents?.filter(({ type }) => type === 'api_key.expiring').length ?? 0;
    await publishExpiringKeys(services);
    expect(await published()).toBe(0);
    services.pass(dayS);
    await Promise.all([publishExpiringKeys(services), publishExpiringKeys(services)]);
    await publishExpiringKeys(services);
    expect(await published()).toBe(1);
  });

  it('is not reported if it was revoked before', async () => {
    const { id } = await makeKey({ expiresIn: 1 });
    await revokeApiKey(ctx, { keyId: id });
    await publishExpiringKeys(services);
    expect(JSON.stringify((await stored(id)).pendingEvents)).not.toContain('expiring');
  });
});

describe('the expiry of a key', () => {
  const day = (days: number): Date => new Date(services.clock.now().getTime() + days * dayS * 1000);
  const endOf = async (id: string): Promise<Date | null> => (await stored(id)).expiresAt;
  /** The same user, with the key that was made. */
  const asKey = async (id: string): Promise<Ctx> => ({
    ...ctx,
    caller: (await callerWithKey(services, id)) ?? ctx.caller,
  });

  it('is never later than that of the key that creates it, through any number of keys', async () => {
    let maker = await asKey((await makeKey({ expiresIn: 3 })).id);
    const end = day(3);
    for (let generation = 0; generation < 3; generation += 1) {
      services.pass(dayS / 4);
      const { apiKey } = await createApiKey(maker, settings, newId());
      expect(await endOf(apiKey.id)).toEqual(end);
      const refused = createApiKey(maker, { ...settings, expiresIn: 3 }, newId());
      await expect(refused).rejects.toMatchObject({
        code: 'invalid_field_value',
        extras: {
          param: 'expiresIn',
          details: { fields: { expiresIn: [expect.stringContaining('must be at most 2')] } },
        },
      });
      maker = await asKey(apiKey.id);
    }
    const { apiKey } = await createApiKey(maker, { ...settings, expiresIn: 1 }, newId());
    expect(await endOf(apiKey.id)).toEqual(day(1));
  });

  it('suggests omitting expiresIn if less than a day is left', async () => {
    const maker = await asKey((await makeKey({ expiresIn: 1 })).id);
    services.pass(60);
    const refused = createApiKey(maker, { ...settings, expiresIn: 1 }, newId());
    await expect(refused).rejects.toThrow('must be omitted: the key that creates this one expires at');
  });

  it('is not extended by rotation, of another key or of itself', async () => {
    const [lasting, ending] = [await makeKey(), await makeKey({ expiresIn: 2 })];
    const maker = await asKey(ending.id);
    const end = day(2);
    for (const keyId of [lasting.id, ending.id]) {
      const { apiKey } = await rotateApiKey(maker, { keyId, overlapHours: 24 }, newId());
      expect(await endOf(apiKey.id)).toEqual(end);
    }
    const { apiKey } = await rotateApiKey(await asKey(lasting.id), { keyId: lasting.id, overlapHours: 24 }, newId());
    expect(await endOf(apiKey.id)).toEqual(await endOf(lasting.id));
  });

  it('is kept if a rotation continues after a crash', async () => {
    const { id } = await makeKey({ expiresIn: 5 });
    const end = day(5);
    const next = newId();
    await rotateApiKey(await asKey(id), { keyId: id, overlapHours: 24 }, next);
    await rotateApiKey(await asKey(id), { keyId: id, overlapHours: 24 }, next);
    expect(await endOf(next)).toEqual(end);
  });
});
