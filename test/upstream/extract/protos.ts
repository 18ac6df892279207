import type { Schema } from '../facts.ts';
import { objectOf } from './facts.ts';

interface Field {
  name: string;
  type: string;
  isRepeated: boolean;
  /** Of google.api.field_behavior: REQUIRED, OUTPUT_ONLY, IMMUTABLE. */
  behavior: string[];
  oneof?: string;
}

interface Message {
  fields: Field[];
}

export interface Protos {
  messages: Map<string, Message>;
  enums: Map<string, string[]>;
}

/** Reads names, types and behaviors; comments are dropped. Nested names are joined by dots. */
export function parseProto(source: string, protos: Protos): void {
  const text = source.replaceAll(/\/\/.*|\/\*[^]*?\*\/|"[^"\n]*"/g, '').replaceAll(/=\s*\{[^{}]*\}/g, '= 0');
  const scopes: { kind: string; name: string }[] = [];
  const nameOf = (name: string): string =>
    [...scopes.filter(({ kind }) => kind !== 'oneof').map((scope) => scope.name), name].join('.');
  for (const [, kind, name = '', end, statement = ''] of text.matchAll(
    /\b(message|enum|oneof|service|rpc)\s+(\w+)[^{;]*\{|(\})|([^{};]+);/g,
  )) {
    if (kind) {
      if (kind === 'message') protos.messages.set(nameOf(name), { fields: [] });
      if (kind === 'enum') protos.enums.set(nameOf(name), []);
      scopes.push({ kind, name });
    } else if (end) {
      scopes.pop();
    } else {
      addStatement(statement.replaceAll(/\s+/g, ' ').replaceAll(' .', '.').trim(), scopes, protos);
    }
  }
}

function addStatement(statement: string, scopes: { kind: string; name: string }[], protos: Protos): void {
  const inner = scopes.at(-1);
  const owner = scopes.filter(({ kind }) => kind !== 'oneof').map(({ name }) => name);
  if (inner?.kind === 'enum') {
    const [, value] = /^(\w+) = \d+/.exec(statement) ?? [];
    if (value && value !== 'UNSPECIFIED' && value !== 'UNKNOWN') protos.enums.get(owner.join('.'))?.push(value);
    return;
  }
  const [, label, type = '', name] = /^(optional |repeated )?([\w.]+) (\w+) = \d+/.exec(statement) ?? [];
  if (!name || type === 'option') return;
  protos.messages.get(owner.join('.'))?.fields.push({
    name,
    type,
    isRepeated: label === 'repeated ',
    behavior: [...statement.matchAll(/field_behavior\) = (\w+)/g)].map(([, behavior = '']) => behavior),
    ...(inner?.kind === 'oneof' && { oneof: inner.name }),
  });
}

export const camel = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const scalars: Record<string, Schema> = {
  string: { type: 'string' },
  bytes: { type: 'string', pattern: '^[A-Za-z0-9+/_-]*=*$' },
  bool: { type: 'boolean' },
  double: { type: 'number' },
  float: { type: 'number' },
  int32: { type: 'integer' },
  // JSON of protocol buffers has 64-bit numbers as text; numbers are accepted.
  int64: { type: ['string', 'integer'], pattern: String.raw`^-?\d+$` },
  FieldMask: { type: 'string' },
};

export interface Selection {
  /** Fields with a message as their type are taken over only if this names the message. */
  messages: Set<string>;
}

/** The schema of a message in JSON: create leaves out what only the platform sets, update also what cannot change. */
export function schemaOf(name: string, protos: Protos, use: { messages: Set<string>; isUpdate?: boolean }): Schema {
  const message = protos.messages.get(name);
  if (!message) throw new Error(`No message ${name}`);
  const fields = message.fields.filter(({ name: field, behavior, type }) => {
    if (behavior.includes('OUTPUT_ONLY')) return false;
    if (use.isUpdate && behavior.includes('IMMUTABLE') && field !== 'resource_name') return false;
    return typeOf(type, name, protos, use) !== undefined;
  });
  const groups = [...new Set(fields.flatMap(({ oneof }) => oneof ?? []))];
  const alternatives = groups.map((group) =>
    fields.filter(({ oneof }) => oneof === group).map((field) => camel(field.name)),
  );
  return {
    ...objectOf(
      Object.fromEntries(
        fields.map((field) => {
          const type = typeOf(field.type, name, protos, use) ?? {};
          return [camel(field.name), field.isRepeated ? { type: 'array', items: type } : type];
        }),
      ),
      use.isUpdate
        ? ['resourceName']
        : fields.filter(({ behavior }) => behavior.includes('REQUIRED')).map((field) => camel(field.name)),
    ),
    ...(alternatives.some((group) => group.length > 1) && {
      atMostOneOf: alternatives.filter((group) => group.length > 1),
    }),
  };
}

function typeOf(type: string, within: string, protos: Protos, { messages }: Selection): Schema | undefined {
  const short = type.split('.').slice(-2).join('.');
  const last = type.split('.').at(-1) ?? '';
  const scalar = scalars[type] ?? (last === 'FieldMask' ? scalars['FieldMask'] : undefined);
  if (scalar) return scalar;
  const values = protos.enums.get(short);
  if (values) return { type: 'string', enum: values };
  const name = [`${within}.${last}`, last].find((one) => protos.messages.has(one));
  return name && messages.has(name) ? { $ref: `#/$defs/${name}` } : undefined;
}
