import { createCipheriv, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { testWebhookOperation } from '../../src/operations/webhooks.ts';
import { createLog } from '../../src/telemetry/log.ts';
import {
  newSession,
  openSession,
  encryptSession,
  type Session,
  type SessionUse,
} from '../../src/pages/session-cookie.ts';
import { webhookHeaders } from '../../src/services/encryption/bindings.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { inOneMinute } from '../support/one-minute.ts';
import { createUserFixture } from '../support/user-fixture.ts';
import { webhookFixture, type WebhookFixture } from '../webhooks/fixture.ts';
import { status } from '../webhooks/receiver.ts';
import { visitor, type Visit, type Visitor } from './browser-session.ts';
import { markupProblems } from './markup.ts';

let app: TestApp;

const sessionSeconds = 8 * 3600;

beforeAll(async () => {
  app = await startTestApp({
    WEBHOOK_RETRY_SCHEDULE: '0',
    WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: 'none',
    SWEEP_INTERVAL_SECONDS: '0.2',
  });
});
afterAll(() => app.stop());

async function signedIn(key: string): Promise<Visitor> {
  const person = visitor(app.url);
  expect((await person.signIn(key)).status).toBe(303);
  return person;
}

/** A fixture whose receiver refused one event. */
async function withFailure(answer = status(500), extra: object = {}): Promise<WebhookFixture> {
  const fixture = await webhookFixture(app, extra);
  fixture.receiver.answer = answer;
  await fixture.event();
  await expect.poll(async () => (await fixture.logs())[0]?.state).toBe('failed');
  return fixture;
}

describe('a session', () => {
  it('is a strict, encrypted cookie for eight hours that holds the hash of the key and not the key', async () => {
    const { key, keyId } = await createUserFixture(app);
    const person = visitor(app.url);
    const { headers } = await person.signIn(key);
    const cookie = headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Strict/);
    expect(cookie).toMatch(/; Path=\/deliveries/);
    expect(cookie).toMatch(new RegExp(`; Max-Age=${sessionSeconds}`));
    expect(cookie).not.toMatch(/; Secure/);
    const encrypted = person.cookie.slice(person.cookie.indexOf('=') + 1);
    const { encrypter } = app.app.services;
    const plain = encrypter.decrypt(encrypted as never, { purpose: 'page.session', documentId: 'deliveries' });
    expect(plain).not.toContain(key);
    const opened = (use: SessionUse, now = new Date()): Session | undefined =>
      openSession(encrypter, { use, cookie: encrypted, now });
    expect(opened('deliveries')?.keyId).toBe(keyId);
    expect(opened('ads')).toBeUndefined();
    expect(opened('deliveries', new Date(Date.now() + sessionSeconds * 1000))).toBeUndefined();
  });

  it('is marked as secure where people come by https', async () => {
    const secure = await startTestApp({ PUBLIC_URL: 'https://social.example' });
    const { key } = await createUserFixture(secure);
    const { headers } = await visitor(secure.url).signIn(key);
    expect(headers.get('set-cookie')).toMatch(/; Secure/);
    await secure.stop();
  });

  it('is required, and a forged or foreign cookie is rejected', async () => {
    const person = visitor(app.url);
    expect(await person.get()).toMatchObject({ status: 200, text: expect.stringContaining('Sign in') });
    expect((await person.get(`/deliveries/${'a'.repeat(24)}`)).status).toBe(401);
    const { encrypter } = app.app.services;
    const headers = encrypter.encrypt('{"use":"deliveries-session","until":9e15}', webhookHeaders('a'.repeat(24)));
    for (const value of ['x', 'test.AA.AA.AA', headers]) {
      person.cookie = `deliveries_session=${value}`;
      expect((await person.get()).text).toContain('name="key"');
    }
  });

  it('is refused to an unknown key, and in clear words to a key that is restricted to profiles', async () => {
    const { keyWith, profileId } = await createUserFixture(app);
    const person = visitor(app.url);
    expect((await person.signIn(`sk_${'0'.repeat(64)}`)).status).toBe(401);
    const { key } = await keyWith({ scope: 'profiles', profileIds: [profileId] });
    const refused = await person.signIn(key);
    expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('restricted to profiles') });
    expect(person.cookie).toBe('');
  });

  it('ends with its key, at once', async () => {
    const { key, keyWith } = await createUserFixture(app);
    const other = await keyWith({});
    const person = await signedIn(other.key);
    expect((await person.get()).text).toContain('Sign out');
    await app.call('DELETE', `/v1/api-keys/${other.id}`, { key });
    const ended = await person.get();
    expect(ended).toMatchObject({ status: 401, text: expect.stringContaining('The session has ended') });
    expect(person.cookie).toBe('');
  });

  it('ends when its owner signs out', async () => {
    const { key } = await createUserFixture(app);
    const person = await signedIn(key);
    const { text } = await person.get();
    expect((await person.post('/deliveries/logout', person.fieldsOf(text, '/deliveries/logout'))).status).toBe(303);
    expect((await person.get()).text).toContain('name="key"');
  });

  it('ends for copies of its cookie too when its owner signs out, in every process', async () => {
    const { key } = await createUserFixture(app);
    const [person, copy] = [await signedIn(key), visitor(app.url)];
    copy.cookie = person.cookie;
    const { text } = await copy.get();
    const other = await startApp(readConfig(app.env), createLog('silent'));
    const elsewhere = visitor(`http://127.0.0.1:${other.port}`);
    elsewhere.cookie = person.cookie;
    expect((await elsewhere.get()).text).toContain('Sign out');
    await person.post('/deliveries/logout', person.fieldsOf(text, '/deliveries/logout'));
    expect((await copy.get(`/deliveries/${'a'.repeat(24)}`)).status).toBe(401);
    expect((await copy.get()).text).toContain('name="key"');
    expect((await elsewhere.get()).text).toContain('name="key"');
    expect((await (await signedIn(key)).get()).text).toContain('Sign out');
    await other.stop();
  });

  it('expires no later than its key, and so does the cookie', async () => {
    const { keyWith } = await createUserFixture(app);
    const { key } = await keyWith({ expiresAt: new Date(Date.now() + 600_000) });
    const { headers } = await visitor(app.url).signIn(key);
    const [, seconds] = /Max-Age=(\d+)/.exec(headers.get('set-cookie') ?? '') ?? [];
    expect(Number(seconds)).toBeLessThanOrEqual(600);
  });

  it('is not accepted from encrypted custom headers of a webhook, in either format', async () => {
    const { keyId } = await createUserFixture(app);
    const said = JSON.stringify({ use: 'deliveries-session', id: 'x', keyId, keyHash: 'x', token: 't', until: 9e15 });
    const { encrypter } = app.app.services;
    const [id = '', text = ''] = (app.env['ENCRYPTION_KEYS'] ?? '').split(':');
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', Buffer.from(text, 'base64'), iv);
    const body = Buffer.concat([cipher.update(said, 'utf8'), cipher.final()]);
    const former = [id, ...[iv, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join('.');
    const own = newSession({ id: 'x', until: new Date(8e15) }, { keyId, keyHash: 'x' });
    const use = 'deliveries';
    const encrypted = (session: Session): string => encryptSession(encrypter, use, session);
    const invalid = [
      former,
      encrypter.encrypt(said, webhookHeaders('w')),
      `${encrypted(own)}.x`,
      encrypted({ ...own, until: '9' as never }),
    ];
    for (const cookie of invalid) expect(openSession(encrypter, { use, cookie, now: new Date() })).toBeUndefined();
    expect(openSession(encrypter, { use, cookie: encrypted(own), now: new Date() })).toEqual(own);
  });

  it('counts as requests of the user', async () => {
    const { key } = await createUserFixture(app);
    const person = await signedIn(key);
    const pages = await inOneMinute(async () => [await person.get(), await person.get()]);
    const [first = 0, second] = pages.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(second).toBeLessThan(first);
  });
});

describe('a form', () => {
  it("does nothing without the session's own token, or from another site", async () => {
    const fixture = await withFailure();
    const [person, other] = [await signedIn(fixture.user.key), await signedIn(fixture.user.key)];
    const fields = person.fieldsOf((await person.get()).text, '/deliveries/test');
    const theirs = other.fieldsOf((await other.get()).text, '/deliveries/test');
    const got = fixture.receiver.got.length;
    const tries: [Record<string, string>, Record<string, string>][] = [
      [{ ...fields, token: '' }, {}],
      [{ ...fields, token: theirs['token'] ?? '' }, {}],
      [fields, { 'Sec-Fetch-Site': 'cross-site' }],
      [fields, { 'Sec-Fetch-Site': 'same-site' }],
      [fields, { Origin: 'https://evil.example' }],
      [fields, { Origin: 'null' }],
    ];
    for (const [sent, headers] of tries) {
      const answer = await person.post('/deliveries/test', sent, headers);
      expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('This form is invalid') });
    }
    expect(
      (await visitor(app.url).post('/deliveries/login', { key: fixture.user.key }, { Origin: 'null' })).status,
    ).toBe(403);
    expect(fixture.receiver.got).toHaveLength(got);
    expect((await person.post('/deliveries/test', fields, { Origin: app.url })).status).toBe(303);
    await fixture.receiver.stop();
  });

  it('costs the units that its operation costs on both APIs', async () => {
    const fixture = await withFailure();
    const person = await signedIn(fixture.user.key);
    const left = ({ headers }: Visit): number => Number(headers.get('x-ratelimit-remaining'));
    const [before, pressed] = await inOneMinute(async () => {
      const page = await person.get();
      return [page, await person.post('/deliveries/test', person.fieldsOf(page.text, '/deliveries/test'))] as const;
    });
    expect(pressed.status).toBe(303);
    expect(left(before) - left(pressed)).toBe(testWebhookOperation.weight);
    await fixture.receiver.stop();
  });

  it('does its work once however often it is sent', async () => {
    const fixture = await withFailure();
    const person = await signedIn(fixture.user.key);
    const [{ _id }] = await fixture.logs();
    fixture.receiver.answer = status(200);
    const fields = person.fieldsOf((await person.get(`/deliveries/${_id}`)).text, '/deliveries/redeliver');
    const one = await person.post('/deliveries/redeliver', fields);
    const two = await person.post('/deliveries/redeliver', fields);
    expect([one.status, two.headers.get('location')]).toEqual([303, one.headers.get('location')]);
    await expect.poll(async () => (await fixture.logs('&status=delivered')).length).toBe(1);
    expect((await person.get(one.headers.get('location') ?? '')).text).toContain('manually by the owner');
    await fixture.receiver.stop();
  });

  it('is not there for a key that may only read, and is refused from one', async () => {
    const fixture = await withFailure();
    const [{ _id }] = await fixture.logs();
    const full = await signedIn(fixture.user.key);
    const fields = full.fieldsOf((await full.get(`/deliveries/${_id}`)).text, '/deliveries/redeliver');
    const { key } = await fixture.user.keyWith({ permission: 'read' });
    const person = await signedIn(key);
    const { text } = await person.get(`/deliveries/${_id}`);
    expect(text).toContain('http_5xx');
    expect(text + (await person.get()).text).not.toMatch(/Send again|Send a test/);
    const { token = '' } = person.fieldsOf(text, '/deliveries/logout');
    const refused = await person.post('/deliveries/redeliver', { ...fields, token });
    expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('is read-only') });
    await fixture.receiver.stop();
  });
});

describe('the log', () => {
  it('shows nothing of anybody else', async () => {
    const fixture = await withFailure();
    const [{ _id, eventId }] = await fixture.logs();
    const { key } = await createUserFixture(app);
    const stranger = await signedIn(key);
    const { text } = await stranger.get();
    expect(text).not.toContain(_id);
    expect((await stranger.get(`/deliveries/${_id}`)).status).toBe(404);
    expect((await stranger.get(`/deliveries?webhookId=${fixture.webhookId}`)).status).toBe(404);
    const { token = '' } = stranger.fieldsOf(text, '/deliveries/logout');
    const fields = { webhookId: fixture.webhookId, eventId, token, once: 'a'.repeat(24) };
    expect((await stranger.post('/deliveries/redeliver', fields)).status).toBe(404);
    expect((await stranger.post('/deliveries/test', fields)).status).toBe(404);
    await fixture.receiver.stop();
  });

  it('is filtered by webhook, event and state and paged by cursor', async () => {
    const fixture = await withFailure();
    fixture.receiver.answer = status(200);
    for (let at = 0; at < 3; at++) await fixture.event(`k${at}`);
    await expect.poll(async () => (await fixture.logs('&status=delivered')).length).toBe(3);
    const person = await signedIn(fixture.user.key);
    const entries = async (query: string): Promise<string[]> =>
      [...(await person.get(`/deliveries?${query}`)).text.matchAll(/<a href="\/deliveries\/([0-9a-f]{24})"/g)].map(
        ([, id = '']) => id,
      );
    expect(await entries('')).toHaveLength(4);
    expect(await entries('webhookId=&event=&status=failed')).toHaveLength(1);
    expect(await entries('event=ad.created')).toEqual([]);
    expect(await entries(`webhookId=${fixture.webhookId}&event=api_key.created&status=delivered`)).toHaveLength(3);
    const { text } = await person.get('/deliveries?status=delivered&limit=2');
    const [, next = ''] = /rel="next" href="([^"#]*)/.exec(text) ?? [];
    expect(next).toContain('status=delivered');
    expect(await entries((next.split('?')[1] ?? '').replaceAll('&amp;', '&'))).toHaveLength(1);
    expect((await person.get('/deliveries?status=odd')).status).toBe(400);
    expect((await person.get('/deliveries/nothing/here')).status).toBe(404);
    expect((await person.get('/deliveries/nothing')).status).toBe(404);
    const { status: code, headers } = await person.get('/deliveries/redeliver');
    expect([code, headers.get('allow')]).toEqual([405, 'POST']);
    await fixture.receiver.stop();
  });

  it("shows each webhook's last day in words and figures", async () => {
    const fixture = await withFailure();
    fixture.receiver.answer = status(200);
    await fixture.event('good');
    await expect.poll(async () => (await fixture.logs('&status=delivered')).length).toBe(1);
    const person = await signedIn(fixture.user.key);
    const { text } = await person.get();
    expect(text).toMatch(
      /aria-label="Last 24 hours: 1 accepted, 1 not; the last failure in the hour from \d\d:00 UTC"/,
    );
    expect(text.match(/<rect class="bad"/g)).toHaveLength(24);
    expect(text.match(/<rect class="bad"[^>]*height="0"/g)).toHaveLength(23);
    await fixture.receiver.stop();
  });

  it('shows texts of receivers and owners as texts', async () => {
    const canary = '<script>alert(1)</script>"\'><img src=x onerror=alert(2)>';
    const odd = (_request: unknown, response: import('node:http').ServerResponse): void =>
      void response.writeHead(500, { 'X-Odd': canary }).end(`${canary}</pre>`);
    const fixture = await withFailure(odd, { name: '<b>"bold"</b>', customHeaders: { 'X-Shop': 'hidden-value' } });
    const person = await signedIn(fixture.user.key);
    const [{ _id }] = await fixture.logs();
    const pages = [await person.get(), await person.get(`/deliveries/${_id}`)];
    const text = pages.map((page) => page.text).join('');
    expect(text).not.toMatch(/<script|<img|<b>|onerror=alert\(2\)>|hidden-value/);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).toContain('&lt;b&gt;');
    expect(text).toContain('X-Shop');
    expect((await person.get(`/deliveries?status=${encodeURIComponent(canary)}`)).text).not.toMatch(/<script|<img/);
    for (const page of pages) expect(await markupProblems(page.text)).toEqual([]);
    await fixture.receiver.stop();
  });

  it('allows neither script nor outside requests nor frames, and is not cached', async () => {
    const { headers, text } = await visitor(app.url).get();
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src|unsafe|https?:/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/<script| style=|https?:\/\//);
    const [, href = ''] = /rel="stylesheet" href="([^"]+)"/.exec(text) ?? [];
    const style = await visitor(app.url).get(href);
    expect(style.headers.get('content-type')).toContain('text/css');
    expect(style.text).not.toMatch(/url\(|@import/);
  });
});
