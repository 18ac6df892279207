import { Long, Timestamp } from 'bson';
import { badValue, CommandError } from './errors.ts';
import { compileMatch } from './match.ts';
import { elementMatch } from './match-operators.ts';
import { calculate } from './numbers.ts';
import { compare, equal } from './order.ts';
import { parseSort, sortBy, type Path } from './paths.ts';
import { getAt, requireAt, setAt, unsetAt } from './update-paths.ts';
import {
  clone,
  isLong,
  isNumeric,
  isOperatorDoc,
  isPlain,
  num,
  show,
  typeName,
  type Doc,
  type Value,
} from './values.ts';

/** Modifies the copied document at one path. */
type Operator = (root: Doc, path: Path, operand: Value) => void;

const arithmetic =
  (name: '$inc' | '$mul'): Operator =>
  (root, path, operand) => {
    const old = getAt(root, path);
    const odd = [operand, old].find((value) => value !== undefined && !isNumeric(value));
    if (odd !== undefined) {
      throw new CommandError(
        'TypeMismatch',
        `Cannot apply ${name} with non-numeric ${show(odd)} at '${path.join('.')}'`,
      );
    }
    try {
      setAt(root, path, calculate(name === '$inc' ? '+' : '*', old ?? 0, operand));
    } catch (error) {
      throw error instanceof RangeError ? badValue(`Failed to apply ${name} operations to current value`) : error;
    }
  };

const extreme =
  (direction: 1 | -1): Operator =>
  (root, path, operand) => {
    const old = getAt(root, path);
    if (old === undefined || compare(operand, old) * direction > 0) setAt(root, path, clone(operand));
  };

function arrayAt(root: Doc, path: Path, name: string): Value[] {
  const items = getAt(root, path);
  if (items === undefined) return [];
  if (Array.isArray(items)) return items;
  throw badValue(`The field '${path.join('.')}' must be an array for ${name} but is of type ${typeName(items)}`);
}

const pushClauses = new Set(['$each', '$slice', '$sort', '$position']);

const push: Operator = (root, path, operand) => {
  const clauses: Doc = isPlain(operand) && '$each' in operand ? operand : { $each: [operand] };
  if (!Array.isArray(clauses.$each)) throw badValue('The argument to $each in $push must be an array');
  const odd = Object.keys(clauses).find((name) => !pushClauses.has(name));
  if (odd) throw badValue(`Unrecognized clause in $push: ${odd}`);
  const { $each, $position, $sort, $slice } = clauses;
  const items = arrayAt(root, path, '$push');
  let result = items.toSpliced($position === undefined ? items.length : num($position), 0, ...clone($each));
  if (isPlain($sort)) result = sortBy(result, parseSort($sort), (element) => (isPlain(element) ? element : {}));
  else if ($sort !== undefined) result.sort((a, b) => compare(a, b) * num($sort));
  if ($slice !== undefined) result = num($slice) < 0 ? result.slice(num($slice)) : result.slice(0, num($slice));
  setAt(root, path, result);
};

const addToSet: Operator = (root, path, operand) => {
  const result = [...arrayAt(root, path, '$addToSet')];
  const added = isPlain(operand) && '$each' in operand ? operand.$each : [operand];
  for (const value of added) if (!result.some((element) => equal(element, value))) result.push(clone(value));
  setAt(root, path, result);
};

/** Replaces the array at a path, if any, with the result of `run`. */
const onArray =
  (name: string, run: (items: Value[], operand: Value) => Value[]): Operator =>
  (root, path, operand) => {
    const items = requireAt(root, path);
    if (items === undefined) return;
    if (!Array.isArray(items)) throw badValue(`Cannot apply ${name} to a non-array value`);
    setAt(root, path, run(items, operand));
  };

function pullTest(operand: Value): (element: Value) => boolean {
  if (isOperatorDoc(operand)) return elementMatch(operand, compileMatch);
  if (isPlain(operand)) {
    const test = compileMatch(operand);
    return (element) => isPlain(element) && test(element);
  }
  const test = compileMatch({ value: operand });
  return (element) =>
    Array.isArray(element) || Array.isArray(operand) ? equal(element, operand) : test({ value: element });
}

function pop(items: Value[], operand: Value): Value[] {
  if (Math.abs(num(operand)) !== 1)
    throw new CommandError('FailedToParse', `$pop expects 1 or -1, found: ${show(operand)}`);
  return num(operand) === 1 ? items.slice(0, -1) : items.slice(1);
}

const rename: Operator = (root, path, operand) => {
  const value = getAt(root, path);
  if (value === undefined) return;
  const target = String(operand).split('.');
  const through = [path, target].flatMap((each) =>
    each.slice(0, -1).map((_, depth) => getAt(root, each.slice(0, depth + 1))),
  );
  if (through.some(Array.isArray))
    throw badValue(`The fields of $rename cannot be array elements: '${path.join('.')}' to '${operand}'`);
  unsetAt(root, path);
  setAt(root, target, value);
};

const bitwise: Record<string, (a: bigint, b: bigint) => bigint> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

const bit: Operator = (root, path, operand) => {
  const old = getAt(root, path) ?? 0;
  if (!isNumeric(old) || !Number.isInteger(num(old)))
    throw badValue('Cannot apply $bit to a value of non-integral type.');
  let result = BigInt(String(old));
  for (const [name, value] of Object.entries<Value>(operand)) {
    const combine = bitwise[name];
    if (!combine) throw badValue(`The $bit modifier only supports 'and', 'or', and 'xor', not '${name}'`);
    result = combine(result, BigInt(String(value)));
  }
  setAt(root, path, isLong(old) ? Long.fromBigInt(BigInt.asIntN(64, result)) : Number(result));
};

const currentDate: Operator = (root, path, operand) => {
  const isTimestamp = isPlain(operand) && operand.$type === 'timestamp';
  setAt(root, path, isTimestamp ? new Timestamp({ t: Math.floor(Date.now() / 1000), i: 1 }) : new Date());
};

export const updateOperators: Record<string, Operator> = {
  $set: (root, path, operand) => setAt(root, path, clone(operand)),
  $setOnInsert: (root, path, operand) => setAt(root, path, clone(operand)),
  $unset: unsetAt,
  $inc: arithmetic('$inc'),
  $mul: arithmetic('$mul'),
  $min: extreme(-1),
  $max: extreme(1),
  $currentDate: currentDate,
  $push: push,
  $addToSet: addToSet,
  $pop: onArray('$pop', pop),
  $pull: onArray('$pull', (items, operand) => {
    const isPulled = pullTest(operand);
    return items.filter((element) => !isPulled(element));
  }),
  $pullAll: onArray('$pullAll', (items, operand) =>
    items.filter((element) => !operand.some((value: Value) => equal(element, value))),
  ),
  $rename: rename,
  $bit: bit,
};
