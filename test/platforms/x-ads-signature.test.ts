import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authorization, encoded } from '../../src/platforms/x-ads/signature.ts';

/** The platform's published example, computed for both of its hosts. */
const keys = {
  consumerKey: 'xvz1evFS4wEEPTGEFPHBog',
  consumerSecret: 'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw',
  token: '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb',
  tokenSecret: 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE',
};
const once = { nonce: 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg', timestamp: '1318622958' };
const params = { include_entities: 'true', status: 'Hello Ladies + Gentlemen, a signed OAuth request!' };

describe('the OAuth 1.0a signature', () => {
  it.each([
    ['https://api.x.com/1.1/statuses/update.json', 'Ls93hJiZbQ3akF3HF3x1Bz8/zU4='],
    ['https://api.twitter.com/1.1/statuses/update.json', 'hCtSmYh+iHYCEqBWrE7C7hYmtUk='],
  ])('is the published one for %s', (url, signature) => {
    const header = authorization({ method: 'POST', url, params }, keys, once);
    expect(header).toContain(`oauth_signature="${encoded(signature)}"`);
    expect(header).toMatch(/^OAuth oauth_consumer_key="xvz1evFS4wEEPTGEFPHBog", oauth_nonce="/);
  });

  // RFC 5849, 3.4.1.3.2: parameters are sorted by name; the expected value is computed from the base string by hand.
  it('sorts a name before a longer one that continues with a digit or a hyphen', () => {
    const request = { method: 'GET', url: 'https://ads-api.x.com/12/a', params: { 'a-b': '1', a1: '2', a: '3' } };
    const own = `oauth_consumer_key=${keys.consumerKey}&oauth_nonce=${once.nonce}&oauth_signature_method=HMAC-SHA1&oauth_timestamp=${once.timestamp}&oauth_token=${keys.token}&oauth_version=1.0`;
    const base = `GET&${encodeURIComponent(request.url)}&${encodeURIComponent(`a=3&a-b=1&a1=2&${own}`)}`;
    const secrets = `${keys.consumerSecret}&${keys.tokenSecret}`;
    const signature = createHmac('sha1', secrets).update(base).digest('base64');
    expect(authorization(request, keys, once)).toContain(`oauth_signature="${encoded(signature)}"`);
  });

  // RFC 5849, 3.4.1.2.
  it.each(['https://ADS-API.x.com/12/a', 'https://ads-api.x.com:443/12/a'])('is the same for %s', (url) => {
    const signed = (address: string): string => authorization({ method: 'GET', url: address, params }, keys, once);
    expect(signed(url)).toBe(signed('https://ads-api.x.com/12/a'));
  });

  it('is another with every request', () => {
    const request = { method: 'GET', url: 'https://ads-api.x.com/12/accounts', params: {} };
    expect(authorization(request, keys)).not.toBe(authorization(request, keys));
  });

  it('covers every parameter, and never shows a secret', () => {
    const sign = (value: string): string =>
      authorization({ method: 'POST', url: 'https://ads-api.x.com/12/a', params: { name: value } }, keys, once);
    expect(sign('a')).not.toBe(sign('b'));
    expect(sign('a')).not.toContain(keys.tokenSecret);
    expect(sign('a')).not.toContain(keys.consumerSecret);
  });

  it.each([
    ["!'()*", '%21%27%28%29%2A'],
    ['a b', 'a%20b'],
    [',:', '%2C%3A'],
    ['-._~', '-._~'],
  ])('escapes %j as RFC 3986 has it', (text, escaped) => {
    expect(encoded(text)).toBe(escaped);
  });
});
