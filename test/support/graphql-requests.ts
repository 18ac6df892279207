import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
} from 'graphql';
import { schema } from '../../src/graphql/schema.ts';

const deepest = 8;

/** The fields of a type to the leaves; every type is expanded once, because relations lead back to it. */
export function selectionOf(type: GraphQLOutputType, expanded = new Set<string>(), depth = 1): string {
  const object = getNamedType(type);
  if (!isObjectType(object)) return '';
  const fields = Object.values(object.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
  if (depth > deepest || expanded.has(object.name)) {
    const leaf = fields.find((field) => isLeafType(getNamedType(field.type)));
    return `{ ${leaf?.name ?? '__typename'} }`;
  }
  expanded.add(object.name);
  return `{ ${fields.map((field) => `${field.name} ${selectionOf(field.type, expanded, depth + 1)}`).join(' ')} }`;
}

/** The fields of a result and its records, without the records that these lead to. */
export function ownSelectionOf(type: GraphQLOutputType, depth = 1): string {
  const object = getNamedType(type);
  if (!isObjectType(object)) return '';
  const fields = Object.values(object.getFields()).filter(({ args }) => args.length === 0);
  const kept = fields.filter((field) => {
    const of = getNamedType(field.type);
    return !isObjectType(of) || depth === 1 || !('id' in of.getFields() || 'nodes' in of.getFields());
  });
  return `{ ${kept.map((field) => `${field.name} ${ownSelectionOf(field.type, depth + 1)}`).join(' ')} }`;
}

/** A value in REST names as the variable of a GraphQL type. */
function variableOf(value: unknown, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return variableOf(value, type.ofType);
  if (isListType(type) && Array.isArray(value)) return value.map((entry) => variableOf(entry, type.ofType));
  if (isEnumType(type)) return type.serialize(value);
  if (value === null || !isInputObjectType(type)) return value;
  const { _id: id, ...rest } = value as Record<string, unknown>;
  const members = Object.entries({ id, ...rest }).flatMap(([name, member]) => {
    const field = type.getFields()[name];
    return field && member !== undefined ? [[name, variableOf(member, field.type)]] : [];
  });
  return Object.fromEntries(members) as unknown;
}

const restOf = (values: Record<string, unknown>, names: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

/** The request of a field with the example of its operation, for all fields of its answer. */
export function requestOf(
  field: GraphQLField<unknown, unknown>,
  kind: string,
  values: Record<string, unknown>,
  selection = selectionOf(field.type),
) {
  const names = field.args.map(({ name }) => name);
  const given = field.args.flatMap(({ name, type }) => {
    const value = name === 'input' ? restOf(values, names) : values[name];
    return value === undefined ? [] : [{ name, type, value: variableOf(value, type) }];
  });
  const declared = given.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ');
  const call = `${field.name}${passed && `(${passed})`} ${selection}`;
  return {
    query: `${kind} ${declared && `(${declared})`} { ${call} }`,
    variables: Object.fromEntries(given.map(({ name, value }) => [name, value])),
  };
}

export const fieldsOf = (type: ReturnType<typeof schema.getQueryType>) => Object.values(type?.getFields() ?? {});
/** Every query and mutation. */
export const rootFields = [
  ...fieldsOf(schema.getQueryType()).map((field) => ({ name: field.name, kind: 'query', field })),
  ...fieldsOf(schema.getMutationType()).map((field) => ({ name: field.name, kind: 'mutation', field })),
];
