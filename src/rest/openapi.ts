import { z } from 'zod';
import {
  createDocument,
  type oas31,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { enumValues } from '../contract/enum-values.ts';
import { statusesOf, type ErrorCode } from '../contract/error.ts';
import { tidySchema } from '../contract/json-schema.ts';
import type { OperationGroup } from '../operations/index.ts';
import { descriptionOf, placesOf, type Operation } from '../operations/operation.ts';
import { examples, type Example } from './examples.ts';
import { callback } from './openapi-callback.ts';
import { components, ErrorSchema, header, headersOf, introduction } from './openapi-components.ts';

const always: ErrorCode[] = [
  'missing_required_field',
  'invalid_field_value',
  'unknown_field',
  'missing_credentials',
  'invalid_credentials',
  'rate_limited',
  'internal_error',
  'temporarily_unavailable',
];
const onWrite: ErrorCode[] = [
  'insufficient_permissions',
  'invalid_json_body',
  'body_too_large',
  'unsupported_media_type',
  'idempotency_in_progress',
  'idempotency_key_reused',
];

const pick = ({ shape }: z.ZodObject, names: string[]): z.ZodObject =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, shape[name]])) as Record<string, z.ZodType>);

/** The body of a request: the input without path and query parameters. */
function bodyOf(operation: Operation, names: string[]): z.ZodObject {
  if (names.length === Object.keys(operation.input.shape).length) return operation.input;
  const { id = operation.name, description } = operation.input.meta() ?? {};
  return pick(operation.input, names).meta({ id: `${id.replace(/Input$/, '')}Body`, description });
}

const isRequired = (member: z.ZodType): boolean => member._zod.optin !== 'optional';

function requestBodyOf(operation: Operation, names: string[], { body, bodies }: Example): object {
  const schema = bodyOf(operation, names);
  const named = bodies && Object.fromEntries(Object.entries(bodies).map(([name, value]) => [name, { value }]));
  return {
    requestBody: {
      required: Object.values(schema.shape).some(isRequired),
      content: { 'application/json': { schema, ...(named ? { examples: named } : { example: body }) } },
    },
  };
}

type Failures = Map<string, ZodOpenApiResponseObject>;

function responsesOf(operation: Operation, failures: Failures): Record<string, ZodOpenApiResponseObject> {
  const isWrite = operation.method !== 'GET';
  const codes = new Map<number, ErrorCode[]>();
  for (const code of new Set([...always, ...(isWrite ? onWrite : []), ...operation.errors])) {
    for (const status of statusesOf(code)) codes.set(status, [...(codes.get(status) ?? []), code]);
  }
  const successes = Object.entries(operation.outputs ?? { [operation.status]: [operation.output] }).map(
    ([status, outputs]): [string, ZodOpenApiResponseObject] => [status, successOf(Number(status), outputs, operation)],
  );
  const errors = [...codes].map(([status, list]) => [status, failureOf(status, list, isWrite, failures)] as const);
  return Object.fromEntries([...successes, ...errors]);
}

const camel = (code: string): string => code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Operations with the same errors share one component, named after its distinguishing codes. */
function failureOf(status: number, codes: ErrorCode[], isWrite: boolean, failures: Failures): ZodOpenApiResponseObject {
  const common = isWrite ? [...always, ...onWrite] : always;
  const own = codes.filter((code) => !common.includes(code)).toSorted();
  const id = `${isWrite ? 'Write' : 'Read'}Error${status}${own.map(camel).join('Or')}`;
  const known = failures.get(id);
  if (known) return known;
  const failure: ZodOpenApiResponseObject = {
    id,
    description: `\`code\` is ${codes.map((code) => `\`${code}\``).join(', ')}`,
    headers: headersOf(status, isWrite),
    content: { 'application/json': { schema: ErrorSchema } },
  };
  failures.set(id, failure);
  return failure;
}

function successOf(
  status: number,
  [first, ...rest]: z.ZodObject[],
  { method, file, retryAfter }: Operation,
): ZodOpenApiResponseObject {
  const schema = first && rest.length > 0 ? z.union([first, ...rest]) : first;
  const text = { schema: { type: 'string' as const, description: file?.description } };
  return {
    description: first?.meta()?.description ?? 'Success',
    headers: {
      ...headersOf(status, method !== 'GET'),
      ...(status === 202 && retryAfter && { 'Retry-After': header('RetryAfter') }),
    },
    content: { 'application/json': { schema }, ...(status === 200 && file && { [file.mediaType]: text }) },
  };
}

function operationOf(operation: Operation, tag: string, failures: Failures): ZodOpenApiOperationObject {
  const places = placesOf(operation);
  const example = examples[operation.name] ?? {};
  return {
    operationId: operation.name,
    tags: [tag],
    summary: operation.summary,
    description: descriptionOf(operation),
    requestParams: {
      ...(places.path.length > 0 && { path: withExamples(pick(operation.input, places.path), example) }),
      ...(places.query.length > 0 && { query: withExamples(pick(operation.input, places.query), example) }),
    },
    ...(operation.method !== 'GET' && { parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }] }),
    ...(places.body.length > 0 && requestBodyOf(operation, places.body, example)),
    ...(operation.connects && { security: [{ apiKey: [] }, { connectToken: [] }] }),
    responses: responsesOf(operation, failures),
  };
}

/** Each parameter carries its own example value. */
const withExamples = ({ shape }: z.ZodObject, { params = {} }: Example): z.ZodObject =>
  z.object(
    Object.fromEntries(
      Object.entries(shape as Record<string, z.ZodType>).map(([name, member]) => [
        name,
        name in params ? member.meta({ param: { example: params[name] } }) : member,
      ]),
    ),
  );

function pathsOf(groups: OperationGroup[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  const failures: Failures = new Map();
  const add = (operation: Operation, tag: string): void => {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationOf(operation, tag, failures),
    };
  };
  for (const { name, operations } of groups) {
    for (const operation of operations) {
      add(operation, name);
      if (operation.shortPath) add({ ...operation, name: `${operation.name}Short`, path: operation.shortPath }, name);
    }
  }
  paths['/v1/connect/{platform}/callback'] = { get: callback };
  return paths;
}

/** The meaning of each value of an enum, in the extension that documentation tools show. */
function describeValues(schema: oas31.SchemaObject, source: z.core.$ZodType): void {
  const values = schema.enum && enumValues[String(z.globalRegistry.get(source)?.id)];
  if (values) (schema as Record<string, unknown>)['x-enumDescriptions'] = values;
}

/** Moves defaults to descriptions, because client generators make fields with a `default` required. */
function describeDefaults(value: unknown): void {
  if (value === null || typeof value !== 'object') return;
  const schema = value as oas31.SchemaObject;
  const isSchema = '$ref' in schema || typeof schema.type === 'string';
  if (isSchema && schema.default !== undefined) {
    schema.description = `${schema.description ?? ''} (default: ${JSON.stringify(schema.default)})`.trimStart();
    delete schema.default;
  }
  Object.values(value).forEach(describeDefaults);
}

/** The OpenAPI 3.1 document of the whole table. */
export function openApi(groups: OperationGroup[]): oas31.OpenAPIObject {
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Social ads API',
        version: '1',
        description: introduction,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'This installation' }],
      security: [{ apiKey: [] }],
      tags: groups.map(({ name, description }) => ({ name, description })),
      paths: pathsOf(groups),
      components,
    },
    {
      override: ({ jsonSchema, zodSchema, io }) => {
        tidySchema(jsonSchema, io);
        describeValues(jsonSchema as oas31.SchemaObject, zodSchema);
      },
      reused: 'inline',
    },
  );
  describeDefaults(document.components?.schemas);
  const names = groups.flatMap(({ operations }) => operations.map(({ name }) => name));
  return withoutNameClashes(document, names);
}

/**
 * Client generators name types of their own after operations, such as AdResult after `ad`. Schemas with these names get a verb, as
 * the results of lists have.
 */
function withoutNameClashes(document: oas31.OpenAPIObject, operations: string[]): oas31.OpenAPIObject {
  const generated = operations.map((name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Result`);
  const references = new RegExp(`"#/components/schemas/(${generated.join('|')})"`, 'g');
  const text = JSON.stringify(document).replaceAll(references, '"#/components/schemas/Get$1"');
  const { components: parts, ...rest } = JSON.parse(text) as oas31.OpenAPIObject;
  const schemas = Object.entries(parts?.schemas ?? {}).map(([name, schema]) => [
    generated.includes(name) ? `Get${name}` : name,
    schema,
  ]);
  return { ...rest, components: { ...parts, schemas: Object.fromEntries(schemas) } };
}
