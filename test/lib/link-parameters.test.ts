import { describe, expect, it } from 'vitest';
import { keysIn, macrosIn, queryOf, withQuery } from '../../src/lib/link-parameters.ts';

describe('queryOf', () => {
  it.each([
    ['plain', 'plain'],
    ['a b', 'a%20b'],
    ['ä&=%#?+/', '%C3%A4%26%3D%25%23%3F%2B%2F'],
    ["!'()*", '%21%27%28%29%2A'],
    ['x{id}y', 'x<id>y'],
    ['{a}{b}', '<a><b>'],
    ['{ open }', '< open >'],
    ['a}b{c', 'a%7Db%7Bc'],
    ['😀', '%F0%9F%98%80'],
  ])('writes %j as %j', (value, written) => {
    expect(queryOf([{ key: 'k', value }], (name) => `<${name}>`)).toBe(`k=${written}`);
  });

  it('reads back as the same text without macros', () => {
    const value = '100% grün & "blau" = \'a+b\'';
    expect(new URLSearchParams(queryOf([{ key: 'k', value }])).get('k')).toBe(value);
  });
});

describe('withQuery', () => {
  it.each([
    ['https://shop.example', 'https://shop.example?k=v'],
    ['https://shop.example/?', 'https://shop.example/?k=v'],
    ['https://shop.example/a?b=c', 'https://shop.example/a?b=c&k=v'],
    ['https://shop.example/a?b=c&', 'https://shop.example/a?b=c&k=v'],
    ['https://shop.example/a#top?x', 'https://shop.example/a?k=v#top?x'],
  ])('adds to %s before its fragment', (link, whole) => {
    expect(withQuery(link, 'k=v')).toBe(whole);
  });
});

it('keysIn decodes the names of the query, and of nothing else', () => {
  expect(keysIn('https://shop.example/a=1?b=2&c%20d&e+f=3#g=4')).toEqual(['b', 'c d', 'e f']);
  expect(keysIn('https://shop.example')).toEqual([]);
});

it('macrosIn finds names in braces, also unknown and empty ones', () => {
  expect(macrosIn('a{b}c{{d.e}}{}{f')).toEqual(['b', 'd.e', '']);
});
