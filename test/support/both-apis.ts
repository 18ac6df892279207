import { errorStatus, type ErrorCode } from '../../src/contract/error.ts';
import { findOperation } from '../../src/operations/index.ts';
import { placesOf } from '../../src/operations/operation.ts';
import type { TestApp } from './app.ts';
import { ownSelectionOf, requestOf, rootFields } from './graphql-requests.ts';

export interface Outcome {
  status: number;
  // Answers are read freely in expectations.
  body: any;
}

/** Calls an operation by its name with the values of path, query and body together. */
export type CallOperation = (name: string, key: string, values: Record<string, unknown>) => Promise<Outcome>;

type Apis = Pick<TestApp, 'call' | 'graphql'>;

const viaRest =
  ({ call }: Apis): CallOperation =>
  async (name, key, values) => {
    const operation = findOperation(name);
    if (!operation) throw new Error(`There is no operation ${name}`);
    const { query, body } = placesOf(operation);
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, member: string) => String(values[member]));
    const given = (names: string[]) => Object.entries(values).filter(([member]) => names.includes(member));
    const search = new URLSearchParams(given(query).map(([member, value]) => [member, String(value)])).toString();
    const options = { key, ...(operation.method !== 'GET' && { body: Object.fromEntries(given(body)) }) };
    return call(operation.method, path + (search && `?${search}`), options);
  };

const viaGraphql =
  ({ graphql }: Apis): CallOperation =>
  async (name, key, values) => {
    const root = rootFields.find((one) => one.name === name);
    if (!root) throw new Error(`There is no field ${name}`);
    const { query, variables } = requestOf(root.field, root.kind, values, ownSelectionOf(root.field.type));
    const { body } = await graphql(query, variables, { key });
    const [error] = body.errors ?? [];
    if (!error) return { status: 200, body: body.data[name] };
    const code = error.extensions.code as ErrorCode;
    return { status: errorStatus[code], body: { error: error.message, ...error.extensions } };
  };

/** Both APIs by their names, for `describe.each`. */
export const bothApis: [string, (apis: Apis) => CallOperation][] = [
  ['REST', viaRest],
  ['GraphQL', viaGraphql],
];
