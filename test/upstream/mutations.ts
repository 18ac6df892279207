import type { Schema } from './facts.ts';

export type Kind = 'missing field' | 'unknown value' | 'wrong type' | 'unknown field';

/** One way to make a request wrong. */
export interface Mutation {
  kind: Kind;
  /** Way to the field; the last step of a missing or unknown field is the field itself. */
  path: (string | number)[];
  /** Replaces the value; undefined removes it. */
  value: unknown;
}

/** Every wrong version of a body that its schema refuses because of one field. */
export function mutationsOf(body: unknown, schema: Schema, $defs: Record<string, Schema>): Mutation[] {
  const found: Mutation[] = [];
  const add = (kind: Kind, path: Mutation['path'], value?: unknown): void => void found.push({ kind, path, value });
  const visit = (value: unknown, described: Schema, path: Mutation['path']): void => {
    const schema = resolved(described, $defs);
    const types = [schema['type'] ?? []].flat();
    if (schema['enum']) add('unknown value', path, 'NO_SUCH_VALUE');
    else if (types.length > 0) add('wrong type', path, wrongFor(types));
    const properties = schema['properties'] as Record<string, Schema> | undefined;
    if (Array.isArray(value))
      for (const [at, item] of value.entries()) visit(item, (schema['items'] ?? {}) as Schema, [...path, at]);
    if (!properties || value === null || typeof value !== 'object' || Array.isArray(value)) return;
    if (schema['additionalProperties'] === false) add('unknown field', [...path, 'no_such_field'], '1');
    for (const [name, member] of Object.entries(value)) {
      if ((schema['required'] as string[] | undefined)?.includes(name)) add('missing field', [...path, name]);
      visit(member, properties[name] ?? {}, [...path, name]);
    }
  };
  visit(body, schema, []);
  return found.filter(({ path }) => path.length > 0);
}

const resolved = (schema: Schema, $defs: Record<string, Schema>): Schema => {
  const name = /#\/\$defs\/(.+)$/.exec(String(schema['$ref'] ?? ''))?.[1];
  return name === undefined ? schema : ($defs[name] ?? {});
};

const wrongFor = (types: unknown[]): unknown =>
  types.includes('string') ? { unexpected: 'object' } : types.includes('object') ? 'text' : 'no such value';

/** A copy of the body with the mutation. */
export function mutated(body: unknown, { path, value }: Mutation): unknown {
  const copy = structuredClone(body) as any;
  const [last] = path.slice(-1) as [string | number];
  const parent = path.slice(0, -1).reduce((inner, step) => inner[step], copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}
