import type DataLoader from 'dataloader';
import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import ValidationPlugin from '@pothos/plugin-validation';
import { GraphQLScalarType, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import { AppError } from '../contract/error.ts';
import type { Ctx } from '../services/context.ts';
import { isAffordable } from './known-cost.ts';
import type { RootField } from './root-fields.ts';

export interface Loaders {
  /** The context whose caller they read for. */
  of: object;
  byBatch: Map<unknown, Map<string, DataLoader<string, unknown>>>;
}

/** A request through the GraphQL API: the common context and GraphQL-only fields. */
export interface GraphContext extends Ctx {
  /** The most that one operation may cost; a list counts ten times what is in it. */
  maxCost: number;
  setHeader: (name: string, value: string) => void;
  /** Throws if the process is too busy for these operations. */
  requireCapacity: (operations: () => string[]) => void;
  /** Reports the code of the first error, for the log. */
  onError: (code: string) => void;
  /** What the request runs, once it is known. */
  document?: DocumentNode;
  operation?: OperationDefinitionNode;
  rootFields?: RootField[];
  loaders?: Loaders;
}

interface OwnTypes {
  Context: GraphContext;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: string; Output: string };
    URL: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
}

export type SchemaTypes = PothosSchemaTypes.ExtendDefaultTypes<OwnTypes>;

export const builder = new SchemaBuilder<OwnTypes>({
  plugins: [ComplexityPlugin, ValidationPlugin],
  defaultFieldNullability: false,
  complexity: {
    defaultComplexity: 1,
    defaultListMultiplier: 10,
    limit: ({ maxCost, operation }) => (isAffordable(operation) ? {} : { complexity: maxCost }),
    complexityError: (_kind, { complexity, maxComplexity }) =>
      new AppError(
        'query_too_costly',
        `An operation may cost at most ${maxComplexity} points, this one costs ${complexity}`,
      ),
  },
});

const requireText =
  (name: string) =>
  (value: unknown): string => {
    if (typeof value === 'string') return value;
    throw new TypeError(`${name} must be written as a string`);
  };

const textScalar = (name: string, description: string): GraphQLScalarType<string, string> =>
  new GraphQLScalarType<string, string>({ name, description, serialize: String, parseValue: requireText(name) });

builder.addScalarType('DateTime', textScalar('DateTime', 'An instant: RFC 3339 with an offset in, UTC with Z out.'));
builder.addScalarType('URL', textScalar('URL', 'An http or https address of at most 2 048 characters.'));
builder.addScalarType(
  'JSON',
  new GraphQLScalarType({ name: 'JSON', description: 'A free-form JSON value, as a platform gave it or takes it.' }),
);

builder.queryType({ description: 'Queries; available to read-only keys.' });
builder.subscriptionType({
  description:
    'Live updates, as server-sent events or multipart responses: the current state first, then every change. Available to read-only keys.',
});
builder.mutationType({
  description:
    'Changing. Each mutation heeds an Idempotency-Key header and refuses read-only keys. A failed one is null, so that the others of its request are still answered.',
});
