import { afterAll, beforeAll, expect, it } from 'vitest';
import type { GraphContext } from '../../src/graphql/builder.ts';
import { load } from '../../src/graphql/loaders.ts';
import { startTestApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

type Caller = GraphContext['caller'];

it('reads for the caller of the context, also if that is a copy of one that has loaders', async () => {
  const reads: { userId: string; keys: string[] }[] = [];
  const batch = (ctx: GraphContext, keys: string[]): Promise<Map<string, string>> => {
    reads.push({ userId: ctx.caller.userId, keys });
    return Promise.resolve(new Map(keys.map((key) => [key, ctx.caller.userId])));
  };
  const first = { ...app.app.services, caller: { userId: 'a' } as Caller } as GraphContext;
  const both = await Promise.all(['x', 'y', 'x'].map((key) => load(first, batch, key, {})));
  const copy = { ...first, caller: { userId: 'b' } as Caller };
  expect(await load(copy, batch, 'x', {})).toBe('b');
  expect(await load(first, batch, 'x', {})).toBe('a');
  expect(both).toEqual(['a', 'a', 'a']);
  expect(reads.map(({ userId, keys }) => [userId, keys.length])).toEqual([
    ['a', 2],
    ['b', 1],
    ['a', 1],
  ]);
});
