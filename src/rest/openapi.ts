import { z } from 'zod';
import { errorStatus, type ErrorCode } from '../contract/error.ts';
import type { Route } from './route.ts';

type Json = Record<string, unknown>;

const always: ErrorCode[] = ['missing_credentials', 'invalid_credentials', 'rate_limited', 'internal_error'];
const onInput: ErrorCode[] = ['missing_required_field', 'invalid_field_value', 'unknown_field'];
const onWrite: ErrorCode[] = [
  'insufficient_permissions',
  'invalid_json_body',
  'body_too_large',
  'unsupported_media_type',
  'idempotency_in_progress',
  'idempotency_key_reused',
];

/** Every code that an endpoint can answer; the tests refuse an answer that is not among them. */
export const errorsOf = (row: Route): ErrorCode[] => [
  ...new Set([...always, ...onInput, ...(row.method === 'GET' ? [] : onWrite), ...row.errors]),
];

const componentOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ jsonSchema }) => {
      delete jsonSchema['scalar'];
      delete jsonSchema['$schema'];
      delete jsonSchema['id'];
    },
  }) as Json;
  delete json['$schema'];
  return json;
};

const without = (schema: Json, names: string[]): Json => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries((schema['properties'] ?? {}) as Json).filter(([name]) => !names.includes(name)),
  ),
  required: ((schema['required'] ?? []) as string[]).filter((name) => !names.includes(name)),
});

const pathNames = (row: Route): string[] => [...row.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');

function parametersOf(row: Route, input: Json): Json[] {
  const inPath = pathNames(row);
  const inQuery = row.inQuery ?? [];
  const names = row.method === 'GET' ? Object.keys((input['properties'] ?? {}) as Json) : inQuery;
  const required = (input['required'] ?? []) as string[];
  const fields = [...new Set([...inPath, ...names])].map((name) => ({
    name,
    in: inPath.includes(name) ? 'path' : 'query',
    required: inPath.includes(name) || required.includes(name),
    schema: ((input['properties'] ?? {}) as Json)[name] ?? { type: 'string' },
  }));
  return row.method === 'GET' ? fields : [...fields, { $ref: '#/components/parameters/IdempotencyKey' }];
}

function responsesOf(row: Route): Json {
  const codes = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(row)) {
    const status = errorStatus[code];
    codes.set(status, [...(codes.get(status) ?? []), code]);
  }
  const failures = [...codes].map(([status, list]) => [
    status,
    {
      description: list.join(', '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]);
  const success = {
    description: 'Success',
    content: { 'application/json': { schema: componentOf(row.output, 'output') } },
  };
  return { [row.status]: success, ...Object.fromEntries(failures) };
}

function operationOf(row: Route): Json {
  const input = componentOf(row.input, 'input');
  const body = without(input, [...pathNames(row), ...(row.inQuery ?? [])]);
  const hasBody = row.method !== 'GET' && Object.keys((body['properties'] ?? {}) as Json).length > 0;
  return {
    operationId: row.name,
    summary: row.summary,
    tags: [row.path.split('/')[2]],
    parameters: parametersOf(row, input),
    ...(hasBody && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    ...(row.connects && { security: [{ apiKey: [] }, { connectToken: [] }] }),
    responses: responsesOf(row),
  };
}

const errorSchema: Json = {
  type: 'object',
  required: ['error', 'type', 'code', 'requestId'],
  properties: {
    error: { type: 'string', description: 'For people; may change' },
    type: { type: 'string' },
    code: { type: 'string', enum: Object.keys(errorStatus) },
    param: { type: 'string', description: 'The first field in question' },
    details: { type: 'object', description: '`fields` maps each field path to its problems' },
    platform: { type: 'string' },
    platformError: { type: 'object' },
    requestId: { type: 'string' },
  },
};

/** The OpenAPI 3.1 document of the whole table. */
export function openApi(routes: Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const row of routes) {
    (paths[row.path] ??= {})[row.method.toLowerCase()] = operationOf(row);
    if (row.shortPath) {
      const short = operationOf({ ...row, name: `${row.name}Short`, path: row.shortPath });
      (paths[row.shortPath] ??= {})[row.method.toLowerCase()] = short;
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Social publishing and ads API', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: sk_ and 64 hex characters' },
        connectToken: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Connect-Token',
          description: 'From the redirect of a connect flow: ct_ and 64 hex characters, good for 15 minutes',
        },
      },
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'Repeating a request with the same key and body answers the stored success instead of doing it again.',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
      },
      schemas: { Error: errorSchema },
    },
  };
}
