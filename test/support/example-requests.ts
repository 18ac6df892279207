import { openApiDocument, type Operation } from './openapi.ts';
import type { Answer, TestApp } from './app.ts';

export interface ExampleRequest {
  name: string;
  method: string;
  path: string;
  operation: Operation;
  address: string;
  body?: unknown;
}

/** Every example of the document as the request that it means. */
export const requests: ExampleRequest[] = Object.entries(openApiDocument().paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) => {
    const values = (operation.parameters ?? []).flatMap((parameter) => ('name' in parameter ? [parameter] : []));
    const inPath = values.filter((parameter) => parameter.in === 'path');
    const query = new URLSearchParams(
      values
        .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
        .map(({ name, example }) => [name, String(example)]),
    );
    const target = inPath.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
    const { example, examples } = operation.requestBody?.content['application/json'] ?? {};
    const bodies = examples
      ? Object.entries(examples).map(([name, { value }]) => ({ name, body: value as unknown }))
      : [{ name: '', body: example as unknown }];
    return bodies.map(({ name, body }) => ({
      name: `${operation.operationId} ${name}`.trim(),
      method: method.toUpperCase(),
      path,
      operation,
      address: query.size > 0 ? `${target}?${query.toString()}` : target,
      body,
    }));
  }),
);

/** Without the OAuth callback, which browsers request. */
export const apiRequests = requests.filter(({ operation }) => operation.operationId !== 'connectCallback');

/** Sends an example with the ids of this fixture in place of the shared ones. */
export function sendExample(
  app: TestApp,
  { method, address, body }: ExampleRequest,
  { key, ids = {} }: { key: string; ids?: Record<string, string> },
): Promise<Answer> {
  // In one pass and longest first: an id can begin with another one, and so can its replacement.
  const known = new RegExp(
    Object.keys(ids)
      .toSorted((a, b) => b.length - a.length)
      .join('|') || '(?!)',
    'g',
  );
  const real = (text: string): string => text.replaceAll(known, (id) => ids[id] ?? id);
  return app.call(method, real(address), {
    key,
    body: body === undefined ? undefined : (JSON.parse(real(JSON.stringify(body))) as unknown),
  });
}
