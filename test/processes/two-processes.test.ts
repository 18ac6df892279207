import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findOperation } from '../../src/operations/index.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { inOneMinute } from '../support/one-minute.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let one: ServiceProcess;
let two: ServiceProcess;
let fixture: UserFixture;
const limit = 40;

beforeAll(async () => {
  app = await startTestApp();
  const env = { ...app.env, RATE_LIMIT_SMALL: String(limit), ROLE: 'api', LOG_LEVEL: 'trace' };
  [one, two] = await Promise.all([startProcess(env), startProcess(env)]);
  fixture = await createUserFixture(app);
});
afterAll(async () => {
  await Promise.all([one.end('SIGTERM'), two.end('SIGTERM')]);
  await app.stop();
});

const fault = (name: string, path: string): Promise<unknown> =>
  fetch(`${app.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform: 'network-a', fault: name, match: { method: 'POST', path } }),
  });
/** 0 as soon as the platform has received the request that meets the fault. */
const pendingFaults = async (): Promise<number> => {
  const answer = await fetch(`${app.sandbox.url}/control/faults`);
  return ((await answer.json()) as { faults: unknown[] }).faults.length;
};
const campaigns = async (name: string): Promise<number> => {
  const answer = await fetch(`${app.sandbox.url}/control/network-a/objects?type=campaign`);
  const { objects } = (await answer.json()) as { objects: { fields: { name: string } }[] };
  return objects.filter(({ fields }) => fields.name.startsWith(`${name} `)).length;
};

describe('two processes on the same stores', () => {
  it('count one rate limit together', async () => {
    const [answers, graphql] = await inOneMinute(async () => {
      const { key } = await createUserFixture(app);
      const calls = Array.from({ length: limit + 10 }, (_, at) => (at % 2 ? one : two).call('GET', '/v1/me', { key }));
      return [await Promise.all(calls), await one.graphql('{ viewer { user { id } } }', {}, { key })] as const;
    });
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit);
    expect(refused).toHaveLength(10);
    expect(refused[0]).toMatchObject({ body: { code: 'rate_limited', type: 'rate_limit_error' } });
    const { headers } = refused[0]!;
    expect(headers.get('x-ratelimit-limit')).toBe(String(limit));
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(graphql).toMatchObject({ status: 429, body: { errors: [{ extensions: { code: 'rate_limited' } }] } });
  });

  it('count the units of requests that call a platform together, on both APIs', async () => {
    const search = '/v1/ads/targeting/search?type=country&q=no';
    const answers = await inOneMinute(async () => {
      const { key } = await createUserFixture(app);
      return [
        await one.call('GET', search, { key }),
        await two.graphql('{ targetingSearch(type: COUNTRY, q: "no") { key } }', {}, { key }),
        await one.graphql('{ viewer { user { id } } }', {}, { key }),
      ];
    });
    const weight = findOperation('targetingSearch')?.weight ?? 0;
    expect(weight).toBeGreaterThan(1);
    expect(answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))).toEqual([
      limit - weight,
      limit - 2 * weight,
      limit - 2 * weight - 1,
    ]);
  });

  it('refuse a revoked key on the next request, although the other has it in its cache (R46)', async () => {
    const { id, key } = await fixture.keyWith({});
    expect((await two.call('GET', '/v1/me', { key })).status).toBe(200);
    expect((await one.call('DELETE', `/v1/api-keys/${id}`, { key: fixture.key })).status).toBe(200);
    expect((await two.call('GET', '/v1/me', { key })).status).toBe(401);
  });

  it('make one ad under one Idempotency-Key', async () => {
    const options = {
      key: fixture.key,
      body: { ...goodAd(fixture), name: 'Two APIs' },
      headers: { 'Idempotency-Key': 'both' },
    };
    // The first takes so long that both run at once, unless this machine is very slow.
    await fault('slow', '/campaigns$');
    const answers = await Promise.all([one, two].map((process) => process.call('POST', '/v1/ads/create', options)));
    // The later one does not wait: it is refused while the first runs, and gets its result afterwards.
    for (const { status } of answers) expect([201, 409]).toContain(status);
    const { status, body } = await two.call('POST', '/v1/ads/create', options);
    expect(status).toBe(201);
    const made = answers.filter((answer) => answer.status === 201);
    expect(made.map((answer) => answer.body.ad._id)).toEqual(made.map(() => body.ad._id));
    expect(made.length).toBeGreaterThan(0);
    expect(await campaigns('Two APIs')).toBe(1);
  });

  it.each(['campaigns', 'adsets', 'adcreatives', 'ads'])(
    'go on after a kill -9 during the call to %s, and repeat nothing',
    async (edge) => {
      const victim = await startProcess({ ...app.env, ROLE: 'api' });
      const name = `Killed at ${edge}`;
      const options = {
        key: fixture.key,
        body: { ...goodAd(fixture), name },
        headers: { 'Idempotency-Key': `kill-${edge}` },
      };
      await fault('timeout_after', `/${edge}$`);
      const lost = victim.call('POST', '/v1/ads/create', options).catch(() => 'lost');
      await expect.poll(pendingFaults).toBe(0);
      await victim.end('SIGKILL');
      expect(await lost).toBe('lost');
      expect(await two.call('POST', '/v1/ads/create', options)).toMatchObject({ status: 409 });
      // A minute later the dead process's lease has run out.
      await app.app.services.db.idempotency.updateOne({ key: `kill-${edge}` }, { $set: { lease: null } });
      expect(await two.call('POST', '/v1/ads/create', options)).toMatchObject({
        status: 201,
        body: { ad: { status: 'active', name } },
      });
      expect(await campaigns(name)).toBe(1);
      const { ads } = (await two.call('GET', '/v1/ads?limit=100', { key: fixture.key })).body;
      expect(ads.filter((ad: { name: string }) => ad.name === name)).toHaveLength(1);
    },
  );

  it('write no secret into their logs', async () => {
    for (const text of [one.log(), two.log()]) {
      expect(text).toContain('"path":"/v1/ads/create"');
      for (const secret of [fixture.key, fixture.token]) expect(text).not.toContain(secret);
    }
  });

  it('stop on SIGTERM with code 0 and finish what is under way', async () => {
    const process = await startProcess({ ...app.env });
    const name = 'Under way';
    await fault('slow', '/campaigns$');
    const answer = process.call('POST', '/v1/ads/create', { key: fixture.key, body: { ...goodAd(fixture), name } });
    const status = answer.then(
      (response) => response.status,
      (error: unknown) => error,
    );
    await expect.poll(pendingFaults).toBe(0);
    expect(await process.end('SIGTERM')).toBe(0);
    expect(await status).toBe(201);
  });
});
