import { describe, expect, it } from 'vitest';
import { isGenuine } from '../../docs/verify.mjs';
import { signatureHeaders } from '../../src/services/webhooks/sign.ts';

const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const plain = 'plain words as a secret';
const timestamp = 1_800_000_000;
const now = timestamp * 1000;
const body = '{"id":"evt_1","text":"🎉 \u2028"}';
const signed = (secrets: string[] = [secret]) => signatureHeaders({ id: 'evt_1', timestamp, body }, secrets, true);

describe('the published check of a signature (R40)', () => {
  it('accepts what the service signs, with either kind of secret and with two at once', () => {
    expect(isGenuine(signed(), body, secret, now)).toBe(true);
    expect(isGenuine(signed([plain]), body, plain, now)).toBe(true);
    for (const one of [secret, plain]) expect(isGenuine(signed([secret, plain]), body, one, now)).toBe(true);
  });

  it('has vectors that any other implementation can be held against', () => {
    expect(signed()['webhook-signature']).toBe('v1,wFN2wmsCMdtULif875G2lI0eSzrGEqWx/lUuGjI4iy4=');
    expect(signed([plain])['webhook-signature']).toBe('v1,5ccJYlRYnZP2/qQnV/LcCW2L0TClGcSEEzRbZzFWVig=');
  });

  const entry = signed()['webhook-signature'] ?? '';
  it.each([
    ['nothing', ''],
    ['a space', ' '],
    ['no signature behind the version', 'v1,'],
    ['a truncated one', entry.slice(0, -1)],
    ['its first half', entry.slice(0, 25)],
    ['its first byte', entry.slice(0, 5)],
    ['another version', entry.replace('v1,', 'v2,')],
    ['no version', entry.replace('v1,', '')],
    ['a version in capitals', entry.replace('v1,', 'V1,')],
    ['itself twice', `${entry} ${entry}`],
    ['something behind it', `${entry}A`],
    ['two in one entry', `${entry},${entry}`],
    ['another alphabet', entry.replace(/.=$/, '-=')],
  ])('refuses %s', (_what, signature) => {
    expect(isGenuine({ ...signed(), 'webhook-signature': signature }, body, secret, now)).toBe(false);
  });

  it('refuses another body, id, time or secret, and what is too old or too new', () => {
    expect(isGenuine(signed(), `${body} `, secret, now)).toBe(false);
    expect(isGenuine({ ...signed(), 'webhook-id': 'evt_2' }, body, secret, now)).toBe(false);
    expect(isGenuine({ ...signed(), 'webhook-timestamp': String(timestamp + 1) }, body, secret, now)).toBe(false);
    expect(isGenuine({ ...signed(), 'webhook-timestamp': 'NaN' }, body, secret, now)).toBe(false);
    expect(isGenuine(signed(), body, plain, now)).toBe(false);
    expect(isGenuine(signed(), body, '', now)).toBe(false);
    for (const late of [301_000, -301_000]) expect(isGenuine(signed(), body, secret, now + late)).toBe(false);
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      expect(isGenuine({ ...signed(), [name]: undefined }, body, secret, now)).toBe(false);
  });
});
