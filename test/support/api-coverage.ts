import { appendFileSync } from 'node:fs';
import {
  defaultFieldResolver,
  getNamedType,
  isObjectType,
  Kind,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type SelectionNode,
} from 'graphql';

/** Set by the reporter that checks the run. */
const file = process.env['API_CALLS_FILE'];
const known = globalThis as { apiCalls?: Set<string>; watchedSchema?: GraphQLSchema };
const calls = (known.apiCalls ??= new Set());

/** Records an operation of OpenAPI or a `Type.field` of GraphQL, once per process. */
export function recordCall(name: string): void {
  if (!file || calls.has(name)) return;
  calls.add(name);
  appendFileSync(file, `${name}\n`);
}

/** Records the root fields of a schema that are executed in this process, and the fields that are selected below them. */
export function recordFields(schema: GraphQLSchema): void {
  if (!file || known.watchedSchema === schema) return;
  known.watchedSchema = schema;
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve = defaultFieldResolver, subscribe } = field;
      field.resolve = (...args) => {
        recordSelected(args[3]);
        return resolve(...args) as unknown;
      };
      if (!subscribe) continue;
      field.subscribe = (...args) => {
        recordSelected(args[3]);
        return subscribe(...args) as unknown;
      };
    }
  }
}

function recordSelected({ parentType, fieldNodes, fragments }: GraphQLResolveInfo): void {
  // Fragments that spread others several times would be walked exponentially often.
  const spread = new Set<string>();
  const record = (type: GraphQLOutputType, selections: readonly SelectionNode[]): void => {
    const object = getNamedType(type);
    if (!isObjectType(object)) return;
    for (const node of selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        const place = `${object.name} ${node.name.value}`;
        if (spread.has(place)) continue;
        spread.add(place);
        record(type, fragments[node.name.value]?.selectionSet.selections ?? []);
      } else if (node.kind === Kind.INLINE_FRAGMENT) record(type, node.selectionSet.selections);
      else {
        const field = object.getFields()[node.name.value];
        if (!field) continue;
        recordCall(`${object.name}.${field.name}`);
        record(field.type, node.selectionSet?.selections ?? []);
      }
    }
  };
  record(parentType, fieldNodes);
}
