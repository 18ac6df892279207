import { describe, expect, it } from 'vitest';
import { compileMatch } from '../../../src/dev/mongo-server/match.ts';
import { compileProjection } from '../../../src/dev/mongo-server/project.ts';

type Doc = Record<string, unknown>;
function project(spec: Doc, doc: Doc, { filter = {}, isStage = false }: { filter?: Doc; isStage?: boolean } = {}): Doc {
  const positions = new Map<string, number>();
  compileMatch(filter)(doc, positions);
  return compileProjection(spec, { variables: {}, isStage })?.(doc, positions) ?? doc;
}

const doc = { _id: 1, a: 1, b: { c: 2, d: 3 }, list: [1, 2, 3], docs: [{ k: 1, v: 'x' }, { k: 2, v: 'y' }, 5] };
const { _id, ...withoutId } = doc;

describe('a projection', () => {
  it.each<[Doc, Doc]>([
    [{}, doc],
    [{ a: 1 }, { _id: 1, a: 1 }],
    [{ a: true, _id: 0 }, { a: 1 }],
    [{ _id: 0 }, withoutId],
    [{ _id: 1 }, { _id: 1 }],
    [{ 'b.c': 1 }, { _id: 1, b: { c: 2 } }],
    [{ b: { c: 1 } }, { _id: 1, b: { c: 2 } }],
    [{ 'docs.k': 1 }, { _id: 1, docs: [{ k: 1 }, { k: 2 }] }],
    [{ 'a.x': 1 }, { _id: 1 }],
    [
      { b: 0, list: 0, docs: 0 },
      { _id: 1, a: 1 },
    ],
    [
      { 'b.c': 0, list: 0, docs: 0, a: 0 },
      { _id: 1, b: { d: 3 } },
    ],
    [
      { 'docs.v': 0, b: 0, list: 0, a: 0 },
      { _id: 1, docs: [{ k: 1 }, { k: 2 }, 5] },
    ],
    [
      { a: 1, list: { $slice: 2 } },
      { _id: 1, a: 1, list: [1, 2] },
    ],
    [
      { list: { $slice: -1 }, a: 1 },
      { _id: 1, a: 1, list: [3] },
    ],
    [{ list: { $slice: [1, 1] } }, { ...doc, list: [2] }],
    [{ list: { $slice: [-2, 1] } }, { ...doc, list: [2] }],
    [{ docs: { $elemMatch: { k: 2 } } }, { _id: 1, docs: [{ k: 2, v: 'y' }] }],
    [{ list: { $elemMatch: { $gt: 5 } } }, { _id: 1 }],
    [{ sum: { $add: ['$a', '$b.c'] } }, { _id: 1, sum: 3 }],
    [
      { 'b.e': '$a', a: 1 },
      { _id: 1, a: 1, b: { e: 1 } },
    ],
  ])('%j shows %j', (spec, shown) => {
    const before = JSON.stringify(doc);
    expect(project(spec, doc)).toEqual(shown);
    expect(JSON.stringify(doc)).toBe(before);
  });

  it('shows the element that the filter matched', () => {
    expect(project({ 'docs.$': 1 }, doc, { filter: { 'docs.k': 2 } })).toEqual({ _id: 1, docs: [{ k: 2, v: 'y' }] });
    expect(() => project({ 'docs.$': 1 }, doc)).toThrow("couldn't find a matching element");
  });

  it('takes $slice for an expression in a pipeline', () => {
    expect(project({ list: { $slice: ['$list', 1] }, _id: 0 }, doc, { isStage: true })).toEqual({ list: [1] });
    expect(project({ _id: '$a' }, doc, { isStage: true })).toEqual({ _id: 1 });
  });

  it.each([
    [{ a: 1, b: 0 }, 'does the opposite'],
    [{ a: 0, b: '$a' }, 'does the opposite'],
    [{ b: 1, 'b.c': 1 }, 'Path collision'],
    [{ 'b.c': 1, b: 1 }, 'Path collision'],
    [{ 'a..b': 1 }, 'empty part'],
    [{ $a: 1 }, "may not start with '$'"],
  ])('%j is refused: %s', (spec, message) => {
    expect(() => project(spec, doc)).toThrow(message);
  });
});
