import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { bodyOf, parametersOf, type UpstreamRequest } from './decode.ts';
import { isExcepted } from './exceptions.ts';
import { factsOf, hasFacts, type Facts, type Operation, type Schema } from './facts.ts';
import { addKeywords } from './keywords.ts';
import { rules } from './rules.ts';

interface Checker {
  name: string;
  pattern: RegExp;
  operation: Operation;
  headers: () => ValidateFunction;
  query: () => ValidateFunction;
  /** The schema of the description, then the rules, which say their source. */
  bodies: { validator: () => ValidateFunction; source?: string }[];
}

const anything: Schema = {};
const none: Schema = { type: 'object', additionalProperties: false };
const compiled = new Map<string, Checker[]>();

/** Where a request contradicts what its platform has published; an empty list if nowhere. */
export function problemsOf(request: UpstreamRequest): string[] {
  if (!hasFacts(request.platform)) return [];
  const checker = checkerOf(request);
  const about = `${request.platform}: ${checker?.name ?? `${request.method} ${request.path}`}`;
  const said = checker ? contradictions(checker, request) : ['is not an operation of the platform'];
  return said.map((problem) => `${about} ${problem}`).filter((problem) => !isExcepted(problem));
}

/** The operation that a request calls; undefined if the platform has none. */
export function checkerOf({ platform, method, path }: UpstreamRequest): Checker | undefined {
  return checkersOf(platform).find(({ name, pattern }) => name.startsWith(`${method} `) && pattern.test(path));
}

function contradictions({ operation, headers, query, bodies }: Checker, request: UpstreamRequest): string[] {
  const said = [
    ...textsOf('headers', headers(), request.headers),
    ...textsOf('query', query(), parametersOf(request.query, operation.query ?? none)),
  ];
  if (bodies.length === 0) return said;
  const type = request.type.split(';')[0]?.trim() ?? '';
  const types = [operation.type ?? []].flat();
  if (!types.includes(type)) return [...said, `has a body of type ${type || 'none'}, not ${types.join(' or ')}`];
  const value = bodyOf(request, operation);
  return [...said, ...bodies.flatMap(({ validator, source }) => textsOf('body', validator(), value, source))];
}

function checkersOf(platform: string): Checker[] {
  const known = compiled.get(platform) ?? compile(platform, factsOf(platform));
  compiled.set(platform, known);
  return known;
}

function compile(platform: string, facts: Facts): Checker[] {
  // Definitions are compiled once, when a schema first refers to them. To optimize the code takes longer than it saves.
  const reported = { allErrors: true, verbose: true };
  const compilation = { strictTypes: false, inlineRefs: false, validateSchema: false, code: { optimize: false } };
  const ajv = new Ajv({ ...reported, ...compilation });
  addKeywords(ajv, facts);
  const { operations, $defs } = facts;
  ajv.addSchema({ $id: 'facts', $defs });
  const validatorOf = (schema: Schema): (() => ValidateFunction) => {
    let validate: ValidateFunction | undefined;
    return () => (validate ??= ajv.compile(schema));
  };
  // Words before placeholders in the same position: `analytics` is not a campaign.
  const sorted = Object.entries(operations).toSorted(([a], [b]) =>
    a.replaceAll('{', '~') < b.replaceAll('{', '~') ? -1 : 1,
  );
  return sorted.map(([name, operation]) => {
    const stated = rules.filter((rule) => rule.platform === platform && rule.operation === name);
    const bodies = [...(operation.body ? [{ body: operation.body }] : []), ...stated];
    return {
      name,
      operation,
      pattern: patternOf(name.replace(/^\S+ /, '')),
      headers: validatorOf(operation.headers ?? anything),
      query: validatorOf(operation.query ?? none),
      bodies: bodies.map(({ body, ...rest }) => ({ ...rest, validator: validatorOf(body) })),
    };
  });
}

const patternOf = (path: string): RegExp => {
  const parts = path.split(/\{\w+\}/).map((part) => part.replaceAll(/[().]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('[^/:]+')}$`);
};

function textsOf(where: string, validate: ValidateFunction, value: unknown, source?: string): string[] {
  if (validate(value)) return [];
  const said = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
  return [...new Set(said.map((error) => textOf(where, error) + (source ? ` (${source})` : '')))];
}

function textOf(where: string, { instancePath, message, params, data, keyword }: ErrorObject): string {
  const named = params['additionalProperty'] ?? params['missingProperty'] ?? '';
  const allowed = keyword === 'enum' ? `: ${(params['allowedValues'] as unknown[]).slice(0, 12).join(', ')}` : '';
  const shown = named === '' ? `, not ${JSON.stringify(data)?.slice(0, 120)}` : '';
  return `${where}${instancePath.replaceAll(/\/\d+/g, '[]')} ${message}${named && ` (${named})`}${allowed}${shown}`;
}
