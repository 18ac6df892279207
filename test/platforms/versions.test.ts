import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { versionReadings, versionWarnings } from '../../src/platforms/versions.ts';

const config = (env: Record<string, string>) =>
  readConfig({
    MONGODB_URI: 'mongodb://localhost/social',
    REDIS_URL: 'redis://localhost',
    ENCRYPTION_KEYS: `a:${Buffer.alloc(32, 1).toString('base64')}`,
    ...env,
  }).platforms;
const textsAt = (env: Record<string, string>, at: string) =>
  versionWarnings(config(env), new Date(at)).map(({ text }) => text);

describe('the configured API versions', () => {
  it('need no attention on the day this table was checked', () => {
    expect(textsAt({}, '2026-11-28T00:00:00Z')).toEqual([]);
  });

  it.each([
    ['2026-12-24T23:59:59Z', []],
    [
      '2026-12-25T00:00:00Z',
      ['API version v25.0 of platform A ends on 2027-02-23: set PLATFORM_A_VERSION to a newer one'],
    ],
    [
      '2027-02-23T23:59:59Z',
      ['API version v25.0 of platform A ends on 2027-02-23: set PLATFORM_A_VERSION to a newer one'],
    ],
    [
      '2027-02-24T00:00:00Z',
      ['API version v25.0 of platform A ended on 2027-02-23: set PLATFORM_A_VERSION to a newer one'],
    ],
  ])('are warned about from 60 days before their last day: %s', (at, expected) => {
    expect(textsAt({ PLATFORM_A_VERSION: 'v25.0' }, at)).toEqual(expected);
  });

  it.each([
    ['PLATFORM_A_VERSION', 'v21.0', 'ended on 2026-11-10'],
    ['PLATFORM_B_VERSION', 'v19', 'ended on 2026-10-07'],
    ['PLATFORM_F_VERSION', '202512', 'ends on 2027-01-15'],
    ['PLATFORM_F_VERSION', '202504', 'ended on 2026-11-16'],
    ['PLATFORM_F_VERSION', '202601', 'ends on 2027-01-15'],
  ])('end no later than the next listed one: %s=%s', (name, version, expected) => {
    const [text] = textsAt({ [name]: version }, '2026-12-01T12:00:00Z');
    expect(text).toContain(`${version} of platform ${name.at(9)} ${expected}: set ${name} `);
  });

  it('of LinkedIn end about a year after their month if no date is published', () => {
    expect(textsAt({}, '2027-07-20T00:00:00Z')).toContain(
      'API version 202608 of platform F ends about 2027-08-15: set PLATFORM_F_VERSION to a newer one',
    );
  });

  it('show the days that are left, negative after the end', () => {
    const env = { PLATFORM_A_VERSION: 'v24.0', PLATFORM_F_VERSION: '202601' };
    const days = versionReadings(config(env), new Date('2026-11-28T12:00:00Z'));
    const name = 'platform_api_version_days_left';
    expect(days).toContainEqual({ name, labels: { platform: 'A', version: 'v24.0' }, value: -18 });
    expect(days).toContainEqual({ name, labels: { platform: 'F', version: '202601' }, value: 48 });
  });
});

it.each([
  ['SALES', '2027-03-01', []],
  [
    'WEB_CONVERSION',
    '2026-12-01',
    [{ hasEnded: false, text: expect.stringMatching(/WEB_CONVERSION from 2027-02-01 .* to SALES$/) }],
  ],
  [
    'WEB_CONVERSION',
    '2027-02-01',
    [{ hasEnded: true, text: expect.stringContaining('PLATFORM_C_CONVERSION_OBJECTIVE') }],
  ],
])('the conversion objective %s of platform C gets a warning on %s: %j', (objective, at, expected) => {
  const env = { PLATFORM_C_CONVERSION_OBJECTIVE: objective, PLATFORM_A_VERSION: 'v27.0' };
  const said = versionWarnings(config(env), new Date(at)).filter(({ text }) => text.startsWith('Platform C'));
  expect(said).toEqual(expected);
});
