import { CommandError } from './errors.ts';
import { averageOf, greatestOf, leastOf, sumOf } from './expressions/arithmetic.ts';
import { compileExpression, type Variables } from './expressions/compile.ts';
import { sortKey } from './sort-key.ts';
import { isPlain, setOwn, type Doc, type Value } from './values.ts';

/** Accumulators over the values of a group's expression, missing ones as undefined. */
const accumulators: Record<string, (values: Value[]) => Value> = {
  $sum: sumOf,
  $avg: averageOf,
  $max: greatestOf,
  $min: leastOf,
  $first: (values) => values[0] ?? null,
  $last: (values) => values.at(-1) ?? null,
  $push: (values) => values.filter((value) => value !== undefined),
  $addToSet: (values) => [
    ...new Map(values.filter((value) => value !== undefined).map((value) => [sortKey(value), value])).values(),
  ],
  $mergeObjects: (values) => Object.assign({}, ...values.filter(isPlain)),
  $count: (values) => values.length,
};

function compileField(name: string, spec: Value, variables: Variables): (docs: Doc[]) => Value {
  const [operator = '', ...more] = Object.keys(isPlain(spec) ? spec : {});
  if (!operator || more.length) throw new CommandError(40234, `The field '${name}' must be an accumulator object`);
  const accumulate = accumulators[operator];
  if (!accumulate) throw new CommandError(15952, `Accumulator ${operator} is not supported by the local store`);
  const value = compileExpression(spec[operator]);
  return (docs) => accumulate(docs.map((root) => value({ root, variables })));
}

export function compileGroup(spec: Value, variables: Variables): (docs: Doc[]) => Doc[] {
  if (!isPlain(spec) || !('_id' in spec)) throw new CommandError(15955, 'a group specification must include an _id');
  const { _id, ...rest } = spec;
  const idOf = compileExpression(_id);
  const fields = Object.entries(rest).map(([name, field]) => [name, compileField(name, field, variables)] as const);
  return (docs) => {
    const groups = new Map<string, { id: Value; docs: Doc[] }>();
    for (const root of docs) {
      const id = idOf({ root, variables }) ?? null;
      const key = sortKey(id);
      const group = groups.get(key);
      if (group) group.docs.push(root);
      else groups.set(key, { id, docs: [root] });
    }
    return [...groups.values()].map((group) => {
      const result: Doc = { _id: group.id };
      for (const [name, accumulate] of fields) setOwn(result, name, accumulate(group.docs));
      return result;
    });
  };
}
