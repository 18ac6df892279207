import type { InputFieldMap, InputRef, ObjectRef, OutputType, InputType } from '@pothos/core';
import { z } from 'zod';
import { enumValues } from '../contract/enum-values.ts';
import { builder, type SchemaTypes } from './builder.ts';
import { inputMembers } from './input-alternatives.ts';

/* eslint-disable typescript/no-explicit-any -- zod's own walker types are open; the schema test holds the result */
type Schema = any;
export type AnyObject = z.ZodObject<any, any>;
/** Pothos' builder of fields and arguments, whose own type follows from each schema. */
export type FieldBuilder = any;

interface Unwrapped {
  schema: Schema;
  optional: boolean;
  description?: string;
}

/** Takes optional, nullable, default and pipe off a schema; the outermost description wins. */
function unwrap(schema: Schema): Unwrapped {
  let current = schema;
  let optional = false;
  let description: string | undefined;
  for (;;) {
    description ??= current.meta?.()?.description;
    const { type } = current.def;
    if (type === 'optional' || type === 'nullable' || type === 'default' || type === 'prefault') optional = true;
    else if (type !== 'pipe' && type !== 'readonly') return { schema: current, optional, description };
    if (type !== 'pipe') current = current.def.innerType;
    else current = current.def.in.def.type === 'transform' ? current.def.out : current.def.in;
  }
}

const idOf = (schema: Schema): string => {
  const id = schema.meta?.()?.id;
  if (!id) throw new Error(`A ${schema.def.type} of the contract needs .meta({ id }) to become a GraphQL type`);
  return id;
};

/** Values of an enum with `camelCase` are the names of fields. */
const enumName = (value: string, isCamelCase: boolean): string =>
  (isCamelCase ? value.replaceAll(/[A-Z]/g, '_$&') : value).replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();
const cache = new Map<string, unknown>();
const once = <T>(key: string, make: () => T): T => {
  if (!cache.has(key)) cache.set(key, make());
  return cache.get(key) as T;
};

const enumRef = (schema: Schema) =>
  once(`enum ${idOf(schema)}`, () =>
    builder.enumType(idOf(schema), {
      description: schema.meta()?.description,
      values: Object.fromEntries(
        schema.options.map((value: string) => [
          enumName(value, schema.meta()?.camelCase === true),
          { value, description: enumValues[idOf(schema)]?.[value] },
        ]),
      ) as any,
    }),
  );

const literalScalars: Record<string, string> = { boolean: 'Boolean', number: 'Int' };

function scalarOf(schema: Schema): string {
  const named = schema.meta?.()?.scalar;
  if (named) return named;
  switch (schema.def.type) {
    case 'string':
      return schema.def.format === 'datetime' ? 'DateTime' : 'String';
    case 'number':
      return schema.isInt ? 'Int' : 'Float';
    case 'boolean':
      return 'Boolean';
    case 'literal':
      return literalScalars[typeof schema.def.values[0]] ?? 'String';
    case 'record':
    case 'unknown':
    case 'any':
    case 'union':
      return 'JSON';
    default:
      throw new Error(`No GraphQL type stands for a zod ${schema.def.type}`);
  }
}

function typeOf(schema: Schema, direction: 'in' | 'out'): any {
  const { schema: unwrapped } = unwrap(schema);
  const core = unwrapped.meta?.()?.graphql ?? unwrapped;
  if (core.def.type === 'array') return [typeOf(core.def.element, direction)];
  if (core.def.type === 'object') return direction === 'in' ? inputType(core) : objectType(core);
  return core.def.type === 'enum' ? enumRef(core) : scalarOf(core);
}

/** REST says `_id` where GraphQL says `id`. */
const fieldName = (key: string): string => (key === '_id' ? 'id' : key);

/** The GraphQL input type of a contract object; members in `omit` are arguments of their own. */
export function inputType<T extends AnyObject>(
  schema: T,
  omit: readonly string[] = [],
): InputRef<z.input<T>> & InputType<SchemaTypes> {
  const name = idOf(schema).replace(/(Input)?$/, 'Input');
  return once(`in ${name}`, () =>
    builder.inputType(name, {
      description: schema.meta()?.description,
      fields: (t) =>
        Object.fromEntries(
          inputMembers(schema)
            .filter(([key]) => !omit.includes(key))
            .map(([key, member]) => {
              const { optional, description } = unwrap(member);
              return [fieldName(key), t.field({ type: typeOf(member, 'in'), required: !optional, description })];
            }),
        ) as any,
    }),
  ) as any;
}

/** The GraphQL object type of a contract object. */
export function objectType<T extends AnyObject>(
  schema: T,
): ObjectRef<SchemaTypes, z.output<T>> & OutputType<SchemaTypes> {
  return once(`out ${idOf(schema)}`, () => {
    const ref = builder.objectRef<any>(idOf(schema));
    ref.implement({
      description: schema.meta()?.description,
      fields: (t) =>
        Object.fromEntries(
          Object.entries(schema.shape).map(([key, member]) => {
            const { optional, description } = unwrap(member);
            const resolve = (parent: any): any => parent[key] ?? null;
            const { cost: complexity } = (member as Schema).meta?.() ?? {};
            const type = typeOf(member, 'out');
            return [fieldName(key), t.field({ type, nullable: optional, description, complexity, resolve })];
          }),
        ) as any,
    });
    return ref;
  }) as any;
}

/** The members of a contract object as arguments, one each. */
export function argsOf(
  t: FieldBuilder,
  schema: AnyObject,
  only: readonly string[] = Object.keys(schema.shape),
): InputFieldMap {
  return Object.fromEntries(
    only.map((key) => {
      const member = schema.shape[key];
      const { optional, description } = unwrap(member);
      return [fieldName(key), t.arg({ type: typeOf(member, 'in'), required: !optional, description })];
    }),
  );
}

/** One `input` argument, and beside it the ids that REST has in the path. */
export function inputArgs(t: FieldBuilder, schema: AnyObject, ids: readonly string[] = []): InputFieldMap {
  const hasMore = Object.keys(schema.shape).some((key) => !ids.includes(key));
  if (!hasMore) return argsOf(t, schema, ids);
  const { description } = schema.meta() ?? {};
  return { ...argsOf(t, schema, ids), input: t.arg({ type: inputType(schema, ids), required: true, description }) };
}

/** The type of a field that returns one member of an output. */
export const typeOfMember = (schema: Schema): { type: never; nullable: boolean } => ({
  type: typeOf(schema, 'out') as never,
  nullable: unwrap(schema).optional,
});
