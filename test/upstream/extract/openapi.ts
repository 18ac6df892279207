import { objectOf } from './facts.ts';
import type { Operation, Schema } from '../facts.ts';

export interface Document {
  info: { version: string };
  paths: Record<string, Record<string, Described>>;
  components: Record<string, Record<string, any>>;
}

interface Described {
  parameters?: any[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const kept = new Set('type enum minimum maximum minLength maxLength minItems maxItems pattern required'.split(' '));
const formats: Record<string, string> = { date: String.raw`^\d{4}-\d\d-\d\d$` };

/** Reduces the schemas of an OpenAPI document to facts: names, types, enums, limits. No text is taken over. */
export function createReader(document: Document): {
  operation: (path: string, method: string) => Operation;
  defs: Record<string, Schema>;
} {
  const defs: Record<string, Schema> = {};
  const target = (ref: string): any => {
    const [kind = '', name = ''] = ref.split('/').slice(-2);
    return document.components[kind]?.[name];
  };

  function reduce(schema: any): Schema {
    if (schema.$ref) return refer(schema.$ref);
    if (schema.allOf) return reduce(merged(schema));
    const mapping: string[] = Object.values(schema.discriminator?.mapping ?? {});
    const alternatives = schema.oneOf ?? schema.anyOf ?? mapping.map(($ref) => ({ $ref }));
    if (alternatives.length > 0) return { anyOf: alternatives.map(reduce) };
    const facts: Schema = Object.fromEntries(Object.entries(schema).filter(([keyword]) => kept.has(keyword)));
    if (schema.required?.length === 0) delete facts['required'];
    if (schema.format in formats) facts['pattern'] ??= formats[schema.format];
    if (schema.nullable) facts['type'] = [schema.type, 'null'];
    if (schema.nullable && schema.enum) facts['enum'] = [...new Set([...schema.enum, null])];
    if (schema.items) facts['items'] = reduce(schema.items);
    if (!schema.properties) return facts;
    const fields = Object.entries(schema.properties).filter(([, field]: [string, any]) => !field.readOnly);
    const properties = Object.fromEntries(fields.map(([name, field]) => [name, reduce(field)]));
    const required = (schema.required ?? []).filter((name: string) => name in properties);
    return objectOf(properties, required, facts['type']);
  }

  function refer(ref: string): Schema {
    const name = ref.split('/').at(-1) ?? '';
    const whole = target(ref);
    if (!whole.properties && !whole.allOf && !whole.enum) return reduce(whole);
    if (!defs[name]) {
      defs[name] = {};
      Object.assign(defs[name], reduce(whole));
    }
    return { $ref: `#/$defs/${name}` };
  }

  function merged({ allOf, ...rest }: any): any {
    const parts = allOf.map((part: any) => (part.$ref ? target(part.$ref) : part));
    const flat = [...parts, rest].map((part: any) => (part.allOf ? merged(part) : part));
    return Object.assign({}, ...flat, {
      properties: Object.assign({}, ...flat.map((part: any) => part.properties)),
      required: flat.flatMap((part: any) => part.required ?? []),
      ...(flat.every((part: any) => !part.properties) && { properties: undefined }),
    });
  }

  function operation(path: string, method: string): Operation {
    const found = document.paths[path]?.[method];
    if (!found) throw new Error(`The document has no ${method} ${path}`);
    const all = (found.parameters ?? []).map((parameter) => (parameter.$ref ? target(parameter.$ref) : parameter));
    const query = all.filter((parameter) => parameter.in === 'query');
    const [type, body] = Object.entries(found.requestBody?.content ?? {})[0] ?? [];
    const parameters = query.map((parameter) => [parameter.name, parameterOf(parameter)]);
    const required = query.filter((parameter) => parameter.required).map(({ name }) => name);
    return {
      ...(query.length > 0 && { query: objectOf(Object.fromEntries(parameters), required) }),
      ...(body && { type, body: reduce(body.schema) }),
    };
  }

  const parameterOf = ({ schema, explode = true }: any): Schema => {
    const facts = reduce(schema);
    return facts['type'] === 'array' ? { ...facts, style: explode ? 'repeated' : 'commas' } : facts;
  };

  return { operation, defs };
}
