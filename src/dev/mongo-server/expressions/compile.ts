import { CommandError } from '../errors.ts';
import { isPlain, own, setOwn, type Doc, type Value } from '../values.ts';
import { arithmetic } from './arithmetic.ts';
import { arrays } from './arrays.ts';
import { conversions } from './conversions.ts';
import { dates } from './dates.ts';
import { forms } from './forms.ts';
import { texts } from './texts.ts';
import type { Expression, Operator, Variables } from './types.ts';

export type { Expression, Scope, Variables } from './types.ts';

const operators: Record<string, Operator> = { ...arithmetic, ...arrays, ...conversions, ...dates, ...texts };

/** Compiles an aggregation expression; rejects unknown operators by name. */
export function compileExpression(source: Value): Expression {
  if (typeof source === 'string') return compileText(source);
  if (Array.isArray(source)) {
    const items = source.map(compileExpression);
    return (scope) => items.map((item) => item(scope) ?? null);
  }
  if (!isPlain(source)) return () => source;
  const name = Object.keys(source).find((key) => key.startsWith('$'));
  if (name === undefined) return compileObject(source);
  if (Object.keys(source).length > 1) {
    throw new CommandError(15983, `An object representing an expression must have exactly one field: ${name}`);
  }
  return compileOperator(name, source[name]);
}

function compileText(source: string): Expression {
  if (!source.startsWith('$')) return () => source;
  const isVariable = source.startsWith('$$');
  const [name = '', ...path] = source.slice(isVariable ? 2 : 1).split('.');
  if (!isVariable) return (scope) => fieldAt(scope.root, [name, ...path]);
  return ({ root, variables }) => {
    if (name === 'ROOT' || name === 'CURRENT') return fieldAt(root, path);
    if (name === 'REMOVE') return undefined;
    if (name === 'NOW') return new Date();
    if (!Object.hasOwn(variables, name)) throw new CommandError(17276, `Use of undefined variable: ${name}`);
    return fieldAt(variables[name], path);
  };
}

/** A field path: across an array it returns the array of its documents' values. */
function fieldAt(value: Value, path: string[]): Value {
  const [part, ...rest] = path;
  if (part === undefined) return value;
  if (isPlain(value)) return fieldAt(own(value, part), rest);
  if (!Array.isArray(value)) return undefined;
  return value
    .filter(isPlain)
    .map((element) => fieldAt(element, path))
    .filter((found) => found !== undefined);
}

function compileObject(source: Doc): Expression {
  const fields = Object.entries(source).map(([key, value]) => [key, compileExpression(value)] as const);
  return (scope) => {
    const result: Doc = {};
    for (const [key, expression] of fields) {
      const value = expression(scope);
      if (value !== undefined) setOwn(result, key, value);
    }
    return result;
  };
}

function compileOperator(name: string, operand: Value): Expression {
  const form = own(forms, name);
  if (form) return form(operand, compileExpression);
  const operator: Operator | undefined = own(operators, name);
  if (!operator) {
    throw new CommandError('InvalidPipelineOperator', `Expression ${name} is not supported by the local store`);
  }
  const [least, most, run] = operator;
  const operands = (Array.isArray(operand) ? operand : [operand]).map(compileExpression);
  if (operands.length < least || operands.length > most) {
    const count = least === most ? `exactly ${least}` : `${least} to ${most}`;
    throw new CommandError(16020, `Expression ${name} takes ${count} arguments. ${operands.length} were passed in.`);
  }
  return (scope) => run(...operands.map((each) => each(scope)));
}

export const evaluate = (source: Value, root: Doc, variables: Variables = {}): Value =>
  compileExpression(source)({ root, variables });
