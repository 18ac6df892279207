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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { operations } from '../../src/operations/index.ts';
import { exampleIds, examples } from '../../src/rest/examples.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { follow } from '../support/stream.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
beforeAll(async () => {
  app = await startTestApp({ GRAPHQL_MAX_COST: '1000000' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

/** All fields of a type, to the leaves. */
function selectionOf(type: GraphQLOutputType): string {
  const object = getNamedType(type);
  if (!isObjectType(object)) return '';
  const fields = Object.values(object.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
  return `{ ${fields.map((field) => `${field.name} ${selectionOf(field.type)}`).join(' ')} }`;
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
function requestOf(field: GraphQLField<unknown, unknown>, kind: string, values: Record<string, unknown>) {
  const names = field.args.map(({ name }) => name);
  const given = field.args.flatMap(({ name, type }) => {
    const value = name === 'input' ? restOf(values, names) : values[name];
    return value === undefined ? [] : [{ name, type, value: variableOf(value, type) }];
  });
  const declared = given.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ');
  const call = `${field.name}${passed && `(${passed})`} ${selectionOf(field.type)}`;
  return {
    query: `${kind} ${declared && `(${declared})`} { ${call} }`,
    variables: Object.fromEntries(given.map(({ name, value }) => [name, value])),
  };
}

const fieldsOf = (type: ReturnType<typeof schema.getQueryType>) => Object.values(type?.getFields() ?? {});
const roots = [
  ...fieldsOf(schema.getQueryType()).map((field) => ({ name: field.name, kind: 'query', field })),
  ...fieldsOf(schema.getMutationType()).map((field) => ({ name: field.name, kind: 'mutation', field })),
];

/** Rejections that depend on what exists, not on how the request is written. */
const dependsOnState =
  /_not_found$|_not_empty$|_mismatch$|^platform_|^unsupported_|^linked_account_|^ads_connection_|^connection_failed$|^page_not_available$/;

describe('the example of every operation', () => {
  it.each(roots)('is valid in GraphQL with all fields of its answer: $name', async ({ name, kind, field }) => {
    expect(operations.map((operation) => operation.name)).toContain(name);
    const { params = {}, body, bodies = {} } = examples[name] ?? {};
    const values = { ...params, ...(body ?? Object.values(bodies)[0]) };
    const { query, variables } = requestOf(field, kind, values);
    const own = JSON.parse(JSON.stringify(variables).replaceAll(exampleIds.profile, fixture.profileId)) as object;
    const answer = await app.graphql(query, own, { key: fixture.key });
    const [error] = answer.body.errors ?? [];
    if (error) expect(error.extensions.code).toMatch(dependsOnState);
    else expect(Object.keys(answer.body.data)).toEqual([name]);
  });
});

describe('every subscription', () => {
  it.each(fieldsOf(schema.getSubscriptionType()))('hides what the key cannot access: $name', async (field) => {
    const [argument] = field.args;
    const call = `${field.name}(${argument?.name}: "${'0'.repeat(24)}") ${selectionOf(field.type)}`;
    expect(isLeafType(getNamedType(field.type))).toBe(false);
    const stream = await follow(app.url, fixture.key, call);
    await stream.over;
    expect(JSON.stringify(stream)).not.toContain('"data"');
  });
});
