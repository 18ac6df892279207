import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockFolder } from '../../src/dev/mongo-server/lock.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp();
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const create = (body: object, options: { key?: string; headers?: Record<string, string> } = {}) =>
  app.call('POST', '/v1/ads/create', { key: fixture.key, body, ...options });
const graphql = (query: string, variables: object = {}, headers: Record<string, string> = {}) =>
  app.graphql(query, variables, { key: fixture.key, headers });
const asInput = (body: object) => ({ ...body, goal: 'TRAFFIC', budgetType: 'DAILY' });
const fieldsOf = (body: { details?: { fields?: object } }): string[] => Object.keys(body.details?.fields ?? {});

describe('an idempotency key', () => {
  const used = { 'Idempotency-Key': 'shared' };

  it('422: shows a stored answer to no key that reaches less', async () => {
    const made = await create(goodAd(fixture), { headers: used });
    expect(made.status).toBe(201);
    const elsewhere = await app.call('POST', '/v1/profiles', { key: fixture.key, body: { name: 'Elsewhere' } });
    const [narrow, wide] = await Promise.all(
      [[elsewhere.body.profile._id], [fixture.profileId]].map((profileIds) =>
        fixture.keyWith({ scope: 'profiles', profileIds }),
      ),
    );
    for (const key of [narrow?.key, wide?.key]) {
      const refused = await create(goodAd(fixture), { key, headers: used });
      expect(refused).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
      expect(JSON.stringify(refused.body)).not.toContain(made.body.ad._id);
    }
    const again = await create(goodAd(fixture), { headers: used });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('is replayed to a key that reaches as much or more', async () => {
    const { key } = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] });
    const headers = { 'Idempotency-Key': 'of-a-profile' };
    const made = await create(goodAd(fixture), { key, headers });
    for (const other of [key, fixture.key]) {
      const again = await create(goodAd(fixture), { key: other, headers });
      expect([again.status, again.body.ad._id]).toEqual([201, made.body.ad._id]);
    }
  });

  it('covers a single mutation field wherever it stands in the document', async () => {
    const variables = { input: asInput(goodAd(fixture)) };
    const field = 'createAd(input: $input) { ad { id } }';
    const documents = [
      `mutation ($input: CreateAdInput!) { ${field} }`,
      `mutation ($input: CreateAdInput!) { __typename ${field} }`,
      `mutation ($input: CreateAdInput!) { ...Make } fragment Make on Mutation { ${field} }`,
      `mutation ($input: CreateAdInput!) { ... on Mutation { ${field} } }`,
      `mutation ($input: CreateAdInput!) { ${field} other: createAd(input: $input) @skip(if: true) { message } }`,
      `mutation ($input: CreateAdInput!) { ${field} createAd(input: $input) { message } }`,
    ];
    const ids = new Set<string>();
    for (const document of documents) {
      const { body } = await graphql(document, variables, { 'Idempotency-Key': 'one-field' });
      ids.add(body.data.createAd.ad.id);
    }
    const rest = await create(goodAd(fixture), { headers: { 'Idempotency-Key': 'one-field' } });
    ids.add(rest.body.ad._id);
    expect(ids.size).toBe(1);
  });
});

describe('the path of a problem on GraphQL', () => {
  const withInput = (variable: string, input: unknown) =>
    graphql(`mutation ($${variable}: CreateAdInput!) { createAd(input: $${variable}) { valid } }`, {
      [variable]: input,
    });
  const problem = async (answer: Promise<{ body: any }>) => (await answer).body.errors[0].extensions;

  it('does not depend on the name of the variable', async () => {
    for (const variable of ['input', 'ad', 'data']) {
      const { code, details } = await problem(withInput(variable, { ...asInput(goodAd(fixture)), foo: 1 }));
      expect([code, fieldsOf({ details })]).toEqual(['unknown_field', ['foo']]);
    }
  });

  it('is where a variable inside a literal goes', async () => {
    const query =
      'mutation ($promoted: PromotedObjectInput) { createAd(input: { accountId: "1", adAccountId: "1", name: "x", promotedObject: $promoted }) { valid } }';
    const { code, param } = await problem(graphql(query, { promoted: { foo: 1 } }));
    expect([code, param]).toEqual(['unknown_field', 'promotedObject.foo']);
  });

  it('names an unknown field of a literal once', async () => {
    const query =
      'mutation { createAd(input: { accountId: "1", adAccountId: "1", name: "x", foo: 1, promotedObject: { bar: 2 } }) { valid } }';
    const { code, details } = await problem(graphql(query));
    expect([code, fieldsOf({ details })]).toEqual(['unknown_field', ['foo', 'promotedObject.bar']]);
  });

  it.each([
    ['null', { accountId: null }],
    ['nothing', { accountId: undefined }],
  ])('400: %s for a required field is a missing field, as on REST', async (_what, change) => {
    const { code, param } = await problem(withInput('input', { ...asInput(goodAd(fixture)), ...change }));
    const rest = await create({ ...goodAd(fixture), ...change });
    expect([code, param]).toEqual([rest.body.code, rest.body.param]);
    expect([code, param]).toEqual(['missing_required_field', 'accountId']);
  });

  it('400: null written out for a required field is a missing field', async () => {
    const query = 'mutation { createAd(input: { accountId: null, adAccountId: "1", name: "x" }) { valid } }';
    const { code, param } = await problem(graphql(query));
    expect([code, param]).toEqual(['missing_required_field', 'accountId']);
  });

  it('400: a missing argument is named', async () => {
    const { code, param } = await problem(graphql('mutation { createAd { valid } }'));
    expect([code, param]).toEqual(['missing_required_field', 'input']);
  });
});

describe('createAd', () => {
  it.each([
    [
      'countries that are no ISO codes',
      { countries: ['US', 'UK', 'EU', 'ZZ', 'USA'] },
      ['1', '2', '3', '4'].map((at) => `countries.${at}`),
    ],
    ['half a surrogate pair', { name: '\ud800x', body: 'x\udc00' }, ['name', 'body']],
    ['an address without its slashes', { linkUrl: 'https:shop.example' }, ['linkUrl']],
    ['an address without a host', { linkUrl: 'https:///shop.example' }, ['linkUrl']],
    ['an address with a line break', { linkUrl: 'https://shop.example/a\nb' }, ['linkUrl']],
    [
      'blank ids',
      { cities: [{ key: ' ' }], promotedObject: { pixelId: ' ' } },
      ['cities.0.key', 'promotedObject.pixelId'],
    ],
    ['a window without its event', { attributionSpec: [{ windowDays: 7 }] }, ['attributionSpec.0.eventType']],
  ])('400: refuses %s and names nothing else', async (_what, change, fields) => {
    const { status, body } = await create({ ...goodAd(fixture), ...change, validateOnly: true });
    expect([status, fieldsOf(body)]).toEqual([400, fields]);
  });

  it('400: says of a creative that is no object nothing but that', async () => {
    const { status, body } = await create({ ...goodAd(fixture), creatives: [null], validateOnly: true });
    expect([status, fieldsOf(body)]).toEqual([400, ['creatives.0']]);
  });

  it.each(['me', '../v26.0/1', '1/ads', '1?fields=id', '1#2', '%31'])(
    '400: adSetId %s does not become a path at the platform',
    async (adSetId) => {
      const { goal: _goal, budgetAmount: _amount, budgetType: _type, ...ad } = goodAd(fixture);
      const { status, body } = await create({ ...ad, adSetId, validateOnly: true });
      expect([status, body.code, body.param]).toEqual([400, 'invalid_field_value', 'adSetId']);
    },
  );
});

describe('a document', () => {
  it.each([
    ['selections', (depth: number) => '{viewer'.repeat(depth) + '}'.repeat(depth)],
    ['lists', (depth: number) => `{ ad(adId: ${'['.repeat(depth)}1${']'.repeat(depth)}) { id } }`],
    [
      'objects',
      (depth: number) => `mutation { createAd(input: ${'{a:'.repeat(depth)}1${'}'.repeat(depth)}) { valid } }`,
    ],
  ])('400: of nested %s is refused however deep it is', async (_what, nested) => {
    for (const depth of [100, 400, 900, 1300, 1900, 3000, 100_000]) {
      const { status, body } = await graphql(nested(depth));
      expect([depth, status, body.errors[0].extensions.type]).toEqual([depth, 400, 'invalid_request_error']);
    }
  });
});

describe('a document with the same fault many times', () => {
  it('400: hears of it once', async () => {
    const deep = '__schema { types { fields { type { fields { type { fields { name } } } } } } }';
    const query = `{ ${Array.from({ length: 20 }, (_, at) => `a${at}: ${deep}`).join(' ')} }`;
    const { status, body } = await app.graphql(query, {}, { key: fixture.key });
    expect(status).toBe(400);
    expect(body.errors.map(({ message }: { message: string }) => message)).toEqual([
      'Maximum introspection depth exceeded',
    ]);
  });
});

describe('requests', () => {
  it('415: a compressed body', async () => {
    const { status, body } = await app.call('POST', '/v1/ads/create', {
      key: fixture.key,
      raw: gzipSync(JSON.stringify(goodAd(fixture))),
      headers: { 'Content-Encoding': 'gzip' },
    });
    expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('404: a doubled slash at the end', async () => {
    const response = await fetch(`${app.url}/v1/ads/create//`, { method: 'POST' });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([404, 'route_not_found']);
  });
});

describe('a data folder', () => {
  it('is free once its holder was killed, though that is not recorded yet', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lock-'));
    // The shell becomes a program that never asks about its child, so the killed child stays a zombie.
    const parent = spawn('sh', ['-c', 'sleep 100 & echo $!; exec sleep 100'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString());
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
      const start = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
      writeFileSync(join(folder, 'lock'), `${pid} ${start}`);
      expect(() => lockFolder(folder)).toThrow(/in use/);
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
      lockFolder(folder)();
    } finally {
      parent.kill('SIGKILL');
    }
  });
});
