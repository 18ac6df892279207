import type { StandardSchemaV1 } from '@pothos/plugin-validation';
import { parseInput, type ParseOptions } from '../contract/parse.ts';
import type { AnyObject } from './from-contract.ts';
import { joinAlternatives } from './input-alternatives.ts';

type Args = Record<string, unknown>;

/** Makes @pothos/plugin-validation parse the arguments of a field: `parse` returns what its resolver gets, or throws. */
export const validateWith = (parse: (args: Args) => object): StandardSchemaV1<Args, object> => ({
  '~standard': { version: 1, vendor: 'contract', validate: (args) => ({ value: parse(args as Args) }) },
});

/**
 * Parses the arguments of a field as the input of its operation: the same parse as in REST, over the same flat object.
 * An argument that is null counts as not given.
 */
export function validateInput(schema: AnyObject, options: ParseOptions = {}): StandardSchemaV1<Args, object> {
  const join = joinAlternatives(schema);
  const parse = (args: Args): object => parseInput(schema, toContractNames(schema, join(args)), options);
  /** The defaults of an operation without arguments: the same for every request. */
  let defaults: object | undefined;
  return validateWith(({ input, ...args }) => {
    const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
    const all = { ...(input as object | undefined), ...given };
    return Object.keys(all).length > 0 ? parse(all) : { ...(defaults ??= parse(all)) };
  });
}

/** GraphQL's `id` is the contract's `_id`, where it has one. */
function toContractNames({ shape }: AnyObject, { id, ...rest }: Args): Args {
  if (id === undefined) return rest;
  return '_id' in shape && !('id' in shape) ? { ...rest, _id: id } : { ...rest, id };
}
