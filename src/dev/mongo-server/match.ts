import { compileExpression, type Variables } from './expressions/compile.ts';
import { badValue, notSupported } from './errors.ts';
import { atPath, elementTest, negate, operatorTests, type Compile } from './match-operators.ts';
import { onPath, type Predicate } from './match-path.ts';
import { isOperatorDoc, isPlain, isTruthy, type Doc, type Value } from './values.ts';

const any =
  (tests: Predicate[]): Predicate =>
  (doc, positions) =>
    tests.some((test) => test(doc, positions));
const all = (tests: Predicate[]): Predicate =>
  tests.length === 1 && tests[0] ? tests[0] : (doc, positions) => tests.every((test) => test(doc, positions));

const combinators: Record<string, (tests: Predicate[]) => Predicate> = {
  $and: all,
  $or: any,
  $nor: (tests) => negate(any(tests)),
};

function combined(name: string, filters: Value, variables: Variables): Predicate {
  if (!Array.isArray(filters) || !filters.length) throw badValue(`${name} must be a nonempty array`);
  if (!filters.every(isPlain)) throw badValue(`${name} argument's entries must be objects`);
  const combine = combinators[name] ?? all;
  return combine(filters.map((filter) => compileMatch(filter, variables)));
}

function topLevel(name: string, operand: Value, variables: Variables): Predicate {
  if (name in combinators) return combined(name, operand, variables);
  if (name === '$comment') return () => true;
  if (name !== '$expr') throw notSupported(`query operator ${name}`);
  const expression = compileExpression(operand);
  return (doc) => isTruthy(expression({ root: doc, variables }));
}

/** Compiles a filter into a test that also records the matched array positions. */
export function compileMatch(filter: Doc, variables: Variables = {}): Predicate {
  if (!isPlain(filter)) throw badValue('a filter must be an object');
  const compile: Compile = (inner) => compileMatch(inner, variables);
  const tests = Object.entries(filter).flatMap(([key, value]) => {
    if (key.startsWith('$')) return [topLevel(key, value, variables)];
    if (isOperatorDoc(value)) return operatorTests(atPath(key), value, compile);
    return [onPath(key, elementTest(value))];
  });
  return tests.length ? all(tests) : () => true;
}
