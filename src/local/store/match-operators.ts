import { Binary, MaxKey, MinKey } from 'bson';
import { badValue, notSupported } from './errors.ts';
import { onElement, onPath, type Leaf, type Predicate } from './match-path.ts';
import { bytesOf, compare } from './order.ts';
import { isRegex, regexTest } from './regex.ts';
import { sortKey } from './sort-key.ts';
import {
  isNumeric,
  isOperatorDoc,
  isPlain,
  num,
  own,
  rank,
  rankOf,
  typeCodes,
  typeName,
  type Doc,
  type Value,
} from './values.ts';

export type Compile = (filter: Doc) => Predicate;

const isMissing: Leaf = (value) => value === null || value === undefined;

export function equals(operand: Value): Leaf {
  if (isMissing(operand)) return isMissing;
  if (typeof operand === 'string') return (value) => value === operand;
  return (value) => value !== undefined && compare(value, operand) === 0;
}

/** What a plain value in a filter asks of a field. */
export const elementTest = (value: Value): Leaf => (isRegex(value) ? regexTest(value) : equals(value));

function ordered(isRight: (order: number) => boolean): (operand: Value) => Leaf {
  return (operand) => {
    if (isRegex(operand)) throw badValue("Can't have RegEx as arg to predicate over field");
    const classOf = rankOf(operand);
    if (classOf === rank.null) return (value) => isMissing(value) && isRight(0);
    const isEnd = operand instanceof MinKey || operand instanceof MaxKey;
    if (isEnd) return (value) => value !== undefined && isRight(compare(value, operand));
    const isNaNOperand = Number.isNaN(operand);
    return (value) =>
      rankOf(value) === classOf && Number.isNaN(value) === isNaNOperand && isRight(compare(value, operand));
  };
}

function oneOf(list: Value): Leaf {
  if (!Array.isArray(list)) throw badValue('$in needs an array');
  if (list.some(isOperatorDoc)) throw badValue('cannot nest $ under $in');
  const regexes = list.filter(isRegex).map((regex) => regexTest(regex));
  const keys = new Set(list.filter((value) => !isRegex(value)).map(sortKey));
  // A missing value and null share a key.
  return (value) => keys.has(sortKey(value)) || regexes.some((test) => test(value));
}

function typed(operand: Value): Leaf {
  const wanted = [operand]
    .flat()
    .map((type) => (typeof type === 'string' && type !== 'number' ? typeCodes[type] : type));
  if (!wanted.length || wanted.includes(undefined)) throw badValue(`Unknown type name alias: ${operand}`);
  return (value) =>
    value !== undefined &&
    wanted.some((type) => (type === 'number' ? isNumeric(value) : typeCodes[typeName(value)] === num(type)));
}

function sized(operand: Value): Leaf {
  const size = num(operand);
  if (!isNumeric(operand) || !Number.isInteger(size)) throw badValue('Failed to parse $size. Expected an integer');
  if (size < 0) throw badValue('$size may not be negative');
  return (value) => Array.isArray(value) && value.length === size;
}

function modulo(operand: Value): Leaf {
  if (!Array.isArray(operand) || operand.length !== 2) throw badValue('malformed mod, expected two elements');
  const [divisor, remainder] = [Math.trunc(num(operand[0])), Math.trunc(num(operand[1]))];
  if (divisor === 0) throw badValue('divisor cannot be 0');
  return (value) => isNumeric(value) && Math.trunc(num(value)) % divisor === remainder;
}

function maskOf(operand: Value): bigint {
  if (Array.isArray(operand)) return operand.reduce((mask, bit) => mask | (1n << BigInt(num(bit))), 0n);
  if (!(operand instanceof Binary)) return BigInt(num(operand));
  return [...bytesOf(operand)].reduce((mask, byte, i) => mask | (BigInt(byte) << BigInt(8 * i)), 0n);
}

const bits =
  (isRight: (set: bigint, mask: bigint) => boolean) =>
  (operand: Value): Leaf => {
    const mask = maskOf(operand);
    return (value) =>
      isNumeric(value) &&
      Number.isInteger(num(value)) &&
      isRight(BigInt.asUintN(64, BigInt(String(value))) & mask, mask);
  };

const leaves: Record<string, (operand: Value, spec: Doc) => Leaf> = {
  $eq: (operand) => (isRegex(operand) ? (value) => isRegex(value) && compare(value, operand) === 0 : equals(operand)),
  $gt: ordered((order) => order > 0),
  $gte: ordered((order) => order >= 0),
  $lt: ordered((order) => order < 0),
  $lte: ordered((order) => order <= 0),
  $in: oneOf,
  $type: typed,
  $mod: modulo,
  $regex: (operand, spec) => regexTest(operand, own(spec, '$options')),
  $bitsAllSet: bits((set, mask) => set === mask),
  $bitsAllClear: bits((set) => set === 0n),
  $bitsAnySet: bits((set) => set !== 0n),
  $bitsAnyClear: bits((set, mask) => set !== mask),
};

/** The tests of `{ path: { $operator: operand, ... } }`. */
export function fieldTests(path: string, spec: Doc, compile: Compile): Predicate[] {
  return Object.entries(spec).map(([operator, operand]) => {
    const leaf = leaves[operator];
    if (leaf) return onPath(path, leaf(operand, spec));
    const test = tests[operator];
    if (!test) throw notSupported(`query operator ${operator}`);
    return test({ path, operand, spec, compile });
  });
}

interface FieldTest {
  path: string;
  operand: Value;
  spec: Doc;
  compile: Compile;
}

const negate =
  (test: Predicate): Predicate =>
  (doc) =>
    !test(doc);

const tests: Record<string, (test: FieldTest) => Predicate> = {
  $ne: ({ path, operand }) => {
    if (isRegex(operand)) throw badValue("Can't have regex as arg to $ne.");
    return negate(onPath(path, equals(operand)));
  },
  $nin: ({ path, operand }) => {
    if (!Array.isArray(operand)) throw badValue('$nin needs an array');
    return negate(onPath(path, oneOf(operand)));
  },
  $exists: ({ path, operand }) => {
    const exists = onPath(path, (value) => value !== undefined, true);
    return operand === false || operand === null || operand === 0 ? negate(exists) : exists;
  },
  $size: ({ path, operand }) => onPath(path, sized(operand), true),
  $not: negated,
  $all: allOf,
  $elemMatch: ({ path, operand, compile }) => onElement(path, elementMatch(operand, compile)),
  $options: ({ spec }) => {
    if (!('$regex' in spec)) throw badValue('$options needs a $regex');
    return () => true;
  },
  $comment: () => () => true,
};

function negated({ path, operand, compile }: FieldTest): Predicate {
  if (isRegex(operand)) return negate(onPath(path, regexTest(operand)));
  if (!isPlain(operand)) throw badValue('$not needs a regex or a document');
  const inner = fieldTests(path, operand, compile);
  if (!inner.length) throw badValue('$not cannot be empty');
  return (doc) => !inner.every((test) => test(doc));
}

function allOf({ path, operand, compile }: FieldTest): Predicate {
  if (!Array.isArray(operand)) throw badValue('$all needs an array');
  const each = operand.map((value) =>
    isPlain(value) && '$elemMatch' in value
      ? onElement(path, elementMatch(value.$elemMatch, compile))
      : onPath(path, elementTest(value)),
  );
  return (doc, positions) => each.length > 0 && each.every((test) => test(doc, positions));
}

const logical = ['$and', '$or', '$nor', '$expr'];

/** `$elemMatch` takes either a query over elements that are documents or operators over the elements themselves. */
export function elementMatch(spec: Value, compile: Compile): Leaf {
  if (!isPlain(spec)) throw badValue('$elemMatch needs an Object');
  if (isOperatorDoc(spec) && !logical.includes(Object.keys(spec)[0] ?? '')) {
    // The element is wrapped once more, so that an element that is an array is tested as a whole.
    const inner = fieldTests('0', spec, compile);
    return (element) => inner.every((test) => test([element] as Doc));
  }
  const test = compile(spec);
  return (element) => (isPlain(element) || Array.isArray(element)) && test(element as Doc);
}
