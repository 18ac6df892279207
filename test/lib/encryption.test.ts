import { createCipheriv, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyProblem } from '../../src/lib/encryption-keys.ts';
import { createEncrypter, formatOf, MissingKeyError, type Binding, type Encrypted } from '../../src/lib/encryption.ts';

const newKey = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const [k1, k2] = [newKey('k1'), newKey('k2')];
const token: Binding = { purpose: 'account.token', documentId: 'a1' };

/** As versions before values were bound to anything wrote them. */
function former(entry: string, plain: string): Encrypted {
  const [id = '', text = ''] = entry.split(':');
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(text, 'base64'), iv);
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return [id, ...[iv, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join('.') as Encrypted;
}

describe('an encrypted value', () => {
  const encrypter = createEncrypter([k1]);
  const value = encrypter.encrypt('secret', token);

  it('decrypts only for its purpose and document', () => {
    expect(encrypter.decrypt(value, token)).toBe('secret');
    expect(() => encrypter.decrypt(value, { ...token, documentId: 'a2' })).toThrow();
    for (const purpose of ['account.refresh_token', 'webhook.secret', 'webhook.headers', 'page.session'] as const) {
      expect(() => encrypter.decrypt(value, { purpose, documentId: 'a1' }), purpose).toThrow();
    }
  });

  it.each([
    ['another segment', (text: string) => `${text}.x`],
    ['an empty segment', (text: string) => `${text}.`],
    ['one segment less', (text: string) => text.slice(0, text.lastIndexOf('.'))],
    ['a letter outside of base64url', (text: string) => `${text}!`],
    ['padding', (text: string) => `${text}=`],
    [
      'a shorter tag',
      (text: string) =>
        text.replace(/^((?:[^.]+\.){3})([^.]+)/, (_all, head: string, tag: string) => head + tag.slice(0, 16)),
    ],
    ['another version', (text: string) => text.replace('v2', 'v3')],
    ['nothing', () => ''],
  ])('is refused with %s', (_what, spoil) => {
    expect(() => encrypter.decrypt(spoil(value) as Encrypted, token)).toThrow('Not an encrypted value');
  });

  it('does not decrypt with any bit changed, including its key id', () => {
    const both = createEncrypter([k1, `k2:${k1.slice(3)}`.replace(k1.slice(3), k2.slice(3))]);
    expect(() => both.decrypt(value.replace('.k1.', '.k2.') as Encrypted, token)).toThrow();
    const at = value.length - 4;
    const changed = value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1);
    expect(() => both.decrypt(changed as Encrypted, token)).toThrow();
  });

  it('names the key that is missing', () => {
    const other = createEncrypter([k2]);
    expect(() => other.decrypt(value, token)).toThrow(MissingKeyError);
    expect(() => other.decrypt(value, token)).toThrow('The encryption key "k1" is not in ENCRYPTION_KEYS');
  });

  it('must be re-encrypted if another key is first', () => {
    const next = createEncrypter([k2, k1]);
    expect([encrypter.isStale(value), next.isStale(value), next.decrypt(value, token)]).toEqual([
      false,
      true,
      'secret',
    ]);
    expect(formatOf(next.encrypt('secret', token))).toMatchObject({ keyId: 'k2', isFormer: false });
  });
});

describe('a value of the former format', () => {
  const encrypter = createEncrypter([k1]);
  const value = former(k1, 'secret');

  it('decrypts for purposes that may have such values, and must be re-encrypted', () => {
    expect(encrypter.decrypt(value, token)).toBe('secret');
    expect(encrypter.decrypt(value, { purpose: 'webhook.headers', documentId: 'w1' })).toBe('secret');
    expect([encrypter.isStale(value), formatOf(value)]).toEqual([
      true,
      expect.objectContaining({ keyId: 'k1', isFormer: true }),
    ]);
  });

  it('does not decrypt as a session, connect state or connect grant, which are never that old', () => {
    for (const purpose of ['page.session', 'connect_state.secret', 'connect_grant.token', 'key.check'] as const) {
      expect(() => encrypter.decrypt(value, { purpose, documentId: '' }), purpose).toThrow(
        'Not an encrypted value of this purpose',
      );
    }
  });

  it('does not decrypt with a suffix', () => {
    expect(() => encrypter.decrypt(`${value}.x` as Encrypted, token)).toThrow('Not an encrypted value');
    expect(() => encrypter.decrypt(`v2.${value}` as Encrypted, token)).toThrow();
  });
});

describe('a list of keys', () => {
  it.each([
    [[k1, newKey('k1')], 'names the key id k1 twice'],
    [[k1, k2, newKey('k2')], 'names the key id k2 twice'],
    [[k1, `old:${k1.slice(3)}`], 'contains the same key under the ids k1 and old'],
    [[k1, `old:${k1.slice(3).replace('=', '').replaceAll('+', '-').replaceAll('/', '_')}`], 'contains the same key'],
    [[k1, ''], 'must be id:base64'],
    [['k1'], 'must be id:base64'],
    [[`k.1:${k1.slice(3)}`], 'must be id:base64'],
    [[`${k1}AAAA`], 'must be id:base64'],
    [['k1:c2hvcnQ='], 'must be id:base64'],
    [[], 'must be id:base64'],
  ])('is refused where it is ambiguous or malformed (%#)', (entries, said) => {
    const problem = keyProblem(entries) ?? '';
    expect(problem).toContain(said);
    for (const entry of [k1, k2]) expect(problem).not.toContain(entry.slice(3));
    expect(() => createEncrypter(entries)).toThrow('ENCRYPTION_KEYS');
  });

  it('accepts keys with and without padding, in both alphabets', () => {
    expect(keyProblem([k1, k2.replace('=', '').replaceAll('+', '-').replaceAll('/', '_')])).toBeUndefined();
  });
});
