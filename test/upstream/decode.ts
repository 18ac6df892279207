import type { Operation, Schema } from './facts.ts';

/** A request as a platform receives it. */
export interface UpstreamRequest {
  /** Name of the platform's facts. */
  platform: string;
  method: string;
  /** Below the base URL of the sandbox's platform. */
  path: string;
  /** Without the question mark. */
  query: string;
  /** The Content-Type header. */
  type: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** The parameters of a query or form, as the values that the schema describes. */
export function parametersOf(text: string, schema: Schema): Record<string, unknown> {
  const all = new URLSearchParams(text);
  const described = propertiesOf(schema);
  return Object.fromEntries([...new Set(all.keys())].map((name) => [name, valueOf(all.getAll(name), described[name])]));
}

/** Those of all alternatives: a parameter has one type. */
const propertiesOf = ({ properties, anyOf = [] }: Schema): Record<string, Schema> =>
  Object.assign({}, ...(anyOf as Schema[]).map(propertiesOf), properties);

export function bodyOf({ body, type }: UpstreamRequest, operation: Operation): unknown {
  const text = body.toString('utf8');
  if (type.includes('urlencoded')) return parametersOf(text, operation.body ?? {});
  if (type.includes('multipart/')) return partsOf(body.toString('latin1'), operation.body ?? {});
  return type.includes('json') ? parsed(text) : text;
}

/** A value that does not decode stays text, which its type then refuses. */
function valueOf(values: string[], schema: Schema = {}): unknown {
  const [first = '', ...more] = values;
  const items = (schema['items'] ?? {}) as Schema;
  if (schema['style'] === 'repeated') return values.map((value) => scalarOf(value, items));
  // A repeated parameter is no list that is written in one value, and no single value either.
  if (more.length > 0) return schema['style'] === 'commas' ? values.join('&') : values;
  if (schema['style'] === 'commas') return first.split(',').map((value) => scalarOf(value, items));
  return scalarOf(first, schema);
}

function scalarOf(text: string, { type }: Schema): unknown {
  const types = [type].flat();
  if (types.includes('string')) return text;
  const isNumber = types.some((one) => one === 'integer' || one === 'number') && /^-?\d+(\.\d+)?$/.test(text);
  return isNumber || /^(true|false)$/.test(text) || /^\s*[[{]/.test(text) ? parsed(text) : text;
}

/** The fields of a form with files; a file is its name. */
function partsOf(text: string, schema: Schema): Record<string, unknown> {
  const parts = text.matchAll(/name="([^"]+)"(?:; filename="([^"]*)")?[^]*?\r\n\r\n([^]*?)\r\n--/g);
  const described = propertiesOf(schema);
  return Object.fromEntries(
    [...parts].map(([, name = '', file, value = '']) => [name, file ?? scalarOf(value, described[name] ?? {})]),
  );
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
