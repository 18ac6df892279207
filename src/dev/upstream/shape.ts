/** The JSON types that occur at each path of an answer; elements of a list share one path. */
export type Shape = Map<string, Set<string>>;

/** A member whose name is an id, such as the key of a map. */
const isId = (name: string): boolean => /^(\d+|act_\d+|urn:.*|[\w]*\d{5,}[\w]*)$/.test(name);

export function shapeOf(values: unknown[]): Shape {
  const shape: Shape = new Map();
  for (const value of values) note(shape, '', value);
  return shape;
}

function note(shape: Shape, path: string, value: unknown): void {
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  if (path !== '' || type !== 'undefined') shape.set(path, (shape.get(path) ?? new Set()).add(type));
  if (Array.isArray(value)) for (const item of value) note(shape, `${path}[]`, item);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value))
      note(shape, `${path}${path && '.'}${isId(name) ? '*' : name}`, member);
  }
}

/** The values of all members of this name, as JSON. */
export function valuesOf(value: unknown, name: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === name ? [JSON.stringify(member)] : valuesOf(member, name),
  );
}

export interface Difference {
  where: string;
  platform: string;
  sandbox: string;
}

/**
 * The paths at which two answers differ. A list without elements and a null say nothing about the type; `optional`
 * members depend on the data, so their absence is no difference.
 */
export function compareShapes(platform: Shape, sandbox: Shape, optional: RegExp): Difference[] {
  const paths = [...new Set([...platform.keys(), ...sandbox.keys()])].toSorted();
  const reported: string[] = [];
  return paths.flatMap((path) => {
    const [left, right] = [said(platform, path), said(sandbox, path)];
    const isAbsent = left === undefined || right === undefined;
    const isSame = left === right || left === '' || right === '';
    const isUnknowable = isAbsent && (!isKnown(platform, path) || !isKnown(sandbox, path) || optional.test(path));
    const isBelow = reported.some((above) => path.startsWith(`${above}.`) || path.startsWith(`${above}[`));
    if (isSame || isUnknowable || isBelow) return [];
    reported.push(path);
    return [{ where: path || 'body', platform: left ?? 'absent', sandbox: right ?? 'absent' }];
  });
}

/** The types at a path, without null; undefined if it does not occur. */
function said(shape: Shape, path: string): string | undefined {
  const types = shape.get(path);
  return (
    types &&
    [...types]
      .filter((type) => type !== 'null')
      .toSorted()
      .join(' or ')
  );
}

/** Whether an answer could have contained the path: its parent occurs. */
function isKnown(shape: Shape, path: string): boolean {
  const parent = path.endsWith('[]') ? path.slice(0, -2) : path.slice(0, Math.max(0, path.lastIndexOf('.')));
  if (path.endsWith('[]')) return shape.has(path);
  return parent === '' ? shape.has('') : shape.has(parent);
}
