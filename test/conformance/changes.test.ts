import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { World } from '../support/world.ts';
import { goodAdOf, namesAt, received, subjects, worldOf } from './subjects.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000 - 60_000).toISOString();

describe('a lifetime budget on D', () => {
  const subject = subjects.find(({ platform }) => platform === 'D');
  if (!subject) throw new Error('There is no platform D');
  let world: World;
  let adId: string;
  beforeAll(async () => {
    world = await worldOf(app, subject);
    const body = { ...goodAdOf(app, subject, world), budgetType: 'lifetime', budgetAmount: 120, endDate: inDays(5) };
    const made = await app.call('POST', '/v1/ads/create', { key: world.key, body });
    expect(made.status).toBe(201);
    adId = made.body.ad._id;
  });
  const put = (body: object): Promise<Answer> => app.call('PUT', `/v1/ads/${adId}`, { key: world.key, body });
  const fieldsOf = ({ body }: Answer): unknown => body.details?.fields;

  it.each([
    [{ budgetAmount: 99 }, { budgetAmount: ['must be at least 100 USD, 20 a day over 5 days'] }],
    [
      { endDate: inDays(7) },
      { endDate: ['is too late for the budget of 120: it must be at least 140 USD, 20 a day over 7 days'] },
    ],
    [{ budgetAmount: 150, endDate: inDays(8) }, { budgetAmount: ['must be at least 160 USD, 20 a day over 8 days'] }],
  ])('is not left with less than 20 a day over the whole run by %o, and nothing is sent', async (change, fields) => {
    const entries = await received(app, subject, async () => {
      const answer = await put(change);
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer)).toEqual(fields);
    });
    expect(entries.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('is taken with enough of it', async () => {
    const answer = await put({ budgetAmount: 160, endDate: inDays(8) });
    expect(answer).toMatchObject({ status: 200, body: { ad: { budget: { amount: 160, type: 'lifetime' } } } });
    expect((await put({ endDate: inDays(6) })).status).toBe(200);
    expect((await put({ budgetAmount: 120 })).status).toBe(200);
  });

  it('takes a new name as the order took its first, without emoji', async () => {
    expect((await put({ name: 'Summer \u{1f33b}\u{1f1e9}\u{1f1ea} sale' })).status).toBe(200);
    const names = await namesAt(app, subject, subject.kinds.ad);
    expect(names.some((name) => /^Summer +sale [0-9a-f]{8}$/.test(name))).toBe(true);
  });
});
