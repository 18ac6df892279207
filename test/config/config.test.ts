import { describe, expect, it } from 'vitest';
import { configFaults, configWarnings, readConfig } from '../../src/config/config.ts';

const key = `a:${Buffer.alloc(32, 1).toString('base64')}`;
const good = { MONGODB_URI: 'mongodb://localhost/social', REDIS_URL: 'redis://localhost', ENCRYPTION_KEYS: key };

const originsAre =
  'must be origins such as https://app.example.com, without a path, separated by commas; or * alone for any';

describe('the configuration', () => {
  it('names everything that is missing at once', () => {
    expect(configFaults({})).toEqual([
      'MONGODB_URI is required, for instance mongodb://localhost:27017/social',
      'REDIS_URL is required, for instance redis://localhost:6379',
      'ENCRYPTION_KEYS is required: id:base64 of 32 random bytes, several separated by commas',
    ]);
    expect(() => readConfig({})).toThrow(
      /^The configuration is invalid:\n {2}MONGODB_URI .*\n {2}REDIS_URL .*\n {2}ENCRYPTION_KEYS/,
    );
  });

  it.each([
    ['NODE_ENV', 'prod', 'must be development, test or production'],
    ['ROLE', 'boss', 'must be api, worker or all'],
    ['PORT', '0x10', 'must be a whole number from 0 to 65535'],
    ['PORT', '1e3', 'must be a whole number from 0 to 65535'],
    ['PORT', '4000.5', 'must be a whole number from 0 to 65535'],
    [
      'PUBLIC_URL',
      'api.example.com',
      'must look like https://api.example.com, without a query, a fragment or a password',
    ],
    ['REDIS_PREFIX', 'a/b', 'must be 1 to 32 letters, digits, hyphens or underscores'],
    ['ENCRYPTION_KEYS', 'k', 'must be id:base64 of 32 random bytes, several separated by commas'],
    ['ENCRYPTION_KEYS', `${key},b:c2hvcnQ=`, 'must be id:base64 of 32 random bytes, several separated by commas'],
    ['LOG_LEVEL', 'loud', 'must be trace, debug, info, warn, error, fatal or silent'],
    ['RATE_LIMIT_SMALL', '0', 'must be a whole number of at least 1'],
    ['METRICS_TOKEN', 'short', 'must have at least 16 characters'],
    ['SWEEP_INTERVAL_SECONDS', '99999999', 'must be a number from 0.1 to 86400'],
    ['WEBHOOK_RETRY_SCHEDULE', 'none', 'must be seconds separated by commas'],
    ['WEBHOOK_RETRY_SCHEDULE', '1,', 'must be seconds separated by commas'],
    ['WEBHOOK_CIRCUIT_BREAKER_SCHEDULE', 'off', 'must be seconds separated by commas, or none'],
    ['PLATFORM_TIMEOUT_SECONDS', 'no', 'must be a number from 0.1 to 120'],
    ['CORS_ORIGINS', 'app.example.com', originsAre],
    ['CORS_ORIGINS', 'https://app.example.com/', originsAre],
    ['CORS_ORIGINS', 'https://app.example.com/path', originsAre],
    ['CORS_ORIGINS', 'https://*.example.com', originsAre],
    ['CORS_ORIGINS', 'https://app.example.com, *', originsAre],
    ['CORS_ORIGINS', 'null', originsAre],
    ['CORS_ORIGINS', 'https://me@app.example.com', originsAre],
    ['PLATFORM_A_BASE_URL', 'graph', 'must look like https://graph.facebook.com'],
  ])('refuses %s=%s in words of its own', (name, value, message) => {
    expect(configFaults({ ...good, [name]: value })).toEqual([`${name} ${message}`]);
  });

  it.each([
    '10.0.0.0/99',
    '10.0.0.0/33',
    '999.1.1.1/8',
    '::::/0',
    '1.2.3/8',
    '10.0.0.0',
    '010.0.0.0/8',
    '0x0a.0.0.0/8',
    'fd00::/129',
    'fe80::1%eth0/64',
    '10.0.0.0/8,fd00::/999',
    '10.0.0.0/-1',
  ])('refuses %s as a range at start, not at every send', (text) => {
    expect(configFaults({ ...good, WEBHOOK_ALLOWED_CIDRS: text })).toEqual([
      'WEBHOOK_ALLOWED_CIDRS must be comma-separated ranges such as 10.0.0.0/8 or fd00::/8',
    ]);
  });

  it.each([
    ['PUBLIC_URL', 'https:api.example.com'],
    ['PUBLIC_URL', 'https://api.example.com/?a=b'],
    ['PUBLIC_URL', 'https://api.example.com/#a'],
    ['PUBLIC_URL', 'https://me:secret@api.example.com'],
    ['EGRESS_PROXY', 'http:proxy:3128'],
    ['EGRESS_PROXY', 'http://proxy:99999'],
    ['WEBHOOK_RETRY_SCHEDULE', `0,${'9'.repeat(400)}`],
    ['WEBHOOK_CIRCUIT_BREAKER_SCHEDULE', '5,2592001'],
  ])('refuses %s=%s, which only later would fail', (name, value) => {
    const faults = configFaults({ ...good, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name} must `));
    expect(faults[0]).not.toContain('me:secret');
  });

  it('rejects duplicate key ids without revealing a key', () => {
    const twice = `${key},a:${Buffer.alloc(32, 2).toString('base64')}`;
    const [fault = ''] = configFaults({ ...good, ENCRYPTION_KEYS: twice });
    expect(fault).toMatch(/^ENCRYPTION_KEYS names the key id a twice/);
    expect(fault).not.toContain(key.slice(2));
  });

  it('accepts SEALING_KEYS, unless it differs from ENCRYPTION_KEYS', () => {
    const { ENCRYPTION_KEYS: _keys, ...rest } = good;
    expect(readConfig({ ...rest, SEALING_KEYS: key }).encryptionKeys).toEqual([key]);
    expect(readConfig({ ...good, SEALING_KEYS: key }).encryptionKeys).toEqual([key]);
    const other = `b:${Buffer.alloc(32, 2).toString('base64')}`;
    expect(() => readConfig({ ...good, SEALING_KEYS: other })).toThrow(
      /SEALING_KEYS is the former name of ENCRYPTION_KEYS, and both are set to different values/,
    );
  });

  it.each([
    [{}, /PUBLIC_URL is http:\/\/localhost:4000: .* not marked Secure/],
    [{ PUBLIC_URL: 'http://127.0.0.1:80' }, /not marked Secure/],
    [{ PUBLIC_URL: 'http://api.example.com' }, /cookies of \/ads and \/deliveries are sent unencrypted over http/],
    [{ PUBLIC_URL: 'https://api.example.com' }, undefined],
    [{ NODE_ENV: 'development' }, undefined],
  ])('warns in production of addresses that browsers must not use (%#)', (extra, said) => {
    const warnings = configWarnings(
      readConfig({ ...good, NODE_ENV: 'production', METRICS_TOKEN: 'm'.repeat(16), ...extra }),
    );
    expect(warnings).toEqual(said ? [expect.stringMatching(said)] : []);
  });

  it('takes what compose files leave empty for not set', () => {
    expect(readConfig({ ...good, PORT: '', ROLE: '', PLATFORM_A_BASE_URL: '' })).toMatchObject({
      port: 4000,
      role: 'all',
    });
  });

  it.each([
    ['', []],
    ['none', []],
    [' 1, 2.5 ', [1, 2.5]],
  ])('reads WEBHOOK_CIRCUIT_BREAKER_SCHEDULE="%s": an empty list turns the circuit breaker off', (text, steps) => {
    expect(readConfig({ ...good, WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: text }).webhooks.breakerSchedule).toEqual(steps);
    expect(readConfig({ ...good, WEBHOOK_RETRY_SCHEDULE: '' }).webhooks.retrySchedule.length).toBeGreaterThan(1);
  });

  it('reads origins as browsers write them', () => {
    const origins = (CORS_ORIGINS: string) => readConfig({ ...good, CORS_ORIGINS }).corsOrigins;
    expect(readConfig(good).corsOrigins).toEqual([]);
    expect(origins('*')).toEqual(['*']);
    expect(origins(' https://App.Example.com:443,http://localhost:5173 , https://bücher.example')).toEqual([
      'https://app.example.com',
      'http://localhost:5173',
      'https://xn--bcher-kva.example',
    ]);
  });

  it('reads numbers as they are written', () => {
    expect(readConfig({ ...good, PORT: ' 4100 ', DISCOVERY_EVERY_HOURS: '0.5' })).toMatchObject({
      port: 4100,
      discoveryEveryMs: 1_800_000,
    });
  });
});

describe('the time to stop', () => {
  const base = {
    MONGODB_URI: 'mongodb://localhost/social',
    REDIS_URL: 'redis://localhost',
    ENCRYPTION_KEYS: `a:${Buffer.alloc(32, 1).toString('base64')}`,
  };

  it('drains in production only, and not in a worker', () => {
    const drainMs = (env: object) => readConfig({ ...base, ...env }).shutdown.drainMs;
    expect([drainMs({}), drainMs({ DRAIN_SECONDS: '2' })]).toEqual([0, 2_000]);
    const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://api.example' };
    expect([drainMs(production), drainMs({ ...production, ROLE: 'worker' })]).toEqual([5_000, 0]);
  });

  it('leaves time for a call to a platform', () => {
    expect(() => readConfig({ ...base, SHUTDOWN_SECONDS: '20' })).toThrow(
      'SHUTDOWN_SECONDS must be at least 30: DRAIN_SECONDS, PLATFORM_TIMEOUT_SECONDS and 5 s to close the stores',
    );
    expect(readConfig({ ...base, SHUTDOWN_SECONDS: '30' }).shutdown.shutdownMs).toBe(30_000);
    expect(readConfig({ ...base, PLATFORM_TIMEOUT_SECONDS: '120' }).shutdown.shutdownMs).toBe(130_000);
    expect(readConfig(base).shutdown.shutdownMs).toBe(60_000);
  });
});
