import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../src/egress/address.ts';
import { asciiAddress, httpProblem, linkProblem, parseAddress } from '../../src/lib/web-address.ts';

describe('an http or https address', () => {
  it.each([
    'https://example.com',
    'HTTPS://Example.COM:8443/a?b#c',
    'https://bücher.example/größe?ü=é#ñ',
    'https://例え.テスト/',
    'https://💩.la/💩',
    'https://example.com./',
    'http://[2001:db8::1]:80/',
    'https://example.com/a%20b|"<>',
    `https://${'a'.repeat(63)}.example/`,
  ])('%s is one', (text) => {
    expect(linkProblem(text)).toBeUndefined();
  });

  it.each([
    ['https://shop.example/a b', 'contains white space at position 23; write %20'],
    ['https://shop .example/', 'contains white space at position 13; write %20'],
    ['https://💩.la/a\tb', 'contains white space at position 15; write %09'],
    ['https://shop.example/a\nb', 'contains white space at position 23; write %0A'],
    ['https://shop.example/a\u00a0b', 'contains white space at position 23; write %C2%A0'],
    ['https://shop.example/a\u0000b', 'contains a control character at position 23; remove it'],
    ['https:\\\\shop.example', 'contains a backslash at position 7; write / or %5C'],
    ['https://shop.example\\@evil.example', 'contains a backslash at position 21; write / or %5C'],
    ['https://shop.example/\ud800', 'must be well-formed Unicode'],
    ['shop.example', 'must be an http or https address'],
    ['ftp://shop.example', 'must be an http or https address'],
    ['http:/shop.example', 'must have // and a host after the scheme, such as https://example.com'],
    ['http:shop.example', 'must have // and a host after the scheme, such as https://example.com'],
    ['https:///shop.example', 'must have // and a host after the scheme, such as https://example.com'],
    ['https://shop.example:99999/', 'must have a valid host and port, such as https://example.com:8443'],
    ['https://[fe80::1%25eth0]/', 'must have a valid host and port, such as https://example.com:8443'],
    ['https://[::1/', 'must have a valid host and port, such as https://example.com:8443'],
    ['https://xn--a/', 'must have a valid host and port, such as https://example.com:8443'],
    ['https://a..example/', 'must have a valid host and port, such as https://example.com:8443'],
    [`https://${'a'.repeat(64)}.example/`, 'must have a valid host and port, such as https://example.com:8443'],
    [`https://${'abc.'.repeat(64)}example/`, 'must have a valid host and port, such as https://example.com:8443'],
    ['https://me:secret@shop.example/', 'must not contain credentials'],
    ['https://me@shop.example/', 'must not contain credentials'],
  ])('%j is none, and it is said why', (text, problem) => {
    expect(linkProblem(text)).toBe(problem);
  });

  it('with an international host is one after any number of them', () => {
    const refused = Array.from({ length: 10_000 }, (_, at) => `https://bücher-${at}.example/größe`).filter(
      (text) => httpProblem(text) !== undefined || parseAddress(text) === undefined,
    );
    expect(refused).toEqual([]);
  });
});

describe('an address in ASCII', () => {
  it.each([
    ['https://shop.example?a=b#c', 'https://shop.example?a=b#c'],
    ['myapp://connected', 'myapp://connected'],
    ['https://bücher.example/größe?ü=é#ñ', 'https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe?%C3%BC=%C3%A9#%C3%B1'],
    ['https://💩.la/💩', 'https://xn--ls8h.la/%F0%9F%92%A9'],
    ['myapp://bücher/ü?ü#ü', 'myapp://b%C3%BCcher/%C3%BC?%C3%BC#%C3%BC'],
    ['myapp:ü', 'myapp:%C3%BC'],
  ])('of %s is %s', (text, ascii) => {
    expect(asciiAddress(text)).toBe(ascii);
  });
});

describe('this machine', () => {
  it.each([
    'http://127.0.0.1',
    'http://127.8.9.10',
    'http://0x7f000001',
    'http://0x7f.1',
    'http://2130706433',
    'http://0177.0.0.1',
    'http://１２７.0.0.1',
    'http://127.0.0.1.',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://[0:0:0:0:0:0:0:1]',
    'http://localhost',
    'http://LOCALHOST.',
    'http://foo.localhost',
  ])('is recognised in %s', (text) => {
    expect(isLoopback(parseAddress(text)?.hostname ?? '')).toBe(true);
  });

  it.each(['http://128.0.0.1', 'http://localhost.example', 'http://notlocalhost', 'http://[::2]', 'http://10.0.0.1'])(
    'is not seen in %s',
    (text) => {
      expect(isLoopback(parseAddress(text)?.hostname ?? '')).toBe(false);
    },
  );
});
