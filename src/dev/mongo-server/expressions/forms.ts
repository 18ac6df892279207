import { badValue, CommandError } from '../errors.ts';
import { isPlain, isTruthy, num, own, typeName, type Value } from '../values.ts';
import type { Form, Scope } from './types.ts';

const within = (scope: Scope, variables: Scope['variables']): Scope => ({
  root: scope.root,
  variables: { ...scope.variables, ...variables },
});

const cond: Form = (operand, compile) => {
  const parts = Array.isArray(operand) ? operand : [operand?.if, operand?.then, operand?.else];
  if (parts.length !== 3) throw new CommandError(16020, 'Expression $cond takes exactly 3 arguments');
  const [test, yes, no] = [compile(parts[0]), compile(parts[1]), compile(parts[2])];
  return (scope) => (isTruthy(test(scope)) ? yes(scope) : no(scope));
};

const switchForm: Form = (operand, compile) => {
  if (!isPlain(operand) || !Array.isArray(operand.branches)) throw badValue('$switch needs branches');
  const branches = operand.branches.map((branch: Value) => ({
    test: compile(branch.case),
    result: compile(branch.then),
  }));
  const otherwise = 'default' in operand ? compile(operand.default) : undefined;
  return (scope) => {
    const branch = branches.find(({ test }) => isTruthy(test(scope)));
    if (branch) return branch.result(scope);
    if (otherwise) return otherwise(scope);
    throw new CommandError(
      40066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    );
  };
};

const list = (operand: Value): Value[] => (Array.isArray(operand) ? operand : [operand]);

const ifNull: Form = (operand, compile) => {
  const choices = list(operand).map(compile);
  if (choices.length < 2) throw new CommandError(1257300, '$ifNull needs at least two arguments');
  return (scope) => {
    let value: Value;
    for (const choice of choices) {
      value = choice(scope);
      if (value != null) return value;
    }
    return value;
  };
};

const letForm: Form = (operand, compile) => {
  const names = Object.entries<Value>(operand.vars ?? {}).map(([name, source]) => [name, compile(source)] as const);
  const body = compile(operand.in);
  return (scope) => body(within(scope, Object.fromEntries(names.map(([name, value]) => [name, value(scope)]))));
};

/** The elements of an input; null if it is missing or null. */
function elementsOf(name: string, input: Value): Value[] | null {
  if (input == null) return null;
  if (!Array.isArray(input)) throw new CommandError(16883, `input to ${name} must be an array not ${typeName(input)}`);
  return input;
}

const map: Form = (operand, compile) => {
  const [input, body, name] = [compile(operand.input), compile(operand.in), operand.as ?? 'this'];
  return (scope) =>
    elementsOf('$map', input(scope))?.map((element) => body(within(scope, { [name]: element })) ?? null) ?? null;
};

const filter: Form = (operand, compile) => {
  const [input, test, name] = [compile(operand.input), compile(operand.cond), operand.as ?? 'this'];
  const limit = compile(operand.limit ?? null);
  return (scope) => {
    const kept = elementsOf('$filter', input(scope))?.filter((element) =>
      isTruthy(test(within(scope, { [name]: element }))),
    );
    const most = limit(scope);
    return kept?.slice(0, most == null ? undefined : num(most)) ?? null;
  };
};

const reduce: Form = (operand, compile) => {
  const [input, initial, body] = [compile(operand.input), compile(operand.initialValue), compile(operand.in)];
  return (scope) => {
    const elements = elementsOf('$reduce', input(scope));
    const step = (value: Value, element: Value): Value => body(within(scope, { value, this: element }));
    return elements?.reduce(step, initial(scope)) ?? null;
  };
};

const getField: Form = (operand, compile) => {
  const [input, field] = [compile(operand?.input ?? '$$CURRENT'), compile(operand?.field ?? operand)];
  return (scope) => {
    const value = input(scope);
    return isPlain(value) ? own(value, field(scope)) : undefined;
  };
};

export const forms: Record<string, Form> = {
  $literal: (operand) => () => operand,
  $cond: cond,
  $switch: switchForm,
  $ifNull: ifNull,
  $and: (operand, compile) => {
    const tests = list(operand).map(compile);
    return (scope) => tests.every((test) => isTruthy(test(scope)));
  },
  $or: (operand, compile) => {
    const tests = list(operand).map(compile);
    return (scope) => tests.some((test) => isTruthy(test(scope)));
  },
  $not: (operand, compile) => {
    const test = compile(Array.isArray(operand) ? operand[0] : operand);
    return (scope) => !isTruthy(test(scope));
  },
  $getField: getField,
  $let: letForm,
  $map: map,
  $filter: filter,
  $reduce: reduce,
};
