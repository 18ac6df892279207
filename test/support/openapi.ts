import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: ({ name: string; in: string; required?: boolean; example?: unknown } | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Json; example?: Json; examples?: Json }> };
  responses: Record<string, object>;
}
type Json = Record<string, any>;

export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Json>>;
}

let read: Document | undefined;
/** The generated document, as it is in the repository. */
export const openApiDocument = (): Document =>
  (read ??= JSON.parse(readFileSync(resolve(import.meta.dirname, '../../docs/openapi.json'), 'utf8')) as Document);

/** Words before ids in the same position, as the router ranks them: `tree` is not an ad id. */
const specificity = (path: string): string => path.replaceAll(/\{\w+\}/g, '~');

let patterns: [RegExp, Record<string, Operation>][] | undefined;
const pathPatterns = (): [RegExp, Record<string, Operation>][] =>
  (patterns ??= Object.entries(openApiDocument().paths)
    .toSorted(([a], [b]) => (specificity(a) < specificity(b) ? -1 : 1))
    .map(([path, operations]) => [new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), operations]));

/** The operation that a request means; nothing for paths outside the document and methods that a path has not. */
export function operationAt(method: string, address: string): Operation | undefined {
  const path = (address.split(/[?#]/, 1)[0] ?? '').replace(/\/$/, '');
  return pathPatterns().find(([pattern]) => pattern.test(path))?.[1][method.toLowerCase()];
}

/** What is wrong with a status that an operation was seen to answer. */
export function undeclared(method: string, address: string, status: number): string | undefined {
  const operation = operationAt(method, address);
  if (!operation || String(status) in operation.responses) return undefined;
  return `${operation.operationId} (${method} ${address.split('?')[0]}) answered ${status}, which docs/openapi.json does not declare`;
}
