export type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Undefined if the body omits the field, null if it or an object around it is explicitly null. */
export function valueAt(body: Fields, path: string): unknown {
  let at: unknown = body;
  for (const step of path.split('.')) {
    if (at === null) return null;
    at = isFields(at) ? at[step] : undefined;
  }
  return at;
}

/** True for an empty object, which the platform would treat as a request to clear the field. */
export const saysNothing = (value: unknown): boolean =>
  value === undefined || (isFields(value) && Object.values(value).every((member) => member === undefined));

/** Only the fields that the mask names; null fields are omitted, so that the platform clears them. */
export function pick(body: Fields, paths: string[]): Fields {
  const picked: Fields = {};
  // Shorter paths first: a field named as a whole includes the paths within it.
  for (const path of paths.toSorted((one, other) => one.length - other.length)) {
    const value = valueAt(body, path);
    if (value !== null && value !== undefined) put(picked, path.split('.'), withoutNulls(value));
  }
  return picked;
}

function put(target: Fields, [step = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) target[step] = value;
  else {
    const own = target[step];
    const below = isFields(own) ? own : {};
    target[step] = below;
    put(below, rest, value);
  }
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}

/** Paths that the body contains and the mask does not name. */
export function leftOut(body: Fields, paths: string[], parent = ''): string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const path = parent + name;
    if (value === undefined || paths.some((masked) => masked === path)) return [];
    const isPart = paths.some((masked) => masked.startsWith(`${path}.`));
    if (!isPart) return [path];
    return isFields(value) ? leftOut(value, paths, `${path}.`) : [];
  });
}

/** Whether the platform reviews changes of the location before it shows them. */
export const isPending = (location: Fields): boolean => valueAt(location, 'metadata.hasPendingEdits') === true;
