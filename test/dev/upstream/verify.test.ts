import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AdPlatform } from '../../../src/contract/platforms.ts';
import { checks } from '../../../src/dev/upstream/checks.ts';
import { run } from '../support.ts';
import { startLive, verifying, type Live, type Received } from './support.ts';

let live: Live;

beforeAll(async () => {
  live = await startLive();
});
afterAll(() => live.stop());
beforeEach(() => {
  live.alter = () => undefined;
  live.requests.length = 0;
});

interface Report {
  checks: { id: string; result: string; reason?: string; differences: object[] }[];
}

const only = async (platform: AdPlatform, id: string) => {
  const argv = ['--platform', platform, '--only', id, '--yes', '--json'];
  const ended = await verifying(await live.environmentOf(platform), argv);
  const [check] = (JSON.parse(ended.output) as Report).checks;
  return { ...ended, check };
};

const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
const secretsOf = (environment: Record<string, string | undefined>): string[] =>
  ['UPSTREAM_TOKEN', 'UPSTREAM_TOKEN_SECRET', 'PLATFORM_A_CLIENT_SECRET', 'PLATFORM_B_DEVELOPER_TOKEN'].flatMap(
    (name) => environment[name] ?? [],
  );

describe.each(AdPlatform.options)('the comparison of platform %s with the sandbox', (platform) => {
  it('finds no difference between two sandboxes, removes what it creates and shows no secret', async () => {
    const environment = await live.environmentOf(platform);
    const { code, output, warnings } = await verifying(environment, ['--platform', platform, '--yes']);
    expect(output.split('\n').filter((line) => line && !line.startsWith('same '))).toEqual([
      `${checks[platform].length} checks: ${checks[platform].length} same, 0 differs, 0 failed, 0 skipped`,
    ]);
    expect({ code, warnings }).toEqual({ code: 0, warnings: '' });
    expect(live.requests.length).toBeGreaterThan(checks[platform].length);
    expect(await live.left(platform)).toEqual([]);
    for (const secret of secretsOf(environment)) expect(output).not.toContain(secret);
  });

  it('sends no write without --yes', async () => {
    const { output } = await verifying(await live.environmentOf(platform), ['--platform', platform]);
    const writing = checks[platform].filter(({ kind }) => kind === 'write');
    expect(output).toContain(`${writing.length} skipped`);
    expect(live.requests.filter((request) => !isHarmless(request))).toEqual([]);
    expect(live.requests.length).toBeGreaterThan(5);
  });

  it('has a question, a doubt and a cost for every check, each under its own id', async () => {
    const { output } = await verifying({}, ['--platform', platform, '--list']);
    const ids = checks[platform].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, question, doubt } of checks[platform]) {
      expect(output).toContain(`${id}: ${question}\n  why: ${doubt}\n  cost: `);
    }
    expect(live.requests).toEqual([]);
  });
});

/** Reads, searches that are sent as a POST, refused token requests, and validations. */
const isHarmless = ({ method, path, body }: Received): boolean =>
  method === 'GET' ||
  /googleAds:search$|geoTargetConstants:suggest$|\/token\/?$|accessToken$|access_token\/?$/.test(path) ||
  /"validateOnly":true|execution_options=%5B%22validate_only%22%5D/.test(body);

describe('a difference', () => {
  it('names a member that has another name at the platform', async () => {
    live.alter = ({ path }, { status, text }) =>
      path.includes('/campaigns') ? { status, text: text.replace('"success"', '"succeeded"') } : undefined;
    const { code, check } = await only('A', 'campaign');
    const request = 'request 1, POST v26.0/*/campaigns';
    expect({ code, result: check?.result }).toEqual({ code: 1, result: 'differs' });
    expect(check?.differences).toEqual([
      { request, where: 'succeeded', platform: 'boolean', sandbox: 'absent' },
      { request, where: 'success', platform: 'absent', sandbox: 'boolean' },
    ]);
  });

  it('names another type of a member of a list that an adapter reads', async () => {
    live.alter = ({ path }, { status, text }) =>
      path.includes('/search')
        ? { status, text: text.replaceAll(/"audience_size_lower_bound":(\d+)/g, '"audience_size_lower_bound":"$1"') }
        : undefined;
    const { check } = await only('A', 'interests');
    expect(check?.differences).toEqual([
      {
        request: 'GET v26.0/search',
        where: 'data[].audience_size_lower_bound',
        platform: 'string',
        sandbox: 'number',
      },
    ]);
  });

  it('names another error code and field', async () => {
    live.alter = (_request, { status, text }) => ({
      status,
      text: text.replace('1885272', '1885999').replaceAll('daily_budget', 'budget'),
    });
    const { check } = await only('A', 'budget-too-low');
    const request = 'request 1, POST v26.0/*/campaigns';
    expect(check?.differences).toEqual([
      { request, where: 'error code', platform: '100/1885999', sandbox: '100/1885272' },
      { request, where: 'rejected fields', platform: 'budget', sandbox: 'daily_budget' },
    ]);
  });

  it('names another status', async () => {
    live.alter = ({ path }, { text }) => (path.includes('notAParameter') ? { status: 422, text } : undefined);
    const { check } = await only('F', 'unknown-parameter');
    const request = 'request 1, GET adAccounts/*';
    expect(check?.differences).toEqual([{ request, where: 'status', platform: '422', sandbox: '400' }]);
  });

  it('names another value of a member that the question is about', async () => {
    live.alter = (_request, { status, text }) => ({
      status,
      text: text.replaceAll('"search_result_enabled":true', '"search_result_enabled":false'),
    });
    const { check } = await only('D', 'search-result-default');
    const values = {
      where: 'values',
      platform: 'search_result_enabled: false',
      sandbox: 'search_result_enabled: true',
    };
    expect(check?.differences).toEqual([
      { request: expect.stringContaining('adgroup/create'), ...values },
      { request: expect.stringContaining('adgroup/get'), ...values },
    ]);
  });

  it('is removed like what was expected if the platform accepts what the sandbox refuses', async () => {
    live.alter = ({ method, path }, reply) =>
      method === 'POST' && path.endsWith('/campaigns') && reply.text.includes('"exceptions":[{')
        ? { status: 200, text: '{"items":[{"data":{"id":"626700000001"},"exceptions":[]}]}' }
        : undefined;
    const { check, warnings } = await only('C', 'element-code');
    expect(check?.result).toBe('differs');
    expect(live.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body)).toEqual([
      expect.stringContaining('"id":"626700000001"'),
    ]);
    // The sandbox does not know the object, which counts as removed.
    expect(warnings).toBe('');
  });
});

describe('what a check creates', () => {
  it('is removed if the check fails in the middle', async () => {
    live.alter = ({ path }) => (path.includes('/adsets') ? 'reset' : undefined);
    const { code, check, warnings } = await only('A', 'children-of-deleted');
    expect({ code, result: check?.result }).toEqual({ code: 1, result: 'failed' });
    expect(live.requests.map(({ method }) => method).filter((method) => method !== 'GET')).toEqual([
      'POST',
      'POST',
      'DELETE',
    ]);
    // The ad set was created, but its id is not known.
    expect(warnings).toMatch(/perhaps an object named "verify children-of-deleted \w+" \(adset\)/);
    expect(await live.left('A')).toHaveLength(1);
  });

  it('is named with its id if it cannot be removed', async () => {
    live.alter = ({ method }) =>
      method === 'DELETE' ? { status: 503, text: '{"errors":[{"code":"OVER_CAPACITY"}]}' } : undefined;
    const { code, warnings } = await only('E', 'campaign-defaults');
    expect(code).toBe(1);
    expect(warnings).toMatch(
      /^Could not be removed:\n {2}campaigns \w{5,} \("verify campaign-defaults \w+"\): OVER_CAPACITY/,
    );
  });

  it('is named if only a proxy answers its removal, and if a write fails without an answer of the platform', async () => {
    live.alter = ({ method }) => (method === 'DELETE' ? { status: 502, text: '<html>Bad Gateway</html>' } : undefined);
    const { code, warnings } = await only('A', 'copy-without-children');
    expect(code).toBe(1);
    expect(warnings.match(/^ {2}campaign \d+ \("verify copy-without-children \w+"\): no reason given$/gm)).toHaveLength(
      2,
    );
    live.alter = ({ method }) => (method === 'POST' ? { status: 502, text: '<html>Bad Gateway</html>' } : undefined);
    expect((await only('A', 'copy-without-children')).warnings).toMatch(
      /^Could not be removed:\n {2}perhaps an object named "verify copy-without-children \w+" \(campaign\): status 502\n$/,
    );
  });

  it('is removed if the operator stops the command', async () => {
    const stopping = new AbortController();
    live.alter = ({ path }) => {
      if (path.includes('/campaign/create')) stopping.abort();
      return undefined;
    };
    const environment = await live.environmentOf('D');
    const argv = ['--platform', 'D', '--yes', '--only', 'minors-in-us', '--only', 'unknown-campaign'];
    const { code, warnings } = await verifying(environment, argv, stopping.signal);
    expect({ code, warnings }).toEqual({ code: 1, warnings: 'Stopped before the last check.\n' });
    expect(live.requests.some(({ path }) => path.includes('/adgroup/create'))).toBe(false);
    expect(await live.left('D')).toEqual([]);
  });
});

describe('the report for an issue', () => {
  it('contains neither secrets nor ids, also if the platform repeats them', async () => {
    const environment = await live.environmentOf('A');
    const { UPSTREAM_TOKEN: token = '', UPSTREAM_AD_ACCOUNT: adAccount = '' } = environment;
    live.alter = ({ path }, { status, text }) => {
      if (!path.includes('/campaigns')) return undefined;
      const { error } = json(text);
      const message = `${token} may not use ${adAccount} and 120009007199254740993`;
      return { status, text: JSON.stringify({ error: { ...(error as object), error_user_msg: message } }) };
    };
    const { output } = await only('A', 'unknown-parameter');
    expect(output).toContain('[hidden] may not use [hidden] and [id]');
    for (const secret of [...secretsOf(environment), adAccount]) expect(output).not.toContain(secret);
  });
});

describe('the call', () => {
  const call = (environment: Record<string, string | undefined>, ...argv: string[]) => verifying(environment, argv);

  it('names every setting that is missing', async () => {
    expect(await call({}, '--platform', 'E')).toMatchObject({
      code: 2,
      warnings: expect.stringContaining(
        'Not set: UPSTREAM_TOKEN, UPSTREAM_AD_ACCOUNT, PLATFORM_E_CLIENT_ID, PLATFORM_E_CLIENT_SECRET, UPSTREAM_TOKEN_SECRET.',
      ) as string,
    });
    expect((await call({ UPSTREAM_AD_ACCOUNT: '1' }, '--platform', 'A', '--token-env', 'MINE')).warnings).toContain(
      'Not set: MINE.',
    );
  });

  it('rejects an unknown platform, check and option', async () => {
    expect(await call({}, '--platform', 'Z')).toMatchObject({
      code: 2,
      warnings: expect.stringMatching(/^npm run/) as string,
    });
    expect((await call({}, '--platform', 'A', '--only', 'nothing')).warnings).toMatch(
      /^There is no check nothing; there are ad-accounts, /,
    );
    expect((await call({}, '--platform', 'A', '--force')).warnings).toContain("Unknown option '--force'");
  });

  it('names the settings of a check that is skipped', async () => {
    const environment = { ...(await live.environmentOf('A')), UPSTREAM_APP: undefined };
    const { code, output } = await call(environment, '--platform', 'A', '--yes', '--only', 'app-without-user-os');
    expect(code).toBe(0);
    expect(output).toMatch(/^skipped {2}app-without-user-os: .* \(set UPSTREAM_APP\)\n1 checks: 0 same/);
  });

  it('explains why the platform rejects the token, without showing it', async () => {
    const environment = { ...(await live.environmentOf('A')), UPSTREAM_TOKEN: 'EAABwrongToken' };
    const { code, warnings } = await call(environment, '--platform', 'A');
    expect(code).toBe(2);
    expect(warnings).toMatch(/^The ad accounts cannot be read: .*access token/);
    expect(warnings).not.toContain('EAABwrongToken');
  });

  it('runs as a command', async () => {
    const { code, stdout } = await run(['src/dev/setup.mjs', 'upstream', 'verify', '--platform', 'c', '--list']).ended;
    expect(code).toBe(0);
    expect(stdout).toContain('restore-archived: Can an archived campaign be set to PAUSED again?');
  });
});
