import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { localPlatformLimits } from '../../src/lib/platform-limits.ts';
import { parseResponse as readB } from '../../src/platforms/google-ads/errors.ts';
import { PlatformError } from '../../src/platforms/error.ts';
import type { Answer, Upstream } from '../../src/platforms/http.ts';
import { parseResponse as readF } from '../../src/platforms/linkedin/errors.ts';
import { parseResponse as readA } from '../../src/platforms/meta/errors.ts';
import { createClient as clientOfC } from '../../src/platforms/pinterest/client.ts';
import { parseResponse as readC } from '../../src/platforms/pinterest/errors.ts';
import { createClient as clientOfD } from '../../src/platforms/tiktok/client.ts';
import { parseResponse as readD } from '../../src/platforms/tiktok/errors.ts';
import { parseResponse as readE } from '../../src/platforms/x-ads/errors.ts';
import { access, refusalOf, token } from './fixtures.ts';

const asked = { isWrite: true, token };
const readers: Record<string, (answer: Answer) => unknown> = {
  A: (answer) => readA(z.unknown(), answer, asked),
  B: (answer) => readB(z.unknown(), answer, { isWrite: true, secrets: [token] }),
  C: (answer) => readC(z.unknown(), answer, asked),
  D: (answer) => readD(z.unknown(), answer, asked),
  E: (answer) => readE(z.unknown(), answer, asked),
  F: (answer) => readF(z.unknown(), answer, asked),
};
/** A refusal in each platform's own form. */
const refusals: Record<string, unknown> = {
  A: { error: { message: 'no', code: 100 } },
  B: { error: { code: 499, message: 'no', status: 'CANCELLED' } },
  C: { code: 9, message: 'no' },
  D: { code: 40_002, message: 'no', data: {} },
  E: { errors: [{ code: 'REQUEST_TIMEOUT', message: 'no' }] },
  F: { status: 408, message: 'no' },
};
const platforms = Object.keys(readers);
const answerOf = (status: number, body: unknown): Answer => ({ status, headers: {}, body });
const always = (body: unknown, status = 200): Upstream => ({ call: async () => answerOf(status, body) });

describe('a refusal in a text of 100,000 characters', () => {
  const long = 'm'.repeat(100_000);
  const lengthen = (value: unknown): unknown => {
    if (value === 'no') return long;
    if (Array.isArray(value)) return Array.from({ length: 200 }, () => lengthen(value[0]));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, lengthen(inner)]));
  };

  it.each(platforms)('on %s is cut, because it is stored, logged and returned', async (platform) => {
    const read = async (): Promise<unknown> => readers[platform]?.(answerOf(400, lengthen(refusals[platform])));
    const { message, upstream } = await refusalOf(read());
    expect(message).toContain('mmm');
    expect(message.length).toBeLessThan(1100);
    expect(JSON.stringify(upstream).length).toBeLessThan(20_000);
  });

  it('is cut in its further messages', () => {
    const deep = JSON.parse('{"a":'.repeat(5000) + '1' + '}'.repeat(5000)) as unknown;
    const { upstream } = new PlatformError('A', 'rejected', long, {
      details: [long, deep, ...Array.from({ length: 1000 }, () => ({ [long]: long }))],
    });
    expect(JSON.stringify(upstream).length).toBeLessThan(20_000);
  });
});

describe('a write', () => {
  it.each(platforms.flatMap((platform) => [408, 499, 502].map((status) => [platform, status] as const)))(
    'on %s has an unknown outcome after a %d, whatever form its answer has',
    async (platform, status) => {
      for (const body of [refusals[platform], undefined]) {
        const read = async (): Promise<unknown> => readers[platform]?.(answerOf(status, body));
        expect(await refusalOf(read())).toMatchObject({ fault: 'unknown_outcome', platform });
      }
    },
  );

  it('on D has an unknown outcome after any server error', async () => {
    const read = async (): Promise<unknown> =>
      readers['D']?.(answerOf(200, { code: 51_999, message: 'busy', data: {} }));
    expect(await refusalOf(read())).toMatchObject({ fault: 'unknown_outcome' });
  });

  it('on C has an unknown outcome when its answer names an id beside an exception', async () => {
    const items = [{ data: { id: '7' }, exceptions: [{ code: 500, message: 'later' }] }];
    const client = clientOfC(always({ items }), { baseUrl: 'http://c.example', version: 'v5' });
    expect(await refusalOf(client.create(access, 'campaigns', {}))).toMatchObject({ fault: 'unknown_outcome' });
  });
});

describe('an answer in part on D', () => {
  const data = { list: [{ id: '1' }], campaign_id: '1' };
  const client = clientOfD(always({ code: 20_001, message: 'partial success', data }), {
    baseUrl: 'http://d.example',
    version: 'v1.3',
    callsPerSecond: 1000,
    limits: localPlatformLimits(),
  });

  it('does not pass for the whole list, in which an object that exists would be missing', async () => {
    const pages = client.pages(access, 'campaign/get', { item: z.unknown(), query: {} });
    expect(await refusalOf(pages.next())).toMatchObject({ fault: 'unavailable' });
  });

  it('does not say that a switch was set', async () => {
    const call = { schema: z.unknown(), fields: {}, isRepeatable: true };
    expect(await refusalOf(client.write(access, 'ad/status/update', call))).toMatchObject({ fault: 'unknown_outcome' });
  });

  it('is looked into where several objects are made', async () => {
    const call = { schema: z.object({ campaign_id: z.string() }), fields: {} };
    expect(await client.write(access, 'campaign/create', call)).toEqual({ campaign_id: '1' });
  });
});
