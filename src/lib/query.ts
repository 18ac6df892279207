export interface Parameter {
  values: string[];
  /** A value contains a `+` that is not percent-encoded, so it decodes to a space. */
  hasBarePlus: boolean;
}

/** The parameters of a URL by name, with every value that was sent. */
export function parseQuery(url: string): Map<string, Parameter> {
  const parameters = new Map<string, Parameter>();
  if (!url.includes('?')) return parameters;
  const [address = ''] = url.split('#', 1);
  const at = address.indexOf('?');
  for (const pair of at < 0 ? [] : address.slice(at + 1).split('&')) {
    const [[name, value] = []] = new URLSearchParams(pair);
    if (name === undefined || value === undefined) continue;
    const parameter = parameters.get(name) ?? { values: [], hasBarePlus: false };
    parameter.values.push(value);
    parameter.hasBarePlus ||= pair.slice(pair.indexOf('=') + 1).includes('+');
    parameters.set(name, parameter);
  }
  return parameters;
}
