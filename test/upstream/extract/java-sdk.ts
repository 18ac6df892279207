import type { Schema } from '../facts.ts';
import { objectOf, type Repository } from './facts.ts';

export interface Endpoint {
  method: string;
  /** Below the object, such as `/adsets`; `/` is the object itself. */
  edge: string;
  parameters: Record<string, Schema>;
  /** Fields of the answer that can be selected. */
  fields: string[];
}

/** The classes of Meta's SDK for Java: the only one that states the types of parameters. */
export interface Sdk {
  endpoint: (owner: string, request: string) => Endpoint;
  /** Names of the fields of a class, with the class that they hold. */
  fieldsOf: (name: string) => Record<string, string>;
  /** Adds a class that parameters call an object. */
  define: (name: string) => void;
  defs: Record<string, Schema>;
}

const folder = 'src/main/java/com/facebook/ads/sdk';

/** Classes that are not listed are taken as any value. */
export function createSdk(repo: Repository, classes: Set<string>): Sdk {
  const sources = new Map<string, string>();
  const sourceOf = (name: string): string => {
    const known = sources.get(name) ?? repo.read(`${folder}/${name}.java`);
    sources.set(name, known);
    return known;
  };
  const defs: Record<string, Schema> = {};

  function membersOf(name: string): [string, string][] {
    // The class itself, without its requests.
    const own = sourceOf(name).split('public static class APIRequest')[0] ?? '';
    return [...own.matchAll(/@SerializedName\("([^"]+)"\)\s+private ([\w.<>, ]+) m\w+ = /g)].map(
      ([, field = '', type = '']) => [field, type],
    );
  }

  function typeOf(type: string, owner: string): Schema {
    const list = /^List<(.+)>$/.exec(type)?.[1];
    if (list) return { type: 'array', items: typeOf(list, owner) };
    if (type === 'String') return { type: 'string' };
    if (type === 'Long' || type === 'Integer') return { type: 'integer' };
    if (type === 'Double') return { type: 'number' };
    if (type === 'Boolean') return { type: 'boolean' };
    if (type.startsWith('Map<')) return { type: 'object' };
    const [, of = owner, listed] = /^(?:(\w+)\.)?Enum(\w+)$/.exec(type) ?? [];
    if (listed) return { type: 'string', enum: valuesOf(of, listed) };
    if (!classes.has(type)) return {};
    if (!defs[type]) {
      defs[type] = {};
      const fields = membersOf(type).map(([field, of]) => [field, typeOf(of, type)]);
      Object.assign(defs[type], objectOf(Object.fromEntries(fields)));
    }
    return { $ref: `#/$defs/${type}` };
  }

  function valuesOf(owner: string, name: string): string[] {
    const body = sourceOf(owner).split(`enum Enum${name} {`)[1]?.split(';')[0] ?? '';
    return [...body.matchAll(/@SerializedName\("([^"]+)"\)/g)].map(([, value = '']) => value);
  }

  function endpoint(owner: string, request: string): Endpoint {
    const text = sourceOf(owner)
      .split(`class APIRequest${request} extends`)[1]
      ?.split('public static class APIRequest')[0];
    if (text === undefined) throw new Error(`${owner} has no request ${request}`);
    const listOf = (name: string): string[] => {
      const list = text.split(`String[] ${name} = {`)[1]?.split('}')[0] ?? '';
      return [...list.matchAll(/"(\w+)"/g)].map(([, one = '']) => one);
    };
    const setters = [...text.matchAll(/ set\w+ \(([\w.<>, ]+) (\w+)\)/g)];
    const parameters = listOf('PARAMS').map((name) => {
      const own = setters.filter(([, , argument]) => argument === camel(name) || argument === `_${camel(name)}`);
      const [, type = 'String'] = own.find(([, type]) => type !== 'String') ?? own[0] ?? [];
      return [name, typeOf(type, owner)];
    });
    const [, edge = '', method = ''] = /super\(context, nodeId, "([^"]*)", "(\w+)"/.exec(text) ?? [];
    return { method, edge, parameters: Object.fromEntries(parameters), fields: listOf('FIELDS') };
  }

  const fieldsOf = (name: string): Record<string, string> =>
    Object.fromEntries(membersOf(name).map(([field, type]) => [field, type.replace(/^List<(.+)>$/, '$1')]));
  return { endpoint, fieldsOf, define: (name) => void typeOf(name, name), defs };
}

const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
