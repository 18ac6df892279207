import { mkdtemp, readFile, rm, appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { matchesPattern } from '../../../src/dev/sandbox/pattern.ts';
import { rawRequest, sendRaw } from '../../support/raw.ts';

let sandbox: Sandbox;
let token: string;
let act: string;

const fields = {
  name: 'C',
  objective: 'OUTCOME_TRAFFIC',
  status: 'PAUSED',
  special_ad_categories: [],
  is_adset_budget_sharing_enabled: false,
};

async function connect(url: string): Promise<{ token: string; act: string }> {
  const response = await fetch(`${url}/control/network-a/connections`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({}),
  });
  const { accessToken, adAccounts } = (await response.json()) as { accessToken: string; adAccounts: { id: string }[] };
  return { token: accessToken, act: `act_${adAccounts[0]?.id}` };
}

beforeAll(async () => {
  sandbox = await startSandbox();
  ({ token, act } = await connect(sandbox.url));
});
afterAll(() => sandbox.stop());

const create = (body: object = fields, init: RequestInit = {}): Promise<Response> =>
  fetch(`${sandbox.url}/network-a/v26.0/${act}/campaigns`, {
    method: 'POST',
    ...init,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...init.headers },
    body: JSON.stringify(body),
  });
const fault = (body: object): Promise<Response> =>
  fetch(`${sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform: 'network-a', ...body }),
  });
const count = async (): Promise<number> => {
  const answer = await fetch(`${sandbox.url}/control/network-a/objects?type=campaign`);
  return ((await answer.json()) as { objects: [] }).objects.length;
};

describe('faults on demand', () => {
  it.each([
    ['http_500', 500, 0],
    ['transient', 500, 0],
    ['rate_limited', 400, 0],
    ['rate_limited_account', 400, 0],
    ['token_expired', 401, 0],
    ['policy_block', 400, 0],
    ['html_502', 502, 0],
    ['malformed', 200, 1],
    ['huge', 200, 1],
    ['ok_with_error', 200, 1],
  ])('%s answers %i and makes %i', async (name, status, made) => {
    const before = await count();
    await fault({ fault: name });
    const response = await create();
    await response.text();
    expect(response.status).toBe(status);
    expect((await count()) - before).toBe(made);
    expect((await create()).status).toBe(200);
  });

  it.each([
    ['timeout_after', 1],
    ['reset_after', 1],
    ['timeout_before', 0],
  ])('%s never answers and makes %i', async (name, made) => {
    const before = await count();
    await fault({ fault: name });
    const leaving = new AbortController();
    const outcome = create(fields, { signal: leaving.signal }).then(
      () => 'answered',
      () => 'not answered',
    );
    const armed = async (): Promise<unknown> => (await fetch(`${sandbox.url}/control/faults`)).json();
    await expect.poll(armed).toMatchObject({ faults: [] });
    await expect.poll(async () => (await count()) - before).toBe(made);
    leaving.abort();
    expect(await outcome).toBe('not answered');
  });

  it('apply only to what they match, after what they skip', async () => {
    await fault({ fault: 'http_500', match: { method: 'GET' } });
    expect((await create()).status).toBe(200);
    await fetch(`${sandbox.url}/control/faults`, { method: 'DELETE' });
    await fault({ fault: 'http_500', skip: 1, times: 2 });
    const statuses = [];
    for (let at = 0; at < 4; at++) statuses.push((await create()).status);
    expect(statuses).toEqual([200, 500, 500, 200]);
  });

  it('come by a header, and once by a name', async () => {
    expect((await create(fields, { headers: { 'X-Sandbox-Fault': 'http_500' } })).status).toBe(500);
    expect((await create({ ...fields, name: 'Sale [fault:http_500]' })).status).toBe(500);
    expect((await create({ ...fields, name: 'Sale [fault:http_500]' })).status).toBe(200);
    expect((await create({ ...fields, name: 'Sale [fault:http_500@adsets]' })).status).toBe(200);
  });

  it('apply to one token only, and by a pattern of the path', async () => {
    const other = await connect(sandbox.url);
    await fault({ fault: 'http_500', token: other.token });
    expect((await create()).status).toBe(200);
    expect((await create(fields, { headers: { Authorization: `Bearer ${other.token}` } })).status).toBe(500);
    await fault({ fault: 'http_500', match: { path: '/adsets$' } });
    expect((await create()).status).toBe(200);
    await fetch(`${sandbox.url}/control/faults`, { method: 'DELETE' });
    for (const path of ['(', '(a+)+$', 'x'.repeat(201), 7, {}])
      expect((await fault({ fault: 'http_500', match: { path } })).status).toBe(400);
  });

  it('of a limit say in the usage headers who is limited and for how long', async () => {
    await fault({ fault: 'rate_limited' });
    const { headers } = await create();
    const usage = JSON.parse(headers.get('x-business-use-case-usage') ?? '') as object;
    expect(usage).toMatchObject({ [act.slice(4)]: [{ call_count: 100, estimated_time_to_regain_access: 2 }] });
    expect(headers.get('x-app-usage')).toContain('call_count');
  });

  it('400: an unknown fault is refused with the known ones', async () => {
    const response = await fault({ fault: 'earthquake' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('timeout_after');
  });
});

describe('a request from elsewhere', () => {
  const port = (): number => sandbox.port;
  const places = [
    '/',
    '/healthz',
    '/ledger',
    '/control/faults',
    '/consent/network-a',
    '/media/square.png',
    '/network-a/me',
  ];

  it.each<[string | null, number]>([
    ['[', 400],
    ['a b', 400],
    ['local host:1', 400],
    ['%zz', 400],
    ['localhost:99999', 400],
    [null, 403],
  ])('has a JSON error if its host cannot be parsed or is missing: %s', async (Host, expected) => {
    const { status, headers, text } = await sendRaw(port(), rawRequest('/ledger', { Host }));
    expect([status, headers['content-type']]).toEqual([expected, expect.stringContaining('application/json')]);
    expect(JSON.parse(text)).toEqual({ error: expect.stringMatching(/.{10}/) });
  });

  it.each(places)('403: %s under a foreign host or for a page of a foreign origin', async (path) => {
    expect((await sendRaw(port(), rawRequest(path, { Host: 'evil.example:4001' }))).status).toBe(403);
    for (const Origin of ['http://evil.example', 'null', 'http://localhost.evil.example'])
      expect((await sendRaw(port(), rawRequest(path, { Origin }))).status).toBe(403);
    const near = await sendRaw(port(), rawRequest(path, { Host: 'localhost:4001', Origin: 'http://127.0.0.1:4001' }));
    expect(near.status).not.toBe(403);
    expect(near.headers).toMatchObject({
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
  });

  it('is answered under a name that is allowed', async () => {
    const named = await startSandbox({ allowedHosts: ['sandbox'] });
    expect((await sendRaw(named.port, rawRequest('/healthz', { Host: 'sandbox:4001' }))).status).toBe(200);
    expect((await sendRaw(named.port, rawRequest('/healthz', { Host: 'other:4001' }))).status).toBe(403);
    await named.stop();
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    '415: a control call as %s',
    async (type) => {
      const body = JSON.stringify({ platform: 'network-a', fault: 'http_500' });
      const options = { method: 'POST', headers: { 'Content-Type': type }, body };
      expect((await fetch(`${sandbox.url}/control/faults`, options)).status).toBe(415);
    },
  );

  it.each(['/control/faults', '/control/network-c/settings', '/control/microblog/settings'])(
    '400: a control call to %s whose body is no JSON object',
    async (path) => {
      for (const body of ['null', '[]', '"a"', '1', 'x', '{"a":']) {
        const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
        expect((await fetch(sandbox.url + path, options)).status, body).toBe(400);
      }
    },
  );

  it('keeps the first hundred levels of a body that nests deeper than the stack', async () => {
    const body = `{"name":"deep","a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
    await fetch(`${sandbox.url}/listing/v1/deep`, options);
    const { entries } = (await (await fetch(`${sandbox.url}/ledger?path=/v1/deep`)).json()) as { entries: object[] };
    expect(entries).toMatchObject([{ body: { name: 'deep' } }]);
    expect(JSON.stringify(entries).length).toBeLessThan(2000);
  });

  it('413: a body over the limit, with or without its length', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const large = ' '.repeat(1024 * 1024 + 1);
    const stream = new Blob([large]).stream();
    const at = `${sandbox.url}/control/faults`;
    expect((await fetch(at, { method: 'POST', headers, body: large })).status).toBe(413);
    expect((await fetch(at, { method: 'POST', headers, body: stream, duplex: 'half' } as RequestInit)).status).toBe(
      413,
    );
    const fields = { ...headers, 'Content-Length': String(33 * 1024 * 1024) };
    expect((await sendRaw(sandbox.port, rawRequest('/network-a/x', fields, 'POST'))).status).toBe(413);
  });

  it('404: sample media named like a member of every object', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      expect((await fetch(`${sandbox.url}/media/${name}`)).status).toBe(404);
  });
});

describe('the pattern of a fault', () => {
  it.each([
    ['/adsets$', '/v26.0/act_1/adsets', true],
    ['/adsets$', '/v26.0/act_1/adsets/1', false],
    ['^/v*/adsets', '/v26.0/act_1/adsets', true],
    ['^/act', '/v26.0/act_1/adsets', false],
    ['v26.0/#$', '/v26.0/123', true],
    ['/#$', '/v26.0/123', true],
    ['/#$', '/v26.0/act_123', false],
    ['/\\d+/copies$|/create/$', '/v26.0/123/copies', true],
    ['a*b*c$', 'xaybbzcc', true],
    ['a*b*c$', 'xaybbzccd', false],
    ['a.c', 'abc', false],
    ['', '/anything', true],
  ])('%s on %s: %s', (pattern, text, isMatch) => {
    expect(matchesPattern(pattern, text)).toBe(isMatch);
  });

  it('is looked for in a long path at once, however many stars it has', async () => {
    expect((await fault({ fault: 'http_500', match: { path: `${'a*'.repeat(99)}b` } })).status).toBe(200);
    expect((await fetch(`${sandbox.url}/network-a/${'a'.repeat(8_000)}!`)).status).not.toBe(500);
    await fetch(`${sandbox.url}/control/faults`, { method: 'DELETE' });
  });
});

describe('the ledger', () => {
  it('keeps what was received, parsed, without tokens', async () => {
    await fetch(`${sandbox.url}/ledger`, { method: 'DELETE' });
    await create();
    await fetch(`${sandbox.url}/network-a/v26.0/me?access_token=${token}`);
    const text = await (await fetch(`${sandbox.url}/ledger?platform=network-a`)).text();
    const { entries } = JSON.parse(text) as { entries: object[] };
    expect(entries).toMatchObject([
      { method: 'POST', body: { objective: 'OUTCOME_TRAFFIC', special_ad_categories: [] }, status: 200 },
      { method: 'GET' },
    ]);
    expect(text).not.toContain(token);
  });
});

describe('a body that cannot be read', () => {
  it.each(['{"half', '[1]', 'null'])('%s is no parameter at all', async (body) => {
    const url = `${sandbox.url}/network-a/v26.0/${act}/campaigns`;
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const refused = await fetch(url, { method: 'POST', headers, body });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: 100 } });
  });
});

describe('the page', () => {
  it('shows what is held and received, and escapes it', async () => {
    await create({ ...fields, name: '<script>alert(1)</script>' });
    const html = await (await fetch(sandbox.url)).text();
    expect(html).toContain('&lt;script&gt;alert(1)');
    expect(html).not.toContain('<script>alert(1)');
    expect(html).not.toContain(token);
  });
});

describe('sample media', () => {
  it.each([
    ['landscape.png', 1200, 628],
    ['square.png', 1080, 1080],
    ['wide.png', 1600, 400],
    ['thumbnail.png', 640, 360],
  ])('%s is a picture of %i by %i', async (name, width, height) => {
    const response = await fetch(`${sandbox.url}/media/${name}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-type')).toBe('image/png');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([width, height]);
  });

  it('video.mp4 is a video by its boxes', async () => {
    const bytes = Buffer.from(await (await fetch(`${sandbox.url}/media/video.mp4`)).arrayBuffer());
    expect(bytes.subarray(4, 8).toString()).toBe('ftyp');
  });
});

describe('a restart', () => {
  it('keeps everything but a torn last line', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'sandbox-'));
    const first = await startSandbox({ dataDir });
    const known = await connect(first.url);
    await first.stop();
    await appendFile(join(dataDir, 'sandbox.jsonl'), '{"c":"a.objects","id":"1","v":{"half');
    const second = await startSandbox({ dataDir });
    const me = await fetch(`${second.url}/network-a/v26.0/${known.act}`, {
      headers: { Authorization: `Bearer ${known.token}` },
    });
    expect(me.status).toBe(200);
    const next = await connect(second.url);
    expect(next.act).not.toBe(known.act);
    await second.stop();
    expect(await readFile(join(dataDir, 'sandbox.jsonl'), 'utf8')).not.toContain('half');
    await rm(dataDir, { recursive: true });
  });
});
