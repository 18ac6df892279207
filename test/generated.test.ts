import { describe, expect, it } from 'vitest';
import { staleFiles } from '../src/generate.ts';
import { openApi } from '../src/rest/openapi.ts';
import { routes } from '../src/rest/routes.ts';
import { describedTypes } from './support/schema-walk.ts';

describe('generated files', () => {
  it('are as the code prints them', async () => {
    expect(await staleFiles()).toEqual([]);
  });

  it('describe every type and every argument of the schema', () => {
    expect(
      describedTypes()
        .filter(({ description }) => !description)
        .map(({ name }) => name),
    ).toEqual([]);
  });
});

describe('OpenAPI', () => {
  const document = openApi(routes) as {
    paths: Record<string, Record<string, { responses: object; parameters: { in: string; name: string }[] }>>;
  };

  it('lists every endpoint with its statuses', () => {
    for (const row of routes) {
      const operation = document.paths[row.path]?.[row.method.toLowerCase()];
      expect(Object.keys(operation?.responses ?? {})).toEqual(
        expect.arrayContaining([String(row.status), '400', '401', '429']),
      );
    }
  });

  it('declares every name in a path as a parameter', () => {
    for (const row of routes) {
      const names = [...row.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = document.paths[row.path]?.[row.method.toLowerCase()]?.parameters.filter(
        (one) => one.in === 'path',
      );
      expect(declared?.map(({ name }) => name)).toEqual(names);
    }
  });
});
