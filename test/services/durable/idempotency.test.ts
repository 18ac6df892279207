import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/contract/error.ts';
import type { Ctx } from '../../../src/services/context.ts';
import { idempotent, type Operation } from '../../../src/services/durable/idempotency.ts';
import { makeCtx, makeServices, type TestServices } from '../../support/services.ts';

let services: TestServices;
let ctx: Ctx;
let runs: string[];

beforeAll(async () => {
  services = await makeServices();
});
afterAll(() => services.stop());
beforeEach(async () => {
  ctx = { ...(await makeCtx(services)), idempotencyKey: 'k' };
  runs = [];
});

const order: Operation = { operation: 'createThing', input: { name: 'a', size: 1 } };
const make = async (id: string): Promise<{ id: string }> => {
  runs.push(id);
  return { id };
};
const failing =
  (error: Error) =>
  async (id: string): Promise<never> => {
    runs.push(id);
    throw error;
  };
const record = () => ctx.db.idempotency.findOne({ userId: ctx.caller.userId, key: 'k' }).lean();
const hold = new AppError('platform_api_error', 'half-way', { holdsKey: true });

/** A call that has begun and ends when the test lets it. */
async function begun(): Promise<{ id: string; lost: Promise<unknown>; fail: (error: Error) => void; end: () => void }> {
  let [fail, end]: [(error: Error) => void, () => void] = [() => {}, () => {}];
  let lost: Promise<unknown> = Promise.resolve();
  const id = await new Promise<string>((started) => {
    lost = idempotent(ctx, order, (objectId) => {
      started(objectId);
      return new Promise<object>((resolve, reject) => {
        fail = reject;
        end = () => resolve({ id: objectId, late: true });
      });
    });
  });
  return { id, lost, fail, end };
}

describe('without an Idempotency-Key', () => {
  it('every call runs, under an id of its own, and leaves no record', async () => {
    const plain = { ...ctx, idempotencyKey: undefined };
    const [one, two] = [await idempotent(plain, order, make), await idempotent(plain, order, make)];
    expect(one.value.id).not.toBe(two.value.id);
    expect([one.replayed, two.replayed]).toEqual([false, false]);
    expect(await record()).toBeNull();
  });
});

describe('with an Idempotency-Key', () => {
  it('answers the second call from the record, whatever the order of members', async () => {
    const first = await idempotent(ctx, order, make);
    const again = await idempotent(ctx, { ...order, input: { size: 1, name: 'a' } }, make);
    expect(again).toEqual({ value: first.value, replayed: true });
    expect(runs).toHaveLength(1);
  });

  it('keeps users apart', async () => {
    await idempotent(ctx, order, make);
    const other = { ...(await makeCtx(services)), idempotencyKey: 'k' };
    expect((await idempotent(other, order, make)).replayed).toBe(false);
  });

  it.each([
    ['another body', { ...order, input: { name: 'b', size: 1 } }],
    ['another operation', { ...order, operation: 'createOther' }],
  ])('refuses %s', async (_what, other) => {
    await idempotent(ctx, order, make);
    await expect(idempotent(ctx, other, make)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(runs).toHaveLength(1);
  });

  it('lets one of many simultaneous calls run', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 25 }, () => idempotent(ctx, order, make)));
    expect(runs).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 'fulfilled') expect(answer.value.value.id).toBe(runs[0]);
      else expect(answer.reason).toMatchObject({ code: 'idempotency_in_progress' });
    }
  });

  it('stores the answer without what is shown once, at every depth', async () => {
    const run = async (): Promise<object> => ({ apiKey: { name: 'a', key: 'sk_1' }, list: [{ key: 'sk_2', id: 1 }] });
    const { value } = await idempotent(ctx, { ...order, secrets: ['key'] }, run);
    expect(value).toMatchObject({ apiKey: { key: 'sk_1' } });
    expect((await idempotent(ctx, { ...order, secrets: ['key'] }, run)).value).toEqual({
      apiKey: { name: 'a' },
      list: [{ id: 1 }],
    });
    expect(JSON.stringify(await record())).not.toContain('sk_');
  });

  it('is free for a new try a day later', async () => {
    await idempotent(ctx, order, make);
    services.pass(86_399);
    expect((await idempotent(ctx, order, make)).replayed).toBe(true);
    services.pass(2);
    expect((await idempotent(ctx, order, make)).replayed).toBe(false);
  });
});

describe('a call that fails', () => {
  it('frees the key when it was a refusal', async () => {
    await expect(idempotent(ctx, order, failing(new AppError('invalid_field_value', 'no')))).rejects.toThrow('no');
    expect(await record()).toBeNull();
    expect((await idempotent(ctx, { ...order, input: { name: 'mended' } }, make)).replayed).toBe(false);
  });

  it.each([
    ['half-way', hold],
    ['for an unexpected reason', new Error('the store is away')],
  ])('goes on under the same id when it failed %s', async (_what, error) => {
    await expect(idempotent(ctx, order, failing(error))).rejects.toBe(error);
    await expect(idempotent(ctx, { ...order, input: {} }, make)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    const { value, replayed } = await idempotent(ctx, order, make);
    expect(replayed).toBe(false);
    expect(runs).toEqual([value.id, value.id]);
  });

  it('lets one of several go on at once', async () => {
    await expect(idempotent(ctx, order, failing(hold))).rejects.toBe(hold);
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => idempotent(ctx, order, make)));
    expect(runs).toHaveLength(2);
    expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true);
  });
});

describe('a call whose process died', () => {
  it('holds the key for a minute, then the next call takes it over under the same id', async () => {
    const { id, lost, end } = await begun();
    services.pass(59);
    await expect(idempotent(ctx, order, make)).rejects.toMatchObject({
      code: 'idempotency_in_progress',
      extras: { retryAfterSeconds: 2 },
    });
    services.pass(2);
    expect((await idempotent(ctx, order, make)).value.id).toBe(id);
    end();
    await lost;
  });

  it.each(['a success', 'a refusal', 'a crash'])('changes nothing by %s when it comes back late', async (outcome) => {
    const { id, lost, end, fail } = await begun();
    services.pass(61);
    await idempotent(ctx, order, make);
    if (outcome === 'a success') end();
    else fail(outcome === 'a refusal' ? new AppError('invalid_field_value', 'late') : new Error('late'));
    await lost.catch(() => undefined);
    expect(await record()).toMatchObject({ state: 'done', answer: { id } });
    expect((await idempotent(ctx, order, make)).value).toEqual({ id });
  });
});
