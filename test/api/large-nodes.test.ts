import { calculateObjectSize, type Document } from 'bson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { monitored, testDatabase, type TestDatabase } from '../support/db.ts';
import { insertOldDeliveries, webhookFixture, type WebhookFixture } from '../webhooks/fixture.ts';

const most = 32 * 1024 * 1024;
const deliveries = 20;
const stored = 60;
const [attempts, bytesOfText] = [15, 8 * 1024];

let app: TestApp;
let database: TestDatabase;
let fixture: WebhookFixture;
let bytes = 0;

interface Reply {
  cursor?: { firstBatch?: Document[]; nextBatch?: Document[] };
}

/** Deliveries as large as a receiver can make them. */
beforeAll(async () => {
  database = await testDatabase();
  app = await startTestApp({ ROLE: 'api', MONGODB_URI: monitored(database.uri) });
  fixture = await webhookFixture(app);
  await insertOldDeliveries(app, fixture, { count: stored });
  const { webhookDeliveries } = app.app.services.db;
  const attempt = {
    no: 1,
    startedAt: new Date(),
    durationMs: 1,
    outcome: 'failure',
    status: 500,
    errorClass: null,
    isProbe: false,
    responseBody: 'x'.repeat(bytesOfText),
    responseHeaders: Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`h${at}`, 'x'.repeat(256)])),
  };
  const all = { $set: { attempts: Array.from({ length: attempts }, () => attempt) } };
  await webhookDeliveries.collection.updateMany({}, all as never);
  webhookDeliveries.db.getClient().on('commandSucceeded', ({ reply }: { reply: Reply }) => {
    for (const doc of [...(reply.cursor?.firstBatch ?? []), ...(reply.cursor?.nextBatch ?? [])])
      bytes += calculateObjectSize(doc);
  });
});
afterAll(async () => {
  await app.stop();
  await database.stop();
  await fixture.receiver.stop();
});

const texts = 'fragment Texts on Delivery { attempts { responseBody } }';

/** How many bytes the database sends for a number of lists in one document, and whether it is permitted. */
async function read(lists: number, list: string): Promise<{ isPermitted: boolean; size: number; data: Document }> {
  bytes = 0;
  const fields = Array.from({ length: lists }, (_, at) => `a${at}: ${list}`).join(' ');
  const query = `{ ${fields} } ${list.includes('...Texts') ? texts : ''}`;
  const { body } = await app.graphql(query, {}, { key: fixture.user.key });
  const errors = (body.errors ?? []) as { extensions: { code: string } }[];
  const codes = errors.map(({ extensions }) => extensions.code);
  expect(codes.filter((code) => code !== 'query_too_costly')).toEqual([]);
  return { isPermitted: codes.length === 0, size: bytes, data: body.data };
}

/** The most that a permitted document of such lists reads. */
async function largest(list: string): Promise<number> {
  let size = 0;
  for (let lists = 4; lists <= 30; lists += 1) {
    const one = await read(lists, list);
    if (!one.isPermitted) return size;
    size = one.size;
  }
  return size;
}

describe('a list of deliveries with large responses', () => {
  const log = (first: number, selection: string): string => `webhookDeliveries(first: ${first}) { ${selection} }`;

  it('reads at most 32 MB in a document that the limit of cost permits', async () => {
    const sizes: Record<string, number> = {};
    for (const attempt of ['responseBody', 'responseHeaders', 'responseBody responseHeaders'])
      sizes[attempt] = await largest(log(deliveries, `nodes { attempts { ${attempt} } }`));
    for (const size of Object.values(sizes)) {
      expect(size).toBeGreaterThan(most / 8);
      expect(size).toBeLessThan(most);
    }
  });

  it('leaves out what is not selected', async () => {
    const below = `webhooks { deliveries(first: ${deliveries}) { edges { node { attempts { no } } } } }`;
    for (const list of [log(deliveries, 'nodes { id attempts { status } }'), below]) {
      const { isPermitted, size } = await read(1, list);
      expect([list, isPermitted]).toEqual([list, true]);
      expect(size).toBeLessThan(deliveries * attempts * 1024);
    }
    const some = 5;
    const ofWebhooks = `webhooks { deliveries(first: ${some}) { edges { node { attempts { body: responseBody } } } } }`;
    for (const list of [log(some, 'nodes { ...Texts }'), ofWebhooks]) {
      const { size, data } = await read(1, list);
      expect(size).toBeGreaterThan(some * attempts * bytesOfText);
      expect(JSON.stringify(data).length).toBeGreaterThan(some * attempts * bytesOfText);
    }
  });
});

describe('a page of the log in REST with large responses', () => {
  const longest = 5_500_000;

  it('ends at 5 MB, and its cursor leads to all others', async () => {
    const { webhookDeliveries } = app.app.services.db;
    const ids: string[] = [];
    let pages = 0;
    let cursor: string | null = '';
    while (cursor !== null) {
      bytes = 0;
      const query = `limit=100${cursor && `&cursor=${cursor}`}`;
      const { status, body } = await app.call('GET', `/v1/webhooks/logs?${query}`, { key: fixture.user.key });
      expect([status, JSON.stringify(body).length < longest, bytes < 2 * longest]).toEqual([200, true, true]);
      for (const { _id, attempts: all } of body.logs) {
        ids.push(_id as string);
        expect([all.length, all[0].responseBody.length]).toEqual([attempts, bytesOfText]);
      }
      pages += 1;
      cursor = body.nextCursor as string | null;
    }
    const all = await webhookDeliveries.find({}, { _id: 1 }).sort({ _id: -1 }).lean();
    expect(ids).toEqual(all.map(({ _id }) => _id));
    expect(pages).toBe(Math.ceil(stored / 21));
  });

  it('has as many entries as requested by default, and with smaller responses', async () => {
    const { db } = app.app.services;
    const read = async (query: string): Promise<[number, boolean]> => {
      const { body } = await app.call('GET', `/v1/webhooks/logs?${query}`, { key: fixture.user.key });
      return [body.logs.length, body.nextCursor !== null];
    };
    expect(await read('')).toEqual([deliveries, true]);
    await db.webhookDeliveries.collection.updateMany({}, { $set: { attempts: [] } });
    expect(await read('limit=100')).toEqual([stored, false]);
    expect(await read(`limit=${stored}`)).toEqual([stored, false]);
    expect(await read(`limit=${stored - 1}`)).toEqual([stored - 1, true]);
  });
});
