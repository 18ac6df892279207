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
  isTruthy,
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

/** The test of a plain value in a filter. */
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
  const requested = [operand]
    .flat()
    .map((type) => (typeof type === 'string' && type !== 'number' ? typeCodes[type] : type));
  if (!requested.length || requested.includes(undefined)) throw badValue(`Unknown type name alias: ${operand}`);
  return (value) =>
    value !== undefined &&
    requested.some((type) => (type === 'number' ? isNumeric(value) : typeCodes[typeName(value)] === num(type)));
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

/** The operand of a test: the values of a path, or one given value. */
export interface Place {
  holds(leaf: Leaf, whole?: boolean): Predicate;
  holdsElement(test: Leaf): Predicate;
}
export const atPath = (path: string): Place => ({
  holds: (leaf, whole) => onPath(path, leaf, whole),
  holdsElement: (test) => onElement(path, test),
});
const atHand: Place = {
  holds: (leaf) => leaf,
  holdsElement: (test) => (value) => Array.isArray(value) && value.some(test),
};

/** Compiles the tests of `{ $operator: operand, ... }`. */
export function operatorTests(place: Place, spec: Doc, compile: Compile): Predicate[] {
  return Object.entries(spec).map(([operator, operand]) => {
    const leaf = own(leaves, operator);
    if (leaf) return place.holds(leaf(operand, spec));
    const test = own(tests, operator);
    if (!test) throw notSupported(`query operator ${operator}`);
    return test({ place, operand, spec, compile });
  });
}

interface OperatorTest {
  place: Place;
  operand: Value;
  spec: Doc;
  compile: Compile;
}

export const negate =
  (test: Predicate): Predicate =>
  (doc) =>
    !test(doc);

const tests: Record<string, (test: OperatorTest) => Predicate> = {
  $ne: ({ place, operand }) => {
    if (isRegex(operand)) throw badValue("Can't have regex as arg to $ne.");
    return negate(place.holds(equals(operand)));
  },
  $nin: ({ place, operand }) => {
    if (!Array.isArray(operand)) throw badValue('$nin needs an array');
    return negate(place.holds(oneOf(operand)));
  },
  $exists: ({ place, operand }) => {
    const exists = place.holds((value) => value !== undefined, true);
    return isTruthy(operand) ? exists : negate(exists);
  },
  $size: ({ place, operand }) => place.holds(sized(operand), true),
  $not: negated,
  $all: allOf,
  $elemMatch: ({ place, operand, compile }) => place.holdsElement(elementMatch(operand, compile)),
  $options: ({ spec }) => {
    if (!('$regex' in spec)) throw badValue('$options needs a $regex');
    return () => true;
  },
  $comment: () => () => true,
};

function negated({ place, operand, compile }: OperatorTest): Predicate {
  if (isRegex(operand)) return negate(place.holds(regexTest(operand)));
  if (!isPlain(operand)) throw badValue('$not needs a regex or a document');
  const inner = operatorTests(place, operand, compile);
  if (!inner.length) throw badValue('$not cannot be empty');
  return (doc) => !inner.every((test) => test(doc));
}

function allOf({ place, operand, compile }: OperatorTest): Predicate {
  if (!Array.isArray(operand)) throw badValue('$all needs an array');
  const each = operand.map((value) =>
    isPlain(value) && '$elemMatch' in value
      ? place.holdsElement(elementMatch(value.$elemMatch, compile))
      : place.holds(elementTest(value)),
  );
  return (doc, positions) => each.length > 0 && each.every((test) => test(doc, positions));
}

const logical = ['$and', '$or', '$nor', '$expr'];

/** `$elemMatch` has either a query over document elements or operators over the elements themselves. */
export function elementMatch(spec: Value, compile: Compile): Leaf {
  if (!isPlain(spec)) throw badValue('$elemMatch needs an Object');
  if (isOperatorDoc(spec) && !logical.includes(Object.keys(spec)[0] ?? '')) {
    const inner = operatorTests(atHand, spec, compile);
    return (element) => inner.every((test) => test(element));
  }
  const test = compile(spec);
  // A nested array is a document here, with its positions as fields.
  return (element) => (isPlain(element) || Array.isArray(element)) && test({ ...element });
}
