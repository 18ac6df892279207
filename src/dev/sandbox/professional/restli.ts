import { syntaxError } from './errors.ts';

/** A Rest.li value: text, `List(a,b)` or `(key:value)`. */
export type Param = string | Param[] | { [name: string]: Param };
export type Params = Record<string, Param>;

/** Parses query parameters. Punctuation in data is percent-encoded; unescaped punctuation is structure. */
export function parseQuery(raw: string): Params {
  const pairs = raw.split('&').filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 0) throw syntaxError('query parameters');
      const [name, value] = [decoded(pair.slice(0, at)), pair.slice(at + 1)];
      return [name, name === 'fields' ? value.split(',').map(decoded) : parseParam(value, 'query parameters')];
    }),
  );
}

/** Parses one value; trailing text, such as an unescaped colon of a URN, makes it invalid. */
export function parseParam(raw: string, where = 'path variables'): Param {
  const reader: Reader = { text: raw, at: 0, where };
  const value = readValue(reader);
  if (reader.at < raw.length) throw syntaxError(where);
  return value;
}

interface Reader {
  text: string;
  at: number;
  where: string;
}

function readValue(reader: Reader): Param {
  if (reader.text.startsWith('List(', reader.at)) {
    reader.at += 'List('.length;
    return readItems(reader, () => readValue(reader));
  }
  if (reader.text[reader.at] !== '(') return readText(reader);
  reader.at += 1;
  const pairs = readItems(reader, () => {
    const name = readText(reader);
    take(reader, ':');
    return [name, readValue(reader)] as const;
  });
  return Object.fromEntries(pairs);
}

function readItems<T>(reader: Reader, read: () => T): T[] {
  const items: T[] = [];
  while (reader.text[reader.at] !== ')') {
    if (items.length > 0) take(reader, ',');
    items.push(read());
  }
  reader.at += 1;
  return items;
}

function take(reader: Reader, sign: string): void {
  if (reader.text[reader.at] !== sign) throw syntaxError(reader.where);
  reader.at += 1;
}

function readText(reader: Reader): string {
  const [text = ''] = /^[^(),:]*/.exec(reader.text.slice(reader.at)) ?? [];
  reader.at += text.length;
  // At the end of the text there is no closing bracket to look for.
  if (text === '' && reader.at >= reader.text.length && reader.text.length > 0) throw syntaxError(reader.where);
  return text === "''" ? '' : decoded(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw syntaxError('query parameters');
  }
}

export const textParam = (value: Param | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** The strings of a list; undefined if there is none. */
export function listParam(params: Params, name: string): string[] | undefined {
  const value = params[name];
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw syntaxError('query parameters');
  return value.map(String);
}

export const recordParam = (value: Param | undefined): Params | undefined =>
  value !== undefined && typeof value === 'object' && !Array.isArray(value) ? value : undefined;

/** The id in `urn:li:<type>:<number>`. */
export const idOf = (urn: unknown, type: string): string | undefined => {
  const start = `urn:li:${type}:`;
  return typeof urn === 'string' && urn.startsWith(start) ? urn.slice(start.length) : undefined;
};
