import { describe, expect, it } from 'vitest';
import { configFaults, readConfig } from '../src/config.ts';

const key = `a:${Buffer.alloc(32, 1).toString('base64')}`;
const good = { MONGODB_URI: 'mongodb://localhost/social', REDIS_URL: 'redis://localhost', SEALING_KEYS: key };

const originsAre =
  'must be origins such as https://app.example.com, without a path, separated by commas; or * alone for any';

describe('the configuration', () => {
  it('names everything that is missing at once', () => {
    expect(configFaults({})).toEqual([
      'MONGODB_URI is required, for instance mongodb://localhost:27017/social',
      'REDIS_URL is required, for instance redis://localhost:6379',
      'SEALING_KEYS is required: id:base64 of 32 random bytes, several separated by commas',
    ]);
    expect(() => readConfig({})).toThrow(
      /^The configuration has faults:\n {2}MONGODB_URI .*\n {2}REDIS_URL .*\n {2}SEAL/,
    );
  });

  it.each([
    ['NODE_ENV', 'prod', 'must be development, test or production'],
    ['ROLE', 'boss', 'must be api, worker or all'],
    ['PORT', '0x10', 'must be a whole number from 0 to 65535'],
    ['PORT', '1e3', 'must be a whole number from 0 to 65535'],
    ['PORT', '4000.5', 'must be a whole number from 0 to 65535'],
    ['PUBLIC_URL', 'api.example.com', 'must look like https://api.example.com'],
    ['REDIS_PREFIX', 'a/b', 'must be 1 to 32 letters, digits, hyphens or underscores'],
    ['SEALING_KEYS', 'k', 'must be id:base64 of 32 random bytes, several separated by commas'],
    ['SEALING_KEYS', `${key},b:c2hvcnQ=`, 'must be id:base64 of 32 random bytes, several separated by commas'],
    ['LOG_LEVEL', 'loud', 'must be trace, debug, info, warn, error, fatal or silent'],
    ['RATE_LIMIT_SMALL', '0', 'must be a whole number of at least 1'],
    ['METRICS_TOKEN', 'short', 'must have at least 16 characters'],
    ['SWEEP_EVERY_SECONDS', '99999999', 'must be a number from 0.1 to 86400'],
    ['WEBHOOK_RETRY_STEPS', 'none', 'must be seconds separated by commas'],
    ['WEBHOOK_RETRY_STEPS', '1,', 'must be seconds separated by commas'],
    ['WEBHOOK_BREAKER_STEPS', 'off', 'must be seconds separated by commas, or none'],
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
  ])('reads WEBHOOK_BREAKER_STEPS="%s": an empty list turns the circuit breaker off', (text, steps) => {
    expect(readConfig({ ...good, WEBHOOK_BREAKER_STEPS: text }).webhooks.breakerSteps).toEqual(steps);
    expect(readConfig({ ...good, WEBHOOK_RETRY_STEPS: '' }).webhooks.retrySteps.length).toBeGreaterThan(1);
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
