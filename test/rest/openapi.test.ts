import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { errorTypes } from '../../src/contract/error.ts';
import { pathsOf, type Operation as Route } from '../../src/operations/operation.ts';
import { operations } from '../../src/operations/index.ts';
import { openApiDocument, type Operation } from '../support/openapi.ts';

const document = openApiDocument();
const at = (pointer: string): any =>
  pointer
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<any>((value, step) => value?.[step], document);
const resolved = (value: any): any => (value?.$ref ? resolved(at(value.$ref)) : value);

const operationOf = (route: Route, path: string = route.path): Operation =>
  document.paths[path]?.[route.method.toLowerCase()] as Operation;
const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
const parameterNames = (operation: Operation, place: string): string[] =>
  (operation.parameters ?? [])
    .map(resolved)
    .filter((parameter) => parameter.in === place)
    .map(({ name }) => name);
const bodySchema = (operation: Operation): any => resolved(operation.requestBody?.content['application/json']?.schema);
const keysOf = ({ shape }: z.ZodObject): string[] => Object.keys(shape);
const sorted = (names: string[]): string[] => names.toSorted();

const table = operations.flatMap((route) =>
  pathsOf(route).map((path) => ({ route, path, name: `${route.method} ${path}` })),
);
const isWrite = ({ route }: { route: Route }): boolean => route.method !== 'GET';

describe('the OpenAPI document', () => {
  it('has no dangling reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(references.length).toBeGreaterThan(500);
    expect([...new Set(references)].filter((pointer) => at(pointer) === undefined)).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('"$defs"');
  });

  it('has no schema with a name that client generators give a type of their own', () => {
    const suffixes = [
      'Result',
      'Results',
      'Params',
      'Response',
      'Responses',
      'Error',
      'Errors',
      'Data',
      'Request',
      'Options',
    ];
    const suffixesOfHooks = ['Query', 'Mutation'].flatMap((kind) =>
      ['', 'Result', 'Error', 'Body'].map((end) => kind + end),
    );
    const generated = table.flatMap(({ route: { name } }) =>
      [...suffixes, ...suffixesOfHooks].map((suffix) => name.charAt(0).toUpperCase() + name.slice(1) + suffix),
    );
    const { schemas } = document.components as unknown as { schemas: Record<string, object> };
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['GetAdResult', 'ListAdsResult', 'UpdateAdPayload']));
    expect(generated.filter((name) => schemas[name])).toEqual([]);
  });

  it('has patterns without escaped slashes, which some generators escape again', () => {
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
      ([, text = '']) => JSON.parse(text) as string,
    );
    expect(patterns).toContain('^(?:attributes/)?[\\w-]{1,200}$');
    expect(patterns.filter((pattern) => pattern.includes('\\/') || !new RegExp(pattern, 'u'))).toEqual([]);
  });

  it('has the operations of the route table and the connect callback, each under an id of its own', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(sorted(ids)).toEqual(
      sorted([
        'connectCallback',
        ...table.map(({ route, path }) => (path === route.shortPath ? `${route.name}Short` : route.name)),
      ]),
    );
  });

  it.each(table)('describes $name: summary, description, a declared tag', ({ route, path }) => {
    const { summary, description, tags = [] } = operationOf(route, path);
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
    expect(description).toMatch(/\.$/);
    expect((document as any).tags.map(({ name }: { name: string }) => name)).toContain(tags[0]);
  });

  it.each(table)('declares what the address of $name carries', ({ route, path }) => {
    const operation = operationOf(route, path);
    const inPath = namesIn(path);
    expect(sorted(parameterNames(operation, 'path'))).toEqual(sorted(inPath));
    const inQuery = isWrite({ route })
      ? (route.inQuery ?? [])
      : keysOf(route.input).filter((key) => !inPath.includes(key));
    expect(sorted(parameterNames(operation, 'query'))).toEqual(sorted(inQuery));
    expect(parameterNames(operation, 'header')).toEqual(isWrite({ route }) ? ['Idempotency-Key'] : []);
  });

  it.each(table.filter(isWrite))('declares the body of $name with exactly its fields', ({ route, path }) => {
    const expected = keysOf(route.input).filter(
      (key) => !namesIn(path).includes(key) && !(route.inQuery ?? []).includes(key),
    );
    const schema = bodySchema(operationOf(route, path));
    expect(sorted(Object.keys(schema?.properties ?? {}))).toEqual(sorted(expected));
    if (expected.length > 0) expect(schema.additionalProperties).toBe(false);
  });

  it('requires of createAd what every shape needs, and lists the values of its enums', () => {
    const schema = bodySchema(document.paths['/v1/ads/create']?.['post'] as Operation);
    expect(sorted(schema.required)).toEqual(['accountId', 'adAccountId', 'name']);
    expect(resolved(schema.properties.goal).enum).toContain('traffic');
    expect(resolved(schema.properties.creatives.items).properties).toHaveProperty('headline');
  });

  it('takes the id of a webhook to delete from the query', () => {
    const operation = document.paths['/v1/webhooks/settings']?.['delete'] as Operation;
    expect(parameterNames(operation, 'query')).toEqual(['id']);
    expect(operation.requestBody).toBeUndefined();
  });

  it('declares the three bodies of createAd: a dry run, one ad, several ads', () => {
    const { responses } = document.paths['/v1/ads/create']!['post'] as Operation;
    const bodyOf = (status: string) => (responses[status] as any).content['application/json'].schema;
    expect(Object.keys(resolved(bodyOf('200')).properties)).toEqual(['valid', 'requests', 'warnings']);
    const variants = bodyOf('201').anyOf.map(resolved);
    expect(variants.map(({ required }: { required: string[] }) => required)).toEqual([
      ['ad', 'message'],
      ['ads', 'platformCampaignId', 'platformAdSetId', 'message'],
    ]);
  });

  it.each(table)('declares the statuses of $name that any request can meet, with the error body', ({ route, path }) => {
    const { responses } = operationOf(route, path);
    const common = [
      '400',
      '401',
      '429',
      '500',
      '503',
      ...(isWrite({ route }) ? ['403', '409', '413', '415', '422'] : []),
    ];
    expect(Object.keys(responses)).toEqual(expect.arrayContaining([String(route.status), ...common]));
    for (const status of common) {
      expect(resolved(responses[status]).content['application/json'].schema.$ref).toBe('#/components/schemas/Error');
    }
  });

  it('lists the types and codes of errors', () => {
    const { properties } = at('#/components/schemas/Error');
    expect(resolved(properties.type).enum).toEqual([...errorTypes]);
    expect(resolved(properties.code).enum).toContain('missing_required_field');
  });

  it('declares both ways to authenticate, and headers of every response', () => {
    expect(Object.keys(document.components['securitySchemes'] ?? {})).toEqual(['apiKey', 'connectToken']);
    for (const { route, path } of table) {
      for (const response of Object.values(operationOf(route, path).responses).map(resolved))
        expect(response.headers).toHaveProperty('X-Request-Id');
      expect(resolved(operationOf(route, path).responses['429']).headers).toHaveProperty('Retry-After');
    }
  });

  it('contains no internal metadata', () => {
    expect(JSON.stringify(document)).not.toMatch(/"(scalar|commaSeparated)":/);
  });
});

describe('independent validators', () => {
  const folder = join(import.meta.dirname, '../clients');
  const require = createRequire(join(folder, 'package.json'));
  const source = readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8');
  let redocly: any;
  let Validator: any;
  beforeAll(async () => {
    redocly = require('@redocly/openapi-core');
    ({ Validator } = await import(require.resolve('@seriousme/openapi-schema-validator')));
  });

  it('find the document valid by the schema of OpenAPI 3.1', async () => {
    expect(await new Validator().validate(JSON.parse(source))).toEqual({ valid: true });
  });

  it('report nothing with the recommended rules of Redocly', async () => {
    // The two paths in question take different methods, so that no request fits both.
    const rules = { 'no-ambiguous-paths': 'off' };
    const config = await redocly.createConfig({ extends: ['recommended'], rules });
    const problems = await redocly.lintFromString({ source, config });
    expect(problems.map(({ ruleId, message }: any) => `${ruleId}: ${message}`)).toEqual([]);
  });
});
